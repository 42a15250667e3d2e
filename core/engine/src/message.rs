//! The blocks and messages that travel between the model and the tools, in the shape of the Anthropic Messages API.
//! Owns no behaviour beyond (de)serialisation.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person, and the results of tools.
    User,
    /// The model.
    Assistant,
}

/// One message of the transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order. A plain string is accepted on input and read as one text block.
    #[serde(deserialize_with = "content_or_string")]
    pub content: Vec<ContentBlock>,
}

impl Message {
    /// A message of the person with one text block.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, content: vec![ContentBlock::text(text)] }
    }
}

/// A request of the model to run a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The id that the result must name.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The input, as the model wrote it: never changed on the way back to the model.
    pub input: Value,
}

/// The answer to one [`ToolUse`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the request.
    pub tool_use_id: String,
    /// What the model reads. One text block is written as a plain string.
    #[serde(serialize_with = "string_or_blocks", deserialize_with = "content_or_string", default)]
    pub content: Vec<ContentBlock>,
    /// Whether the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// The text blocks, joined by newlines.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(ContentBlock::as_text).collect();
        texts.join("\n")
    }
}

/// One block of a message.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text(String),
    /// A request to run a tool.
    ToolUse(ToolUse),
    /// The answer to one.
    ToolResult(ToolResult),
    /// An image as base64 data with its media type.
    Image {
        /// For example `image/png`.
        media_type: String,
        /// Base64.
        data: String,
    },
    /// A block of any other type (thinking, documents, …), kept as it came.
    Other(Value),
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The text, if this is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number of characters that count against result limits.
    pub fn char_len(&self) -> usize {
        match self {
            Self::Text(text) => text.chars().count(),
            Self::Image { data, .. } => data.len(),
            other => serde_json::to_string(other).map_or(0, |text| text.chars().count()),
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Wire<'a> {
    Text { text: &'a str },
    ToolUse(&'a ToolUse),
    ToolResult(&'a ToolResult),
    Image { source: ImageSource<'a> },
}

#[derive(Serialize)]
struct ImageSource<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: &'a str,
}

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => Wire::Text { text }.serialize(serializer),
            Self::ToolUse(block) => Wire::ToolUse(block).serialize(serializer),
            Self::ToolResult(block) => Wire::ToolResult(block).serialize(serializer),
            Self::Image { media_type, data } => {
                Wire::Image { source: ImageSource { r#type: "base64", media_type, data } }.serialize(serializer)
            }
            Self::Other(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let value = Value::deserialize(deserializer)?;
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
        match kind {
            "text" => match value.get("text").and_then(Value::as_str) {
                Some(text) if value.as_object().is_some_and(|map| map.len() == 2) => Ok(Self::Text(text.to_owned())),
                Some(_) => Ok(Self::Other(value)),
                None => Err(D::Error::custom("a text block needs a `text` string")),
            },
            "tool_use" => ToolUse::deserialize(&value).map(Self::ToolUse).map_err(D::Error::custom),
            "tool_result" => ToolResult::deserialize(&value).map(Self::ToolResult).map_err(D::Error::custom),
            "image" => {
                let field = |name| value.pointer(name).and_then(Value::as_str).map(str::to_owned);
                match (field("/source/media_type"), field("/source/data")) {
                    (Some(media_type), Some(data)) => Ok(Self::Image { media_type, data }),
                    _ => Ok(Self::Other(value)),
                }
            }
            "" => Err(D::Error::custom("a content block needs a `type` string")),
            _ => Ok(Self::Other(value)),
        }
    }
}

fn content_or_string<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ContentBlock>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Content {
        Text(String),
        Blocks(Vec<ContentBlock>),
    }
    Ok(match Content::deserialize(deserializer)? {
        Content::Text(text) => vec![ContentBlock::Text(text)],
        Content::Blocks(blocks) => blocks,
    })
}

fn string_or_blocks<S: Serializer>(content: &[ContentBlock], serializer: S) -> Result<S::Ok, S::Error> {
    match content {
        [ContentBlock::Text(text)] => text.serialize(serializer),
        blocks => blocks.serialize(serializer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_text_block_is_written_as_a_string_and_read_back() {
        let result = ToolResult { tool_use_id: "t".into(), content: vec![ContentBlock::text("hi")], is_error: false };
        let value = serde_json::to_value(&result).unwrap();
        assert_eq!(value, json!({"tool_use_id": "t", "content": "hi"}));
        assert_eq!(serde_json::from_value::<ToolResult>(value).unwrap(), result);
    }

    #[test]
    fn unknown_blocks_survive_unchanged() {
        let value = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
        let block: ContentBlock = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(block).unwrap(), value);
    }
}
