//! Stage 7: PostToolUse after a success, PostToolUseFailure after a failure of the work itself. Not for unknown tools,
//! invalid input, denials and cancelled calls. They may add context, replace the output and stop the run; they cannot
//! undo: what one says that "blocks" is told to the model.

use std::time::Duration;

use serde_json::Value;

use super::HookEvent;
use crate::context::CallContext;
use crate::error::ErrorKind;
use crate::message::ContentBlock;
use crate::pipeline::{CallOutcome, Pipeline};
use crate::tool::{DynData, DynTool, ToolInput};

/// Runs the hooks. `took` is how long the work took.
pub(crate) async fn run(
    pipeline: &Pipeline,
    tool: &dyn DynTool,
    input: &ToolInput,
    ctx: &CallContext,
    outcome: &mut CallOutcome,
    data: Option<&dyn DynData>,
    took: Duration,
) {
    let name = match &outcome.error {
        None => "PostToolUse",
        Some(error) if matches!(error.kind, ErrorKind::Cancelled(_)) => return,
        Some(_) => "PostToolUseFailure",
    };
    let scene = pipeline.scene();
    if !scene.wants(name, tool.name()) {
        return;
    }
    let (tool_name, tool_use_id) = (tool.name().to_owned(), ctx.tool_use_id.to_string());
    let tool_input = super::observable_input(tool, input, input.value.as_ref().clone(), &ctx.context);
    let duration_ms = took.as_millis().try_into().unwrap_or(u64::MAX);
    let event = match &outcome.error {
        None => {
            let structured = std::panic::AssertUnwindSafe(|| data.map_or(Value::Null, DynData::structured));
            let tool_response = std::panic::catch_unwind(structured).unwrap_or(Value::Null);
            HookEvent::PostToolUse { tool_name, tool_input, tool_response, tool_use_id, duration_ms }
        }
        Some(error) => HookEvent::PostToolUseFailure {
            tool_name,
            tool_input,
            error: error.message.clone(),
            tool_use_id,
            duration_ms,
        },
    };
    let answer = scene.raise(event).await;
    outcome.additional_context.extend(answer.additional_context);
    if let Some(updated) = answer.updated_output.filter(|_| outcome.error.is_none()) {
        let text = match updated {
            Value::String(text) => text,
            other => other.to_string(),
        };
        outcome.result.content = vec![ContentBlock::Text(text)];
    }
    outcome.stop = answer.stop.or(outcome.stop.take());
}
