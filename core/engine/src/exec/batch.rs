//! Runs a finished list of calls in batches (seeds 4.5, 5.3): neighbours that are concurrency-safe together, at most
//! `cap` at once; every other call alone. Changes of the context wait for the end of their batch and are then applied
//! in the order of the calls.

use std::sync::Arc;

use super::cancel::CancelToken;
use super::gate::Gate;
use super::streaming::{ContextChanges, StreamingExecutor};
use crate::pipeline::{CallOutcome, Pipeline, RequestedCall};

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
    // The gate lets exactly the batches of `partition` run: safe neighbours together, every other call alone.
    let gate = Gate::with_cap(cap);
    let mut executor = StreamingExecutor::with_rules(Arc::clone(pipeline), turn, gate, ContextChanges::QueuedPerBatch);
    executor.stream_ended();
    let mut outcomes = Vec::with_capacity(calls.len());
    for call in calls {
        executor.push(call);
    }
    while let Some(outcome) = executor.next().await {
        outcomes.push(outcome);
    }
    outcomes
}
