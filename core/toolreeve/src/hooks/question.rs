//! Hooks that are answered by somebody else: `prompt` and `agent` by a model, `mcp_tool` by a server. Owns the questions
//! and what the answers mean.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::Value;
use toolreeve_engine::host::{HookInput, HookOutcome, HostError};
use toolreeve_permission::{Behavior, HookVerdict};

use super::exit::{Ended, broken, interpret};

/// How often an agent that answers a hook may ask its model.
pub const MAX_AGENT_HOOK_TURNS: usize = 50;

/// A question of a `prompt` or `agent` hook.
#[derive(Debug, Clone, PartialEq)]
pub struct HookQuestion {
    /// Whether an agent is to find out, with tools that only read and at most [`MAX_AGENT_HOOK_TURNS`] requests; else one
    /// request to a model has to do.
    pub by_agent: bool,
    /// The question, with the input in it.
    pub prompt: String,
    /// Which model, if the hook says so.
    pub model: Option<String>,
}

/// Answers `prompt` and `agent` hooks. The host brings one, or `prompt` hooks are answered by the agent's own model.
pub trait HookJudge: Send + Sync {
    /// Answers with `{"ok": true}`, or `{"ok": false, "reason": "…"}`. The future is dropped when the hook's time is up.
    fn judge(&self, question: HookQuestion) -> BoxFuture<'_, Result<Value, HostError>>;
}

/// Calls tools of MCP servers for `mcp_tool` hooks.
pub trait HookMcp: Send + Sync {
    /// Calls a tool and returns its text. The future is dropped when the hook's time is up.
    fn call(&self, server: String, tool: String, input: Value) -> BoxFuture<'_, Result<String, HostError>>;
}

/// Asks a judge.
pub(super) async fn ask(
    judge: Option<&Arc<dyn HookJudge>>,
    question: HookQuestion,
    continue_on_block: bool,
    input: &HookInput,
) -> HookOutcome {
    let event = input.event.name();
    let kind = if question.by_agent { "agent" } else { "prompt" };
    let Some(judge) = judge else { return broken(event, format!("there is nobody to answer {kind} hooks")) };
    match judge.judge(question).await {
        Ok(answer) => read(event, answer, continue_on_block),
        Err(error) => broken(event, error.message),
    }
}

fn read(event: &str, answer: Value, continue_on_block: bool) -> HookOutcome {
    #[derive(Deserialize)]
    struct Answer {
        ok: bool,
        #[serde(default)]
        reason: Option<String>,
        #[serde(default)]
        impossible: bool,
    }
    let Answer { ok, reason, impossible } = match serde_json::from_value(answer) {
        Ok(answer) => answer,
        Err(error) => return broken(event, format!("the answer is not {{\"ok\": …}}: {error}")),
    };
    if ok || (impossible && matches!(event, "Stop" | "SubagentStop")) {
        // What can never be reached must not keep the model going.
        return HookOutcome::default();
    }
    let message = reason.unwrap_or_default();
    let ends_turn = matches!(event, "PostToolUse" | "PostToolUseFailure") && !continue_on_block;
    HookOutcome {
        stop: ends_turn.then(|| message.clone()),
        verdict: Some(HookVerdict { behavior: Behavior::Deny, message }),
        ..HookOutcome::default()
    }
}

/// Calls a tool of a server; its text is read like the stdout of a program that succeeded.
pub(super) async fn call(
    mcp: Option<&Arc<dyn HookMcp>>,
    server: &str,
    tool: &str,
    arguments: &Value,
    input: &HookInput,
) -> HookOutcome {
    let event = input.event.name();
    let Some(mcp) = mcp else {
        return super::exit::failure(format!("there is no MCP server {server:?} to call {tool:?} on"));
    };
    let arguments = filled_in(arguments, &input.to_json());
    match mcp.call(server.to_owned(), tool.to_owned(), arguments).await {
        Ok(text) => interpret(event, &Ended { code: Some(0), stdout: &text, stderr: "", is_cut: false }),
        Err(error) => super::exit::failure(error.message),
    }
}

/// The input with every `${path}` replaced by the value at that path of the hook's input, for example
/// `${tool_input.command}`. A text that is nothing but one `${path}` keeps the value's type.
fn filled_in(arguments: &Value, input: &Value) -> Value {
    let at = |path: &str| path.split('.').try_fold(input, |value, name| value.get(name));
    match arguments {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), filled_in(value, input))).collect(),
        Value::Array(items) => items.iter().map(|item| filled_in(item, input)).collect(),
        Value::String(text) => {
            if let Some(path) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
                && !path.contains("${")
            {
                return at(path).cloned().unwrap_or(Value::Null);
            }
            let mut out = String::new();
            let mut rest = text.as_str();
            while let Some((before, behind)) = rest.split_once("${") {
                out.push_str(before);
                let Some((path, after)) = behind.split_once('}') else {
                    out.push_str("${");
                    rest = behind;
                    continue;
                };
                match at(path) {
                    Some(Value::String(text)) => out.push_str(text),
                    Some(value) => out.push_str(&value.to_string()),
                    None => {}
                }
                rest = after;
            }
            out.push_str(rest);
            Value::String(out)
        }
        other => other.clone(),
    }
}

/// The question with the hook's input in place of `$ARGUMENTS`, or behind it.
pub(super) fn with_arguments(prompt: &str, input: &HookInput) -> String {
    let json = input.to_json().to_string();
    match prompt.contains("$ARGUMENTS") {
        true => prompt.replace("$ARGUMENTS", &json),
        false => format!("{prompt}\n\n{json}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_are_filled_in() {
        let input = json!({"tool_name": "Bash", "tool_input": {"command": "ls", "n": 3}});
        let arguments = json!({"a": "${tool_input.n}", "b": ["x ${tool_name}: ${tool_input.command}!"], "c": "${none}", "d": "${x"});
        let expected = json!({"a": 3, "b": ["x Bash: ls!"], "c": null, "d": "${x"});
        assert_eq!(filled_in(&arguments, &input), expected);
    }
}
