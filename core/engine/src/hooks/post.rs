//! Stage 7: PostToolUse after a success, PostToolUseFailure after a failure of the work itself. Not for unknown tools,
//! invalid input, denials and cancelled calls. They may add context and replace the output; they cannot undo.

use serde_json::Value;

use super::{matching, run_all};
use crate::context::CallContext;
use crate::error::ErrorKind;
use crate::host::HookEvent;
use crate::message::ContentBlock;
use crate::pipeline::{CallOutcome, Pipeline};
use crate::tool::{DynData, DynTool, ToolInput};

/// Runs the hooks.
pub(crate) async fn run(
    pipeline: &Pipeline,
    tool: &dyn DynTool,
    input: &ToolInput,
    ctx: &CallContext,
    outcome: &mut CallOutcome,
    data: Option<&dyn DynData>,
) {
    let name = match &outcome.error {
        None => "PostToolUse",
        Some(error) if matches!(error.kind, ErrorKind::Cancelled(_)) => return,
        Some(_) => "PostToolUseFailure",
    };
    let hooks = matching(pipeline.hooks(), name, tool.name());
    if hooks.is_empty() {
        return;
    }
    let (tool_name, tool_use_id) = (tool.name().to_owned(), ctx.tool_use_id.to_string());
    let tool_input = input.value.as_ref().clone();
    let event = match &outcome.error {
        None => {
            let structured = std::panic::AssertUnwindSafe(|| data.map_or(Value::Null, DynData::structured));
            let tool_response = std::panic::catch_unwind(structured).unwrap_or(Value::Null);
            HookEvent::PostToolUse { tool_name, tool_input, tool_response, tool_use_id }
        }
        Some(error) => {
            HookEvent::PostToolUseFailure { tool_name, tool_input, error: error.message.clone(), tool_use_id }
        }
    };
    for answer in run_all(hooks, &event).await {
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
