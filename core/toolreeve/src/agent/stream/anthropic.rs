//! Assembles the events of the Anthropic Messages API: `message_start`, then for each block `content_block_start`,
//! `content_block_delta`… and `content_block_stop`, then `message_delta` and `message_stop`, with `ping` and `error`
//! anywhere. A tool_use block is handed out the moment it stops. A whole message (`type: "message"`), as an answer
//! without streaming gives it, is taken as well.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolreeve_engine::{ContentBlock, RequestedCall, ToolUse};

/// What came of an event.
#[derive(Debug, Clone, PartialEq)]
pub enum Assembled {
    /// A piece of text.
    Text(String),
    /// A piece of thinking.
    Thinking(String),
    /// A request to run a tool, complete.
    Call(RequestedCall),
    /// The stream reports an error: nothing more of this answer will come.
    Failed {
        /// The stream's own name of the error, for example `overloaded_error`.
        kind: String,
        /// Its words.
        message: String,
    },
    /// Something came that does not fit the protocol. It was passed over; the answer goes on.
    Protocol(String),
}

/// A block that is being built.
#[derive(Debug)]
enum Open {
    Text {
        text: String,
        template: Value,
    },
    Thinking {
        thinking: String,
        signature: String,
        template: Value,
    },
    /// A tool_use of ours, or of the server (`runs_here` is false), whose input comes as JSON text.
    Tool {
        template: Value,
        json: String,
        runs_here: bool,
    },
    Other(Value),
}

/// The assembler of one answer.
#[derive(Debug, Default)]
pub struct MessageAssembler {
    open: BTreeMap<u64, Open>,
    done: BTreeMap<u64, ContentBlock>,
    ids: HashSet<String>,
    started: bool,
    stop_reason: Option<String>,
    stopped: bool,
    usage: Map<String, Value>,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    content_block: Option<Value>,
    message: Option<Value>,
    usage: Option<Map<String, Value>>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    text: Cow<'a, str>,
    #[serde(borrow, default)]
    thinking: Cow<'a, str>,
    #[serde(borrow, default)]
    signature: Cow<'a, str>,
    #[serde(borrow, default)]
    partial_json: Cow<'a, str>,
    citation: Option<Value>,
    stop_reason: Option<Value>,
}

