//! Runs calls while the model still streams: a call starts the moment its block is complete and the gate lets it, and
//! results leave in the order of the model's output. No numeric cap, no polling: `next` sleeps until a call ends.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::cancel::{CancelReason, CancelToken};
use super::gate::{CallIndex, Gate};
use super::ordered::Ordered;
use crate::event::Event;
use crate::pipeline::{self, CallOutcome, Pipeline, PreparedCall, RequestedCall};

/// Where a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallState {
    /// It waits for the gate.
    Queued,
    /// It runs.
    Executing,
    /// It has its result, which waits for its turn.
    Completed,
    /// Its result has left.
    Yielded,
}

struct Tracked {
    /// Taken when the call starts.
    prepared: Option<PreparedCall>,
    id: String,
    concurrency_safe: bool,
    state: CallState,
}

/// The streaming executor of one answer of the model. Must be used inside of a tokio runtime. Dropping it stops every
/// call; what they started dies with them.
pub struct StreamingExecutor {
    pipeline: Arc<Pipeline>,
    gate: Gate,
    ordered: Ordered<CallOutcome>,
    calls: Vec<Tracked>,
    running: JoinSet<(CallIndex, CallOutcome)>,
    /// turn > siblings > call
    siblings: CancelToken,
    /// Above the calls that an interruption by the person does not stop.
    attempt: CancelToken,
    streaming: bool,
    yielded: usize,
}

impl StreamingExecutor {
    /// An executor whose calls are cancelled when `turn` is.
    pub fn new(pipeline: Arc<Pipeline>, turn: &CancelToken) -> Self {
        Self {
            pipeline,
            gate: Gate::new(),
            ordered: Ordered::default(),
            calls: Vec::new(),
            running: JoinSet::new(),
            siblings: turn.child(),
            attempt: CancelToken::new(),
            streaming: true,
            yielded: 0,
        }
    }

    /// Takes a complete block. It starts at once if the gate lets it.
    pub fn push(&mut self, call: RequestedCall) {
        let prepared = self.pipeline.prepare(call);
        let concurrency_safe = prepared.concurrency_safe;
        let index = self.gate.push(concurrency_safe);
        // Gate, slots and list number the calls alike because all three grow here and only here.
        self.ordered.reserve();
        let id = prepared.tool_use.id.clone();
        self.calls.push(Tracked { prepared: Some(prepared), id, concurrency_safe, state: CallState::Queued });
        debug_assert_eq!(index + 1, self.calls.len());
        self.start_ready();
    }

    /// Says that the model's answer is complete. Only events care.
    pub fn stream_ended(&mut self) {
        self.streaming = false;
    }

    /// Whether results are still to come.
    pub fn has_pending(&self) -> bool {
        self.yielded < self.calls.len()
    }

    /// The next result in the model's order; `None` once every call pushed so far has given its own. Cancel safe:
    /// dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<CallOutcome> {
        loop {
            if let Some(outcome) = self.ordered.pop() {
                self.calls[self.yielded].state = CallState::Yielded;
                self.yielded += 1;
                self.pipeline.announce_result(&outcome);
                return Some(outcome);
            }
            if !self.has_pending() {
                return None;
            }
            match self.running.join_next().await {
                Some(Ok((index, outcome))) => self.completed(index, outcome),
                // A task that vanished without an outcome, or none at all though one is owed: give each its result.
                Some(Err(_)) | None => self.close_lost(),
            }
        }
    }

    /// Gives the attempt up: what is queued never starts, what runs is cancelled, and each still gets its result.
    /// Returns the ids of the calls whose results have not left, and those whose results have, for tombstones.
    pub fn discard(&mut self) -> Vec<String> {
        self.siblings.cancel(CancelReason::Discarded);
        self.attempt.cancel(CancelReason::Discarded);
        self.refuse_queued(CancelReason::Discarded);
        self.calls.iter().map(|call| call.id.clone()).collect()
    }

    fn start_ready(&mut self) {
        if let Some(reason) = self.siblings.reason() {
            self.refuse_queued(reason);
            return;
        }
        while let Some(index) = self.gate.start_next() {
            self.start(index);
        }
    }

    fn start(&mut self, index: CallIndex) {
        let call = &mut self.calls[index];
        let Some(prepared) = call.prepared.take() else { return };
        call.state = CallState::Executing;
        let cancel = if prepared.stops_on_interrupt { self.siblings.child() } else { self.attempt.child() };
        self.pipeline.events().send(Event::ToolStart { id: call.id.clone(), while_streaming: self.streaming });
        let pipeline = Arc::clone(&self.pipeline);
        self.running.spawn(async move { (index, pipeline.run(prepared, cancel).await) });
    }

    fn completed(&mut self, index: CallIndex, mut outcome: CallOutcome) {
        let call = &mut self.calls[index];
        call.state = CallState::Completed;
        self.pipeline.events().send(Event::ToolEnd { id: call.id.clone() });
        self.gate.complete(call.concurrency_safe);
        // Only a call that ran alone may change the context: nothing else can have looked at it meanwhile.
        if let Some(change) = outcome.context_change.take()
            && !call.concurrency_safe
        {
            self.pipeline.session().update_context(|context| change.apply(context));
        }
        if outcome.cancels_siblings {
            self.siblings.cancel(CancelReason::SiblingError);
        }
        self.ordered.fill(index, outcome);
        self.start_ready();
    }

    fn refuse_queued(&mut self, reason: CancelReason) {
        for index in self.gate.drain() {
            let call = &mut self.calls[index];
            call.prepared = None;
            call.state = CallState::Completed;
            self.ordered.fill(index, pipeline::never_started(&call.id, reason));
        }
    }

    fn close_lost(&mut self) {
        for (index, call) in self.calls.iter_mut().enumerate() {
            if call.state == CallState::Executing && self.running.is_empty() {
                call.state = CallState::Completed;
                self.gate.complete(call.concurrency_safe);
                self.ordered.fill(index, pipeline::lost(&call.id));
            }
        }
        self.start_ready();
    }
}

impl Drop for StreamingExecutor {
    fn drop(&mut self) {
        self.siblings.cancel(CancelReason::Shutdown);
        self.attempt.cancel(CancelReason::Shutdown);
    }
}
