//! Runs calls while the model still streams: a call starts the moment its block is complete and the gate lets it, and
//! results leave in the order of the model's output. No numeric cap, no polling: `next` sleeps until a call ends.
//! The batch executor is the same machine with a cap and with changes of the context that wait.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;

use super::cancel::{CancelReason, CancelToken};
use super::gate::{CallIndex, Gate};
use super::ordered::Ordered;
use crate::context::ContextChange;
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
    id: Arc<str>,
    concurrency_safe: bool,
    state: CallState,
    /// Taken when the call starts.
    prepared: Option<PreparedCall>,
    /// Taken when the call ends.
    task: Option<AbortHandle>,
}

/// Which changes of the context are honoured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ContextChanges {
    /// Those of calls that ran alone: nothing else can have looked at the context meanwhile.
    OfExclusiveCalls,
    /// All; those of concurrent calls wait for the end of their batch and are applied in the order of the calls.
    QueuedPerBatch,
}

/// What a task reports when it ends.
struct Finished {
    index: CallIndex,
    /// `None` if the task ended without an outcome, for example because the runtime shuts down.
    outcome: Option<Box<CallOutcome>>,
}

/// The duty of a task to report, whatever becomes of it.
struct Report {
    index: CallIndex,
    outcome: Option<Box<CallOutcome>>,
    to: UnboundedSender<Finished>,
}

impl Report {
    fn give(mut self, outcome: Box<CallOutcome>) {
        self.outcome = Some(outcome);
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        // The receiver is only gone if nobody waits for the outcome any more.
        let _ = self.to.send(Finished { index: self.index, outcome: self.outcome.take() });
    }
}

/// The streaming executor of one answer of the model. Must be used inside of a tokio runtime. Dropping it stops every
/// call; what they started dies with them.
pub struct StreamingExecutor {
    pipeline: Arc<Pipeline>,
    gate: Gate,
    ordered: Ordered<Box<CallOutcome>>,
    calls: Vec<Tracked>,
    finished: UnboundedReceiver<Finished>,
    /// Kept so that the channel never closes; each running call has a clone.
    report: UnboundedSender<Finished>,
    /// turn > siblings > call
    siblings: CancelToken,
    changes: ContextChanges,
    held_changes: BTreeMap<CallIndex, ContextChange>,
    streaming: bool,
    yielded: usize,
}

impl StreamingExecutor {
    /// An executor whose calls are cancelled when `turn` is.
    pub fn new(pipeline: Arc<Pipeline>, turn: &CancelToken) -> Self {
        Self::with_rules(pipeline, turn, Gate::new(), ContextChanges::OfExclusiveCalls)
    }

    pub(super) fn with_rules(pipeline: Arc<Pipeline>, turn: &CancelToken, gate: Gate, changes: ContextChanges) -> Self {
        let (report, finished) = unbounded_channel();
        Self {
            pipeline,
            gate,
            ordered: Ordered::default(),
            calls: Vec::new(),
            finished,
            report,
            siblings: turn.child(),
            changes,
            held_changes: BTreeMap::new(),
            streaming: true,
            yielded: 0,
        }
    }

    /// Takes a complete block. It starts at once if the gate lets it.
    pub fn push(&mut self, call: RequestedCall) {
        // Whoever only pushes must not hold back what may start because another call has ended.
        while let Ok(finished) = self.finished.try_recv() {
            self.complete(finished);
        }
        let prepared = self.pipeline.prepare(call);
        let (id, concurrency_safe) = (Arc::clone(&prepared.id), prepared.concurrency_safe);
        let index = self.gate.push(concurrency_safe);
        // Gate, slots and list number the calls alike because all three grow here and only here.
        self.ordered.reserve();
        let prepared = Some(prepared);
        self.calls.push(Tracked { id, concurrency_safe, state: CallState::Queued, prepared, task: None });
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

    /// Where each call is, in the order of the model's output, as far as the executor has heard.
    pub fn states(&self) -> impl Iterator<Item = CallState> {
        self.calls.iter().map(|call| call.state)
    }

    /// The next result in the model's order; `None` once every call pushed so far has given its own. What waits for
    /// another call to end starts while this is awaited (or at the next push). Cancel safe: dropping the future loses
    /// nothing.
    pub async fn next(&mut self) -> Option<CallOutcome> {
        loop {
            if let Some(outcome) = self.ordered.pop() {
                self.calls[self.yielded].state = CallState::Yielded;
                self.yielded += 1;
                self.pipeline.announce_result(&outcome);
                return Some(*outcome);
            }
            if !self.has_pending() {
                return None;
            }
            let finished = self.finished.recv().await?;
            self.complete(finished);
        }
    }

    /// Gives the attempt up: what is queued never starts, what runs is cancelled, and each still gets its result.
    /// Returns the ids of the calls whose results have not left, and those whose results have, for tombstones.
    pub fn discard(&mut self) -> Vec<String> {
        self.siblings.cancel(CancelReason::Discarded);
        self.refuse_queued(CancelReason::Discarded);
        self.calls.iter().map(|call| call.id.to_string()).collect()
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
        let while_streaming = self.streaming;
        self.pipeline.events().send_with(|| Event::ToolStart { id: call.id.to_string(), while_streaming });
        let (pipeline, siblings) = (Arc::clone(&self.pipeline), self.siblings.clone());
        let report = Report { index, outcome: None, to: self.report.clone() };
        let task = tokio::spawn(async move {
            let outcome = pipeline.run_boxed(&prepared, &siblings.child()).await;
            // Said here and not when the report is read, so that neither waits for a slow consumer.
            pipeline.events().send_with(|| Event::ToolEnd { id: prepared.id.to_string() });
            if outcome.interrupts_turn {
                siblings.cancel(CancelReason::User);
            }
            if outcome.cancels_siblings {
                siblings.cancel(CancelReason::SiblingError);
            }
            report.give(outcome);
        });
        call.task = Some(task.abort_handle());
    }

    fn complete(&mut self, Finished { index, outcome }: Finished) {
        let call = &mut self.calls[index];
        call.state = CallState::Completed;
        call.task = None;
        self.gate.complete(call.concurrency_safe);
        let mut outcome = outcome.unwrap_or_else(|| pipeline::lost(&call.id));
        if let Some(change) = outcome.context_change.take()
            && (!call.concurrency_safe || self.changes == ContextChanges::QueuedPerBatch)
        {
            self.held_changes.insert(index, change);
        }
        self.ordered.fill(index, outcome);
        if self.gate.batch_is_over() {
            for change in std::mem::take(&mut self.held_changes).into_values() {
                self.pipeline.session().apply_change(change, self.pipeline.events());
            }
        }
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
}

impl Drop for StreamingExecutor {
    fn drop(&mut self) {
        self.siblings.cancel(CancelReason::Shutdown);
        for task in self.calls.iter().filter_map(|call| call.task.as_ref()) {
            task.abort();
        }
    }
}