impl MessageAssembler {
    /// An assembler that waits for its answer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the JSON text of one event and appends what came of it to `out`: at most one thing, but for a whole message.
    pub fn take_json(&mut self, json: &[u8], out: &mut Vec<Assembled>) {
        if self.take_usual_delta(json).is_some() {
            return;
        }
        // Some servers close the stream as others do.
        if json == b"[DONE]" {
            return;
        }
        let unusable = |error| Assembled::Protocol(format!("an event is not usable: {error}"));
        match serde_json::from_slice::<Wire<'_>>(json) {
            Ok(wire) if wire.kind == "message" => match serde_json::from_slice(json) {
                Ok(message) => self.whole_message(message, out),
                Err(error) => out.push(unusable(error)),
            },
            Ok(wire) => out.extend(self.take(wire)),
            Err(error) => out.push(unusable(error)),
        }
    }

    /// The one event that comes by the ten thousand, a piece of a tool's input, in the one spelling that the API uses.
    /// `None`, with nothing done, for everything else: the general way then decides.
    fn take_usual_delta(&mut self, event: &[u8]) -> Option<()> {
        #[derive(Deserialize)]
        struct Piece<'a>(#[serde(borrow)] Cow<'a, str>);

        let rest = event.strip_prefix(br#"{"type":"content_block_delta","index":"#)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let index: u64 = serde_json::from_slice(&rest[..digits]).ok()?;
        let rest = rest[digits..].strip_prefix(br#","delta":{"type":"input_json_delta","partial_json":"#)?;
        // Whatever is more than one string fails to parse as one.
        let Piece(piece) = serde_json::from_slice(rest.strip_suffix(b"}}")?).ok()?;
        match self.open.get_mut(&index)? {
            Open::Tool { json, .. } => json.push_str(&piece),
            _ => return None,
        }
        Some(())
    }

    /// Takes one event that is already parsed, as [`MessageAssembler::take_json`] does.
    pub fn take_value(&mut self, event: &Value, out: &mut Vec<Assembled>) {
        if event.get("type").and_then(Value::as_str) == Some("message") {
            return self.whole_message(event.clone(), out);
        }
        match Wire::deserialize(event) {
            Ok(wire) => out.extend(self.take(wire)),
            Err(error) => out.push(Assembled::Protocol(format!("an event is not usable: {error}"))),
        }
    }

    /// Whether the answer is complete: the stop reason is known, or the end was announced.
    pub fn is_complete(&self) -> bool {
        self.stopped || self.stop_reason.is_some()
    }

    /// Why the model stopped.
    pub fn stop_reason(&self) -> Option<&str> {
        self.stop_reason.as_deref()
    }

    /// What the model reported as used.
    pub fn usage(&self) -> &Map<String, Value> {
        &self.usage
    }

    /// Whether anything of the answer has come.
    pub fn has_started(&self) -> bool {
        self.started
    }

    /// The complete blocks in the model's order. Blocks that never stopped are left out: half a request must not run,
    /// and half a signature is worth nothing.
    pub fn into_content(self) -> Vec<ContentBlock> {
        self.done.into_values().collect()
    }

    fn take(&mut self, wire: Wire<'_>) -> Option<Assembled> {
        match wire.kind.as_ref() {
            "content_block_delta" => self.delta(wire.index, wire.delta),
            "content_block_start" => self.block_start(wire.index, wire.content_block),
            "content_block_stop" => self.block_stop(wire.index),
            "message_start" => self.message_start(wire.message),
            "message_delta" => {
                if let Some(reason) = wire.delta.and_then(|delta| delta.stop_reason) {
                    self.stop_reason = reason.as_str().map(str::to_owned);
                }
                self.usage.extend(wire.usage.unwrap_or_default());
                None
            }
            "message_stop" => {
                self.stopped = true;
                None
            }
            "error" => {
                let field = |name| wire.error.as_ref().and_then(|error| error.get(name)).and_then(Value::as_str);
                Some(Assembled::Failed {
                    kind: field("type").unwrap_or("error").to_owned(),
                    message: field("message").unwrap_or("the model's stream reports an error").to_owned(),
                })
            }
            "" => protocol("an event has no `type`"),
            // `ping`, and whatever is added to the protocol later.
            _ => None,
        }
    }

    fn message_start(&mut self, message: Option<Value>) -> Option<Assembled> {
        if std::mem::replace(&mut self.started, true) {
            return protocol("a second message_start came within one answer");
        }
        if let Some(Value::Object(usage)) = message.and_then(|mut message| message.get_mut("usage").map(Value::take)) {
            self.usage.extend(usage);
        }
        None
    }

    fn block_start(&mut self, index: Option<u64>, block: Option<Value>) -> Option<Assembled> {
        self.started = true;
        let (Some(index), Some(block)) = (index, block) else {
            return protocol("a content_block_start lacks its `index` or `content_block`");
        };
        if self.open.contains_key(&index) || self.done.contains_key(&index) {
            return protocol(&format!("the block {index} began twice; the second one is passed over"));
        }
        let text_of = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let open = match block.get("type").and_then(Value::as_str) {
            Some("text") => Open::Text { text: text_of("text"), template: block },
            Some("thinking") => {
                Open::Thinking { thinking: text_of("thinking"), signature: text_of("signature"), template: block }
            }
            Some("tool_use") => Open::Tool { template: block, json: String::new(), runs_here: true },
            Some("server_tool_use" | "mcp_tool_use") => {
                Open::Tool { template: block, json: String::new(), runs_here: false }
            }
            _ => Open::Other(block),
        };
        let shown = match &open {
            Open::Text { text, .. } if !text.is_empty() => Some(Assembled::Text(text.clone())),
            Open::Thinking { thinking, .. } if !thinking.is_empty() => Some(Assembled::Thinking(thinking.clone())),
            _ => None,
        };
        self.open.insert(index, open);
        shown
    }

    fn delta(&mut self, index: Option<u64>, delta: Option<Delta<'_>>) -> Option<Assembled> {
        let (Some(index), Some(delta)) = (index, delta) else {
            return protocol("a content_block_delta lacks its `index` or `delta`");
        };
        let Some(open) = self.open.get_mut(&index) else {
            return protocol(&format!("a delta came for the block {index}, which is not open"));
        };
        match (delta.kind.as_ref(), open) {
            ("input_json_delta", Open::Tool { json, .. }) => {
                json.push_str(&delta.partial_json);
                None
            }
            ("text_delta", Open::Text { text, .. }) => {
                text.push_str(&delta.text);
                Some(Assembled::Text(delta.text.into_owned()))
            }
            ("thinking_delta", Open::Thinking { thinking, .. }) => {
                thinking.push_str(&delta.thinking);
                Some(Assembled::Thinking(delta.thinking.into_owned()))
            }
            ("signature_delta", Open::Thinking { signature, .. }) => {
                signature.push_str(&delta.signature);
                None
            }
            ("citations_delta", Open::Text { template, .. }) => {
                if let (Some(citation), Some(map)) = (delta.citation, template.as_object_mut()) {
                    match map.entry("citations").or_insert_with(|| json!([])) {
                        Value::Array(citations) => citations.push(citation),
                        other => *other = json!([citation]),
                    }
                }
                None
            }
            ("input_json_delta" | "text_delta" | "thinking_delta" | "signature_delta" | "citations_delta", _) => {
                protocol(&format!("a {} came for the block {index}, which is of another kind", delta.kind))
            }
            // Kinds that are added to the protocol later.
            _ => None,
        }
    }

    fn block_stop(&mut self, index: Option<u64>) -> Option<Assembled> {
        let Some((index, open)) = index.and_then(|index| Some((index, self.open.remove(&index)?))) else {
            return protocol("a content_block_stop came for a block that is not open");
        };
        let block = match open {
            Open::Text { text, template } => {
                // A block without text is of no use, and the API refuses it on the way back.
                if text.is_empty() {
                    return None;
                }
                filled(template, [("text", text)])
            }
            Open::Thinking { thinking, signature, template } => {
                filled(template, [("thinking", thinking), ("signature", signature)])
            }
            Open::Tool { template, json, runs_here: true } => return self.tool_stop(index, template, &json),
            Open::Tool { mut template, json, .. } => {
                if let (Ok(input @ Value::Object(_)), Some(map)) =
                    (parse_input(&json, &template), template.as_object_mut())
                {
                    map.insert("input".to_owned(), input);
                }
                ContentBlock::Other(template)
            }
            Open::Other(value) => ContentBlock::Other(value),
        };
        self.done.insert(index, block);
        None
    }

    fn tool_stop(&mut self, index: u64, template: Value, json: &str) -> Option<Assembled> {
        let field = |name: &str| template.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (Some(id), Some(name)) = (field("id").map(str::to_owned), field("name").map(str::to_owned)) else {
            return protocol("a tool_use block lacks its `id` or `name`; it was not run");
        };
        if !self.ids.insert(id.clone()) {
            return protocol(&format!("the id {id:?} came twice; the second request was not run"));
        }
        let (input, broken_input) = match parse_input(json, &template) {
            Ok(input) => (input, None),
            // The API takes nothing but an object back, and the model should see what it wrote.
            Err(problem) => (json!({"INVALID_JSON": json}), Some(problem)),
        };
        let tool_use = ToolUse { id, name, input };
        self.done.insert(index, ContentBlock::ToolUse(tool_use.clone()));
        Some(Assembled::Call(RequestedCall { tool_use, broken_input }))
    }

    /// Takes the blocks of a whole message as if each had been streamed.
    fn whole_message(&mut self, mut message: Value, out: &mut Vec<Assembled>) {
        let blocks = message.get_mut("content").map(Value::take).unwrap_or_default();
        let stop_reason = message.get("stop_reason").and_then(Value::as_str).unwrap_or("end_turn").to_owned();
        out.extend(self.message_start(Some(message)));
        let Value::Array(blocks) = blocks else {
            out.extend(protocol("a message lacks its `content` list"));
            return;
        };
        for (index, block) in (0_u64..).zip(blocks) {
            out.extend(self.block_start(Some(index), Some(block)));
            out.extend(self.block_stop(Some(index)));
        }
        self.stop_reason = Some(stop_reason);
        self.stopped = true;
    }
}

