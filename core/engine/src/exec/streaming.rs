//! Runs calls while the model still streams: a call starts the moment its block is complete and the gate lets it, and
//! results leave in the order of the model's output. No numeric cap, no polling: `next` sleeps until the next result in
//! order is there. Whatever ends lets the next ones start itself, so nothing waits for a slow consumer of results. The
//! batch executor is the same machine with a cap and with changes of the context that wait.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use tokio::task::AbortHandle;

use super::cancel::{CancelReason, CancelToken};
use super::gate::{CallIndex, Footprint, Gate};
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
    state: CallState,
    /// Taken when the call starts.
    prepared: Option<PreparedCall>,
    /// Taken when the call ends.
    task: Option<AbortHandle>,
    /// Woken when a held call may begin to work.
    held: Option<Waker>,
}

/// Which changes of the context are honoured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ContextChanges {
    /// Those of calls that ran alone: nothing else can have looked at the context meanwhile.
    OfExclusiveCalls,
    /// All; those of concurrent calls wait for the end of their batch and are applied in the order of the calls.
    QueuedPerBatch,
}

/// What changes while calls run. Nothing of the host's or of a tool's runs while it is locked, and no task is spawned.
struct State {
    gate: Gate,
    ordered: Ordered<Box<CallOutcome>>,
    calls: Vec<Tracked>,
    held_changes: BTreeMap<CallIndex, ContextChange>,
    /// Changes of the context are being applied; what comes next must see them.
    is_changing: bool,
    /// The executor is gone, or its runtime: nothing starts any more.
    is_closed: bool,
    is_streaming: bool,
    yielded: usize,
    /// Who waits for the next result.
    consumer: Option<Waker>,
}

impl State {
    fn has_pending(&self) -> bool {
        self.yielded < self.calls.len()
    }

    fn refuse_queued(&mut self, reason: CancelReason) {
        for index in self.gate.drain() {
            let call = &mut self.calls[index];
            call.prepared = None;
            call.state = CallState::Completed;
            self.ordered.fill(index, pipeline::never_started(&call.id, reason));
        }
    }

    /// Whoever is to be woken because the next result is there.
    fn consumer_of_next(&mut self) -> Option<Waker> {
        if self.ordered.is_ready() { self.consumer.take() } else { None }
    }
}

/// What the executor and its tasks share.
struct Shared {
    pipeline: Arc<Pipeline>,
    /// turn > siblings > call
    siblings: CancelToken,
    changes: ContextChanges,
    state: Mutex<State>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts whatever may start, and lets held calls begin that may.
    fn start_ready(self: &Arc<Self>) {
        loop {
            let mut state = self.state();
            if state.is_changing {
                return;
            }
            if let Some(index) = state.gate.begin_next() {
                let held = state.calls[index].held.take();
                drop(state);
                held.into_iter().for_each(Waker::wake);
                continue;
            }
            let closed = state.is_closed.then_some(CancelReason::Shutdown);
            if let Some(reason) = closed.or_else(|| self.siblings.reason()) {
                state.refuse_queued(reason);
                let consumer = state.consumer_of_next();
                drop(state);
                consumer.into_iter().for_each(Waker::wake);
                return;
            }
            let Some(index) = state.gate.start_next() else { return };
            let while_streaming = state.is_streaming;
            let call = &mut state.calls[index];
            call.state = CallState::Executing;
            let Some(prepared) = call.prepared.take() else { return };
            drop(state);
            self.start(index, prepared, while_streaming);
        }
    }

    fn start(self: &Arc<Self>, index: CallIndex, prepared: PreparedCall, while_streaming: bool) {
        let events = self.pipeline.events();
        events.send_with(|| Event::ToolStart { id: prepared.id.to_string(), while_streaming });
        let place = Place { shared: Arc::clone(self), index, has_reported: false };
        let task = tokio::spawn(async move {
            let shared = Arc::clone(&place.shared);
            let outcome = shared.pipeline.run_boxed(&prepared, &shared.siblings.child(), Some(&place)).await;
            // Said here and not when the result leaves, so that it does not wait for a slow consumer.
            shared.pipeline.events().send_with(|| Event::ToolEnd { id: prepared.id.to_string() });
            if outcome.interrupts_turn {
                shared.siblings.cancel(CancelReason::User);
            }
            if outcome.cancels_siblings {
                shared.siblings.cancel(CancelReason::SiblingError);
            }
            place.report(outcome);
        });
        let mut state = self.state();
        if state.is_closed {
            drop(state);
            task.abort();
        } else if let call @ Tracked { state: CallState::Executing, .. } = &mut state.calls[index] {
            call.task = Some(task.abort_handle());
        }
    }

    fn complete(self: &Arc<Self>, index: CallIndex, mut outcome: Box<CallOutcome>) {
        let mut state = self.state();
        let ran_alone = state.gate.runs_alone(index);
        state.gate.complete(index);
        if let Some(change) = outcome.context_change.take()
            && (ran_alone || self.changes == ContextChanges::QueuedPerBatch)
        {
            state.held_changes.insert(index, change);
        }
        if !state.held_changes.is_empty() && state.gate.batch_is_over() {
            let changes = std::mem::take(&mut state.held_changes);
            state.is_changing = true;
            drop(state);
            // The tool's code, so without the lock. Nothing runs, and nothing starts before it is done.
            for change in changes.into_values() {
                self.pipeline.session().apply_change(change, self.pipeline.events());
            }
            state = self.state();
            state.is_changing = false;
        }
        let call = &mut state.calls[index];
        call.state = CallState::Completed;
        call.task = None;
        state.ordered.fill(index, outcome);
        let consumer = state.consumer_of_next();
        drop(state);
        consumer.into_iter().for_each(Waker::wake);
        self.start_ready();
    }

