//! Runs a finished list of calls in batches (seeds 4.5, 5.3): neighbours that are concurrency-safe together, at most
//! `cap` at once; every other call alone. Changes of the context wait for the end of their batch and are then applied
//! in the order of the calls.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;

use super::cancel::{CancelReason, CancelToken};
use super::partition::partition;
use crate::event::Event;
use crate::pipeline::{self, CallOutcome, Pipeline, PreparedCall, RequestedCall};

/// How many calls of a batch run at once unless the host says otherwise.
pub const DEFAULT_MAX_CONCURRENCY: usize = 10;
/// The environment variable that overrides it; hosts read it and pass its value to [`max_concurrency`].
pub const MAX_CONCURRENCY_VARIABLE: &str = "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY";

/// The cap from the text of the environment variable; anything but a positive number is the default.
pub fn max_concurrency(variable: Option<&str>) -> usize {
    variable.and_then(|text| text.trim().parse().ok()).filter(|&cap: &usize| cap > 0).unwrap_or(DEFAULT_MAX_CONCURRENCY)
}

/// Runs the calls and returns their outcomes in order, one for each. Dropping the future stops every call.
pub async fn run_batches(
    pipeline: &Arc<Pipeline>,
    calls: Vec<RequestedCall>,
    turn: &CancelToken,
    cap: usize,
) -> Vec<CallOutcome> {
    let prepared: Vec<PreparedCall> = calls.into_iter().map(|call| pipeline.prepare(call)).collect();
    let safe: Vec<bool> = prepared.iter().map(|call| call.concurrency_safe).collect();
    let siblings = turn.child();
    let mut rest = prepared.into_iter();
    let mut outcomes = Vec::with_capacity(safe.len());
    for batch in partition(&safe) {
        let calls: Vec<PreparedCall> = rest.by_ref().take(batch.calls.len()).collect();
        let mut finished = run_batch(pipeline, calls, &siblings, cap.max(1)).await;
        for outcome in &mut finished {
            if let Some(change) = outcome.context_change.take() {
                pipeline.session().update_context(|context| change.apply(context));
            }
        }
        outcomes.append(&mut finished);
    }
    outcomes
}

async fn run_batch(
    pipeline: &Arc<Pipeline>,
    calls: Vec<PreparedCall>,
    siblings: &CancelToken,
    cap: usize,
) -> Vec<CallOutcome> {
    let mut waiting = calls.into_iter();
    let mut running = FuturesOrdered::new();
    let mut outcomes = Vec::new();
    // The permits, not the ordered queue, hold the cap: a slow first call must not keep finished places empty.
    let places = Arc::new(tokio::sync::Semaphore::new(cap));
    for call in waiting.by_ref() {
        let (pipeline, siblings, places) = (Arc::clone(pipeline), siblings.clone(), Arc::clone(&places));
        let id = call.tool_use.id.clone();
        // A task each, so that they really run beside each other; aborted if this future is dropped.
        let mut task = tokio::task::JoinSet::new();
        task.spawn(async move {
            let place = places.acquire_owned().await;
            if let Some(reason) = siblings.reason() {
                return pipeline::never_started(&call.tool_use.id, reason);
            }
            pipeline.events().send(Event::ToolStart { id: call.tool_use.id.clone(), while_streaming: false });
            let id = call.tool_use.id.clone();
            let outcome = pipeline.run(call, siblings.child()).await;
            pipeline.events().send(Event::ToolEnd { id });
            if outcome.cancels_siblings {
                siblings.cancel(CancelReason::SiblingError);
            }
            drop(place);
            outcome
        });
        running.push_back(async move {
            match task.join_next().await {
                Some(Ok(outcome)) => outcome,
                _ => pipeline::lost(&id),
            }
        });
    }
    while let Some(outcome) = running.next().await {
        pipeline.announce_result(&outcome);
        outcomes.push(outcome);
    }
    outcomes
}
