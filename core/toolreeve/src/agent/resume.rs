//! Takes a conversation up where it waits for approvals: runs the calls that are answered now and puts their results in
//! the place of the note that they wait. Owns that exchange; approvals themselves are the engine's.

use std::sync::Arc;

use toolreeve_engine::exec::batch::DEFAULT_MAX_CONCURRENCY;
use toolreeve_engine::{
    CallOutcome, CancelToken, ContentBlock, ErrorKind, Message, Pipeline, RequestedCall, Role, ToolResult, ToolUse,
    result::apply_message_budget, run_batches,
};

/// What became of the calls that waited.
pub(super) enum Resumed {
    /// No call at the end of the conversation waits for an approval.
    Nothing,
    /// Some still wait.
    StillWaiting,
    /// All are done; the model can be asked again.
    Done(Vec<CallOutcome>),
}

/// Whether a call was put off.
pub(super) fn is_deferred(outcome: &CallOutcome) -> bool {
    outcome.error.as_ref().is_some_and(|error| error.kind == ErrorKind::Deferred)
}

/// Runs what is answered.
pub(super) async fn resume(messages: &mut Vec<Message>, pipeline: &Arc<Pipeline>, cancel: &CancelToken) -> Resumed {
    let approvals = pipeline.session().approvals().pending();
    let waits = |id: &str| approvals.iter().find(|approval| approval.id == id);
    let [.., asked, answered] = messages.as_mut_slice() else { return Resumed::Nothing };
    if asked.role != Role::Assistant || answered.role != Role::User {
        return Resumed::Nothing;
    }
    let waiting: Vec<&ToolUse> =
        asked.content.iter().filter_map(tool_use).filter(|call| waits(&call.id).is_some()).collect();
    if waiting.is_empty() {
        return Resumed::Nothing;
    }
    let ready: Vec<RequestedCall> = waiting
        .iter()
        .filter(|call| waits(&call.id).is_some_and(|approval| approval.answer.is_some()))
        .map(|call| RequestedCall::new((*call).clone()))
        .collect();
    let some_wait = ready.len() < waiting.len();
    let mut outcomes = run_batches(pipeline, ready, cancel, DEFAULT_MAX_CONCURRENCY).await;
    let mut results: Vec<ToolResult> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
    apply_message_budget(&mut results, pipeline.session().spill_dir()).await;
    for result in results {
        let place = answered.content.iter_mut().find_map(|block| match block {
            ContentBlock::ToolResult(old) if old.tool_use_id == result.tool_use_id => Some(old),
            _ => None,
        });
        if let Some(place) = place {
            *place = result;
        }
    }
    let notes = outcomes.iter_mut().flat_map(|outcome| outcome.additional_context.drain(..));
    answered.content.extend(notes.map(ContentBlock::Text));
    messages.extend(outcomes.iter_mut().flat_map(|outcome| outcome.new_messages.drain(..)));
    if some_wait || outcomes.iter().any(is_deferred) {
        return Resumed::StillWaiting;
    }
    Resumed::Done(outcomes)
}

fn tool_use(block: &ContentBlock) -> Option<&ToolUse> {
    match block {
        ContentBlock::ToolUse(call) => Some(call),
        _ => None,
    }
}