    /// A task ended without an outcome: it was aborted or its runtime shuts down. Nothing more can run, and spawning
    /// from here would go as deep as the queue is long.
    fn lose(&self, index: CallIndex) {
        let mut state = self.state();
        state.is_closed = true;
        state.gate.complete(index);
        let call = &mut state.calls[index];
        call.state = CallState::Completed;
        let outcome = pipeline::lost(&call.id);
        state.ordered.fill(index, outcome);
        state.refuse_queued(CancelReason::Shutdown);
        let consumer = state.consumer_of_next();
        drop(state);
        consumer.into_iter().for_each(Waker::wake);
    }
}

/// The place of a started call: it tells the executor how far the call is, and that it ended, whatever becomes of it.
pub(crate) struct Place {
    shared: Arc<Shared>,
    index: CallIndex,
    has_reported: bool,
}

impl Place {
    /// The call is permitted, with this final footprint if it may differ from the first. Waits until it may begin to
    /// work.
    pub(crate) async fn settled(&self, last: Option<Footprint>) {
        let (shared, index) = (&self.shared, self.index);
        let (may_begin, others_wait) = {
            let mut state = shared.state();
            (state.gate.settle(index, last.as_ref()), state.gate.waiting() > 0)
        };
        if others_wait {
            shared.start_ready();
        }
        if may_begin {
            return;
        }
        poll_fn(|cx| {
            let mut state = shared.state();
            if state.gate.is_working(index) {
                return Poll::Ready(());
            }
            state.calls[index].held = Some(cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn report(mut self, outcome: Box<CallOutcome>) {
        self.has_reported = true;
        self.shared.complete(self.index, outcome);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.has_reported {
            self.shared.lose(self.index);
        }
    }
}

/// The streaming executor of one answer of the model. Must be used inside of a tokio runtime. Dropping it stops every
/// call; what they started dies with them.
pub struct StreamingExecutor {
    shared: Arc<Shared>,
}

impl StreamingExecutor {
    /// An executor whose calls are cancelled when `turn` is.
    pub fn new(pipeline: Arc<Pipeline>, turn: &CancelToken) -> Self {
        Self::with_rules(pipeline, turn, Gate::new(), ContextChanges::OfExclusiveCalls)
    }

    pub(super) fn with_rules(pipeline: Arc<Pipeline>, turn: &CancelToken, gate: Gate, changes: ContextChanges) -> Self {
        let state = State {
            gate,
            ordered: Ordered::default(),
            calls: Vec::new(),
            held_changes: BTreeMap::new(),
            is_changing: false,
            is_closed: false,
            is_streaming: true,
            yielded: 0,
            consumer: None,
        };
        Self { shared: Arc::new(Shared { pipeline, siblings: turn.child(), changes, state: Mutex::new(state) }) }
    }

    /// Takes a complete block. It starts at once if the gate lets it.
    pub fn push(&mut self, call: RequestedCall) {
        let mut prepared = self.shared.pipeline.prepare(call);
        if self.shared.changes == ContextChanges::QueuedPerBatch {
            // Batches are cut by concurrency safety alone (seeds 5.2).
            prepared.footprint.resources = None;
        }
        let mut state = self.shared.state();
        let index = state.gate.push(&prepared.footprint);
        // Gate, slots and list number the calls alike because all three grow here and only here.
        state.ordered.reserve();
        let id = Arc::clone(&prepared.id);
        let prepared = Some(prepared);
        state.calls.push(Tracked { id, state: CallState::Queued, prepared, task: None, held: None });
        debug_assert_eq!(index + 1, state.calls.len());
        drop(state);
        self.shared.start_ready();
    }

    /// Says that the model's answer is complete. Only events care.
    pub fn stream_ended(&mut self) {
        self.shared.state().is_streaming = false;
    }

    /// Whether results are still to come.
    pub fn has_pending(&self) -> bool {
        self.shared.state().has_pending()
    }

    /// Where each call is, in the order of the model's output.
    pub fn states(&self) -> Vec<CallState> {
        self.shared.state().calls.iter().map(|call| call.state).collect()
    }

    /// The next result in the model's order; `None` once every call pushed so far has given its own. Calls start and
    /// end whether or not this is awaited. Cancel safe: dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<CallOutcome> {
        let outcome = poll_fn(|cx| {
            let mut state = self.shared.state();
            if let Some(outcome) = state.ordered.pop() {
                let at = state.yielded;
                state.calls[at].state = CallState::Yielded;
                state.yielded += 1;
                return Poll::Ready(Some(outcome));
            }
            if !state.has_pending() {
                return Poll::Ready(None);
            }
            state.consumer = Some(cx.waker().clone());
            Poll::Pending
        })
        .await?;
        self.shared.pipeline.announce_result(&outcome);
        Some(*outcome)
    }

    /// Gives the attempt up: what is queued never starts, what runs is cancelled, and each still gets its result.
    /// Returns the ids of all calls, whether or not their results have left, for [`Event::Tombstone`].
    pub fn discard(&mut self) -> Vec<String> {
        self.shared.siblings.cancel(CancelReason::Discarded);
        let mut state = self.shared.state();
        state.refuse_queued(CancelReason::Discarded);
        state.calls.iter().map(|call| call.id.to_string()).collect()
    }
}

impl Drop for StreamingExecutor {
    fn drop(&mut self) {
        self.shared.siblings.cancel(CancelReason::Shutdown);
        let mut state = self.shared.state();
        state.is_closed = true;
        let tasks: Vec<AbortHandle> = state.calls.iter_mut().filter_map(|call| call.task.take()).collect();
        drop(state);
        tasks.iter().for_each(AbortHandle::abort);
    }
}
