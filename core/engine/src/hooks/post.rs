//! Stage 7: PostToolUse after a success, PostToolUseFailure after a failure of the work itself. Not for unknown tools,
//! invalid input, denials and cancelled calls. They may add context and replace the output; they cannot undo.

use serde_json::Value;

use super::run_matching;
use crate::error::ErrorKind;
use crate::host::HookEvent;
use crate::message::{ContentBlock, ToolUse};
use crate::pipeline::{CallOutcome, Pipeline};
use crate::tool::{DynData, DynTool, ToolInput};

/// Runs the hooks.
pub(crate) async fn run(
    pipeline: &Pipeline,
    tool_use: &ToolUse,
    tool: &dyn DynTool,
    input: &ToolInput,
    outcome: &mut CallOutcome,
    data: Option<&dyn DynData>,
) {
    let hooks = pipeline.hooks();
    if hooks.is_empty() {
        return;
    }
    let (tool_name, tool_use_id) = (tool.name().to_owned(), tool_use.id.clone());
    let tool_input = input.value.as_ref().clone();
    let event = match &outcome.error {
        None => {
            let tool_response = data.map_or(Value::Null, DynData::structured);
            HookEvent::PostToolUse { tool_name, tool_input, tool_response, tool_use_id }
        }
        Some(error) if matches!(error.kind, ErrorKind::Cancelled(_)) => return,
        Some(error) => {
            HookEvent::PostToolUseFailure { tool_name, tool_input, error: error.message.clone(), tool_use_id }
        }
    };
    for answer in run_matching(hooks, tool.name(), event).await {
        match answer {
            Ok(answer) => {
                outcome.additional_context.extend(answer.additional_context);
                if let Some(updated) = answer.updated_output.filter(|_| outcome.error.is_none()) {
                    let text = match updated {
                        Value::String(text) => text,
                        other => other.to_string(),
                    };
                    outcome.result.content = vec![ContentBlock::Text(text)];
                }
            }
            Err(error) => outcome.additional_context.push(format!("A hook after {} failed: {error}", tool.name())),
        }
    }
}
