//! Stages 6 and 8: from whatever happened to the one outcome of a call.

use super::{CallOutcome, Refusal};
use crate::error::{ErrorKind, ToolError};
use crate::exec::cancel::CancelReason;
use crate::message::{ContentBlock, ToolResult};
use crate::tool::{DynData, DynOutput, DynTool, ToolInput, ToolOutput};

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
pub(super) fn failed(id: &str, target: Option<(&dyn DynTool, &ToolInput)>, error: ToolError) -> Box<CallOutcome> {
    let render = target.map(|(tool, input)| match error.kind {
        ErrorKind::PermissionDenied => tool.render_rejected(input),
        _ => tool.render_error(&error.message),
    });
    let content = vec![ContentBlock::Text(format!("<tool_use_error>{}</tool_use_error>", error.message))];
    Box::new(CallOutcome {
        result: ToolResult { tool_use_id: id.to_owned(), content, is_error: true },
        render,
        error: Some(error),
        additional_context: Vec::new(),
        new_messages: Vec::new(),
        context_change: None,
        cancels_siblings: false,
        interrupts_turn: false,
        stop: None,
    })
}

/// Stage 6: maps what the tool answered. The data stays beside the outcome for the hooks.
pub(super) fn from_call(
    id: &str,
    tool: &dyn DynTool,
    input: &ToolInput,
    called: Result<DynOutput, ToolError>,
) -> (Box<CallOutcome>, Option<Box<dyn DynData>>) {
    let ToolOutput { data, is_error, new_messages, context_change } = match called {
        Ok(output) => output,
        Err(error) => {
            let stopped = matches!(error.kind, ErrorKind::Cancelled(_));
            let cancels_siblings = !stopped && tool.failure_cancels_siblings(input);
            let mut outcome = failed(id, Some((tool, input)), error);
            outcome.cancels_siblings = cancels_siblings;
            return (outcome, None);
        }
    };
    let cancels_siblings = is_error && tool.failure_cancels_siblings(input);
    let Some(mut content) = guarded(|| data.content()) else {
        let text = format!("{} finished, but its result could not be put into words.", tool.name());
        let failure = failed(id, None, ToolError::new(ErrorKind::Panicked, text));
        // The work was done, so what it changed holds.
        return (Box::new(CallOutcome { new_messages, context_change, cancels_siblings, ..*failure }), None);
    };
    if content.iter().all(|block| block.as_text().is_some_and(str::is_empty)) {
        // The model must not take silence for a missing result.
        content = vec![ContentBlock::Text(format!("({} finished without output)", tool.name()))];
    }
    let result = ToolResult { tool_use_id: id.to_owned(), content, is_error };
    let outcome = Box::new(CallOutcome {
        error: is_error.then(|| ToolError::failed(result.text())),
        result,
        render: guarded(|| data.render()),
        additional_context: Vec::new(),
        new_messages,
        context_change,
        cancels_siblings,
        interrupts_turn: false,
        stop: None,
    });
    (outcome, Some(data))
}

/// Runs code of the tool's author; `None` if it panics.
fn guarded<R>(code: impl FnOnce() -> R) -> Option<R> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(code)).ok()
}

/// The outcome of a call that was not let run.
pub(super) fn refused(id: &str, tool: &dyn DynTool, input: &ToolInput, refusal: Refusal) -> Box<CallOutcome> {
    let mut outcome = failed(id, Some((tool, input)), *refusal.error);
    outcome.interrupts_turn = refusal.interrupts_turn;
    outcome.additional_context = refusal.additional_context;
    outcome.stop = refusal.stop;
    outcome
}

/// Stage 8: puts what hooks said before the call in front of what they said after it.
pub(super) fn put_first(mut before: Vec<String>, outcome: &mut CallOutcome) {
    if !before.is_empty() {
        before.append(&mut outcome.additional_context);
        outcome.additional_context = before;
    }
}

/// Stage 8: tells a model that used an older name what the tool is called now.
pub(super) fn add_notice(name: &str, older_name: &str, outcome: &mut CallOutcome) {
    let note = format!("(The tool {older_name} is now named {name}. Use that name from now on.)");
    outcome.result.content.push(ContentBlock::Text(note));
}
