//! Stages 6 and 8: from whatever happened to the one outcome of a call.

use super::{CallOutcome, Pipeline};
use crate::error::{ErrorKind, ToolError};
use crate::exec::cancel::CancelReason;
use crate::message::{ContentBlock, ToolResult, ToolUse};
use crate::result::spill_if_large;
use crate::tool::{DynData, DynOutput, DynTool, ToolInput};

/// The failure of a call that was stopped or never started, by reason.
pub(super) fn cancelled_error(reason: CancelReason) -> ToolError {
    let text = match reason {
        CancelReason::User => "The user interrupted this call.",
        CancelReason::SiblingError => "Cancelled: another call of the same message failed.",
        CancelReason::Discarded => "Cancelled: the model's answer was discarded.",
        CancelReason::Timeout => "Cancelled: the time limit of the turn was reached.",
        CancelReason::Shutdown => "Cancelled: the session ended.",
    };
    ToolError::new(ErrorKind::Cancelled(reason), text)
}

/// An outcome that is a failure.
pub(super) fn failed(id: &str, target: Option<(&dyn DynTool, &ToolInput)>, error: ToolError) -> CallOutcome {
    let render = target.map(|(tool, input)| match error.kind {
        ErrorKind::PermissionDenied => tool.render_rejected(input),
        _ => tool.render_error(&error.message),
    });
    let content = vec![ContentBlock::Text(format!("<tool_use_error>{}</tool_use_error>", error.message))];
    CallOutcome {
        result: ToolResult { tool_use_id: id.to_owned(), content, is_error: true },
        render,
        error: Some(error),
        additional_context: Vec::new(),
        new_messages: Vec::new(),
        context_change: None,
        cancels_siblings: false,
        interrupts_turn: false,
    }
}

/// Stage 6: maps what the tool answered. The data stays beside the outcome for the hooks.
pub(super) async fn from_call(
    pipeline: &Pipeline,
    tool_use: &ToolUse,
    tool: &dyn DynTool,
    input: &ToolInput,
    called: Result<DynOutput, ToolError>,
) -> (CallOutcome, Option<Box<dyn DynData>>) {
    let DynOutput { data, is_error, new_messages, context_change } = match called {
        Ok(output) => output,
        Err(error) => {
            let stopped = matches!(error.kind, ErrorKind::Cancelled(_));
            let cancels_siblings = !stopped && tool.failure_cancels_siblings(input);
            let outcome = failed(&tool_use.id, Some((tool, input)), error);
            return (CallOutcome { cancels_siblings, ..outcome }, None);
        }
    };
    let mapped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (data.content(), data.render())));
    let Ok((content, render)) = mapped else {
        let text = format!("{} finished, but its result could not be put into words.", tool.name());
        return (failed(&tool_use.id, None, ToolError::new(ErrorKind::Panicked, text)), None);
    };
    let mut result = ToolResult { tool_use_id: tool_use.id.clone(), content, is_error };
    if result.content.iter().all(|block| block.as_text().is_some_and(str::is_empty)) {
        // The model must not take silence for a missing result.
        result.content = vec![ContentBlock::Text(format!("({} finished without output)", tool.name()))];
    }
    spill_if_large(&mut result, tool.max_result_size(), pipeline.session.spill_dir()).await;
    let outcome = CallOutcome {
        error: is_error.then(|| ToolError::failed(result.text())),
        result,
        render: Some(render),
        additional_context: Vec::new(),
        new_messages,
        context_change,
        cancels_siblings: is_error && tool.failure_cancels_siblings(input),
        interrupts_turn: false,
    };
    (outcome, Some(data))
}

/// Stage 8: adds what may belong to any outcome: the notice about an older name, and what hooks said before the call.
pub(super) fn complete(
    tool: &dyn DynTool,
    by_alias: bool,
    used_name: &str,
    mut additional_context: Vec<String>,
    outcome: &mut CallOutcome,
) {
    if by_alias {
        let note = format!("(The tool {used_name} is now named {}. Use that name from now on.)", tool.name());
        outcome.result.content.push(ContentBlock::Text(note));
    }
    additional_context.append(&mut outcome.additional_context);
    outcome.additional_context = additional_context;
}
