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
pub(super) fn from_call(
    id: &str,
    tool: &dyn DynTool,
    input: &ToolInput,
    called: Result<DynOutput, ToolError>,
) -> (CallOutcome, Option<Box<dyn DynData>>) {
    let ToolOutput { data, is_error, new_messages, context_change } = match called {
        Ok(output) => output,
        Err(error) => {
            let stopped = matches!(error.kind, ErrorKind::Cancelled(_));
            let cancels_siblings = !stopped && tool.failure_cancels_siblings(input);
            let outcome = failed(id, Some((tool, input)), error);
            return (CallOutcome { cancels_siblings, ..outcome }, None);
        }
    };
    let cancels_siblings = is_error && tool.failure_cancels_siblings(input);
    let Some(mut content) = guarded(|| data.content()) else {
        let text = format!("{} finished, but its result could not be put into words.", tool.name());
        let outcome = failed(id, None, ToolError::new(ErrorKind::Panicked, text));
        // The work was done, so what it changed holds.
        return (CallOutcome { new_messages, context_change, cancels_siblings, ..outcome }, None);
    };
    if content.iter().all(|block| block.as_text().is_some_and(str::is_empty)) {
        // The model must not take silence for a missing result.
        content = vec![ContentBlock::Text(format!("({} finished without output)", tool.name()))];
    }
    let result = ToolResult { tool_use_id: id.to_owned(), content, is_error };
    let outcome = CallOutcome {
        error: is_error.then(|| ToolError::failed(result.text())),
        result,
        render: guarded(|| data.render()),
        additional_context: Vec::new(),
        new_messages,
        context_change,
        cancels_siblings,
        interrupts_turn: false,
    };
    (outcome, Some(data))
}

/// Runs code of the tool's author; `None` if it panics.
fn guarded<R>(code: impl FnOnce() -> R) -> Option<R> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(code)).ok()
}

/// The outcome of a call that was not let run.
pub(super) fn refused(id: &str, tool: &dyn DynTool, input: &ToolInput, refusal: Refusal) -> CallOutcome {
    let Refusal { error, interrupts_turn, additional_context } = refusal;
    CallOutcome { interrupts_turn, additional_context, ..failed(id, Some((tool, input)), *error) }
}

/// Stage 8: adds what hooks said before the call to what they said after it.
pub(super) fn with_context(mut before: Vec<String>, outcome: CallOutcome) -> CallOutcome {
    if before.is_empty() {
        return outcome;
    }
    before.extend(outcome.additional_context);
    CallOutcome { additional_context: before, ..outcome }
}

/// Stage 8: tells a model that used an older name what the tool is called now.
pub(super) fn add_notice(name: &str, older_name: &str, outcome: &mut CallOutcome) {
    let note = format!("(The tool {older_name} is now named {name}. Use that name from now on.)");
    outcome.result.content.push(ContentBlock::Text(note));
}