fn protocol(problem: &str) -> Option<Assembled> {
    Some(Assembled::Protocol(problem.to_owned()))
}

/// Puts assembled texts into the block that began them, so that fields this code does not know survive.
fn filled<const N: usize>(mut template: Value, fields: [(&str, String); N]) -> ContentBlock {
    if let Some(map) = template.as_object_mut() {
        for (name, text) in fields {
            map.insert(name.to_owned(), Value::String(text));
        }
    }
    ContentBlock::deserialize(&template).unwrap_or(ContentBlock::Other(template))
}

/// The input of a tool: the JSON text that came in pieces; without any, what the block began with, else no fields.
fn parse_input(json: &str, template: &Value) -> Result<Value, String> {
    if json.trim().is_empty() {
        return match template.get("input") {
            Some(input @ Value::Object(_)) => Ok(input.clone()),
            None | Some(Value::Null) => Ok(json!({})),
            Some(_) => Err("it must be a JSON object".to_owned()),
        };
    }
    match serde_json::from_str(json) {
        Ok(input @ Value::Object(_)) => Ok(input),
        Ok(_) => Err("it must be a JSON object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The short way for the usual delta and the general way must not differ, whatever the spelling.
    #[test]
    fn the_short_way_reads_what_the_general_way_reads() {
        let usual = |piece: &str| {
            format!(
                r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":{piece}}}}}"#
            )
        };
        let rows = [
            usual(r#""{\"a\": ""#),
            usual(r#""\u00e9\ud83d\ude00é""#),
            usual(r#""""#),
            usual(r#""x","partial_json":"y""#),
            usual(r#""x"},"more":{"k":"v""#),
            usual("1"),
            usual("null"),
            usual(r#""\ud800""#),
            usual(r#""a"#),
            usual(r#""x" "#),
            usual(r#""x""#).replace("\"index\":0", "\"index\":7"),
            usual(r#""x""#).replace("\"index\":0", "\"index\":99999999999999999999"),
            usual(r#""x""#).replace("\"index\":0", "\"index\":00"),
        ];
        for row in rows {
            let read = |event: &str| {
                let mut assembler = MessageAssembler::new();
                let mut came = Vec::new();
                let start = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"T"}}"#;
                assembler.take_json(start.as_bytes(), &mut came);
                assembler.take_json(event.as_bytes(), &mut came);
                let json = match &assembler.open[&0] {
                    Open::Tool { json, .. } => json.clone(),
                    _ => String::new(),
                };
                (json, came.len())
            };
            // A blank in front takes the general way.
            assert_eq!(read(&row), read(&format!(" {row}")), "{row}");
        }
    }
}
