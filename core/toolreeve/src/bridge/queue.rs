//! The queue of requests to the host, its descriptor, and the table of answers that are still owed.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use toolreeve_engine::host::{
    ClassifierVerdict, HookOutcome, HostError, ModelChunk, ModelRequest, PromptAnswer, PromptRequest,
};
use toolreeve_engine::{Event, EventSink, HostOutput, ToolError};

/// Names a request; unique within a bridge and never 0.
pub type RequestId = u64;

/// Something the library wants of the host.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "request", rename_all = "snake_case")]
#[non_exhaustive]
pub enum HostRequest {
    /// Ask the model. Answer with [`Bridge::model_chunk`] as often as wanted, then [`Bridge::model_end`] or
    /// [`Bridge::model_fail`].
    Model {
        /// The request's id.
        id: RequestId,
        /// What to ask.
        body: Box<ModelRequest>,
    },
    /// Run a host-written tool. Answer with [`Bridge::answer_tool`]; [`Bridge::tool_progress`] before that.
    Tool {
        /// The request's id.
        id: RequestId,
        /// The tool.
        name: String,
        /// The input, coerced and valid.
        input: Value,
        /// The id of the model's request.
        tool_use_id: String,
    },
    /// Ask the person. Answer with [`Bridge::answer_permission`].
    Permission {
        /// The request's id.
        id: RequestId,
        /// The question.
        prompt: Box<PromptRequest>,
    },
    /// Run a hook. Answer with [`Bridge::answer_hook`].
    Hook {
        /// The request's id.
        id: RequestId,
        /// The number of the hook in the configuration.
        hook: usize,
        /// What it reads, in the shape of the public hook input.
        input: Value,
    },
    /// Judge a call by its meaning. Answer with [`Bridge::answer_classifier`].
    Classifier {
        /// The request's id.
        id: RequestId,
        /// The tool.
        tool_name: String,
        /// What there is to read; never empty.
        input: String,
    },
    /// The answer to an earlier request is no longer wanted; one that comes all the same is passed over.
    Cancel {
        /// The earlier request.
        id: RequestId,
    },
    /// Something happened in a run.
    Event {
        /// The run.
        run: u64,
        /// What happened.
        event: Event,
    },
}

/// Where an answer goes.
pub(super) enum Waiting {
    Model(mpsc::UnboundedSender<Result<ModelChunk, HostError>>),
    Tool { answer: oneshot::Sender<Result<HostOutput, ToolError>>, tool_use_id: Arc<str>, events: EventSink },
    Permission(oneshot::Sender<Result<PromptAnswer, HostError>>),
    Hook(oneshot::Sender<Result<HookOutcome, HostError>>),
    Classifier(oneshot::Sender<Result<ClassifierVerdict, HostError>>),
}

#[derive(Default)]
struct State {
    queue: VecDeque<HostRequest>,
    waiting: HashMap<RequestId, Waiting>,
    /// The descriptor is readable.
    signalled: bool,
    /// Nobody will answer any more.
    closed: bool,
}

/// The queue with its descriptor. Cheap to clone; clones are the same queue.
#[derive(Clone)]
pub struct Bridge {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    next_id: AtomicU64,
    wake: Wake,
    /// The process that made the bridge. A forked child shares the descriptor but has none of the threads.
    process: u32,
}

impl Bridge {
    /// Makes a queue and its descriptor.
    ///
    /// # Errors
    /// If the system gives no descriptor.
    pub fn new() -> io::Result<Self> {
        let shared = Shared {
            state: Mutex::default(),
            next_id: AtomicU64::new(1),
            wake: Wake::new()?,
            process: std::process::id(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Whether this process is a forked child of the one that made the bridge. Nothing works there: the threads of the
    /// library stayed behind.
    pub fn is_forked(&self) -> bool {
        self.shared.process != std::process::id()
    }

    /// The descriptor: readable while there is something to take. For `poll`, GLib, Qt, libuv, asyncio. Watch it, but
    /// never read from it or close it.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.shared.wake.readable()
    }

    /// Takes up to `max` requests, in order. Never blocks.
    pub fn take(&self, max: usize) -> Vec<HostRequest> {
        let mut state = self.state();
        let count = max.min(state.queue.len());
        let taken = state.queue.drain(..count).collect();
        // A closed bridge stays readable, so that nobody who waits sleeps on.
        if state.queue.is_empty() && !state.closed && std::mem::take(&mut state.signalled) {
            self.shared.wake.clear();
        }
        taken
    }

    /// Waits until there is something to take, at most `timeout` (`None`: without end). Returns whether there is. For
    /// hosts without a loop of their own.
    ///
    /// # Errors
    /// If a signal interrupts the wait (`ErrorKind::Interrupted`), so that the host can look at its own signals.
    pub fn wait(&self, timeout: Option<Duration>) -> io::Result<bool> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let left = deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            Timespec { tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: left.subsec_nanos().into() }
        });
        let fd = self.fd();
        let mut fds = [PollFd::new(&fd, PollFlags::IN)];
        Ok(poll(&mut fds, left.as_ref())? > 0)
    }

    /// Hands over a piece of a model's answer. Returns whether it is still wanted.
    pub fn model_chunk(&self, id: RequestId, chunk: ModelChunk) -> bool {
        let state = self.state();
        match state.waiting.get(&id) {
            Some(Waiting::Model(chunks)) => chunks.send(Ok(chunk)).is_ok(),
            _ => false,
        }
    }

    /// Hands over several pieces at once. Returns whether they are still wanted.
    pub fn model_chunks(&self, id: RequestId, pieces: impl IntoIterator<Item = ModelChunk>) -> bool {
        let state = self.state();
        match state.waiting.get(&id) {
            Some(Waiting::Model(chunks)) => pieces.into_iter().all(|chunk| chunks.send(Ok(chunk)).is_ok()),
            _ => false,
        }
    }

    /// The model's answer is complete. Returns whether anybody waited for it.
    pub fn model_end(&self, id: RequestId) -> bool {
        self.settle(id, |waiting| matches!(waiting, Waiting::Model(_))).is_some()
    }

    /// The model's answer failed. Returns whether anybody waited for it.
    pub fn model_fail(&self, id: RequestId, message: impl Into<String>) -> bool {
        match self.settle(id, |waiting| matches!(waiting, Waiting::Model(_))) {
            Some(Waiting::Model(chunks)) => chunks.send(Err(HostError::new(message))).is_ok(),
            _ => false,
        }
    }

    /// Answers a tool. Returns whether anybody waited for it.
    pub fn answer_tool(&self, id: RequestId, result: Result<HostOutput, ToolError>) -> bool {
        match self.settle(id, |waiting| matches!(waiting, Waiting::Tool { .. })) {
            Some(Waiting::Tool { answer, .. }) => answer.send(result).is_ok(),
            _ => false,
        }
    }

    /// Answers many tools at once.
    pub fn answer_tools(&self, results: impl IntoIterator<Item = (RequestId, Result<HostOutput, ToolError>)>) {
        for (id, result) in results {
            self.answer_tool(id, result);
        }
    }

    /// Reports progress of a tool. Returns whether the tool still runs.
    pub fn tool_progress(&self, id: RequestId, data: Value) -> bool {
        let found = match self.state().waiting.get(&id) {
            Some(Waiting::Tool { tool_use_id, events, .. }) => Some((tool_use_id.to_string(), events.clone())),
            _ => None,
        };
        // The sink may be this very queue, so the lock is gone by now.
        found.is_some_and(|(id, events)| {
            events.send(Event::ToolProgress { id, data });
            true
        })
    }

    /// Answers a permission question. Returns whether anybody waited for it.
    pub fn answer_permission(&self, id: RequestId, answer: Result<PromptAnswer, HostError>) -> bool {
        match self.settle(id, |waiting| matches!(waiting, Waiting::Permission(_))) {
            Some(Waiting::Permission(sender)) => sender.send(answer).is_ok(),
            _ => false,
        }
    }

    /// Answers for a hook. Returns whether anybody waited for it.
    pub fn answer_hook(&self, id: RequestId, answer: Result<HookOutcome, HostError>) -> bool {
        match self.settle(id, |waiting| matches!(waiting, Waiting::Hook(_))) {
            Some(Waiting::Hook(sender)) => sender.send(answer).is_ok(),
            _ => false,
        }
    }

    /// Answers for the classifier. Returns whether anybody waited for it.
    pub fn answer_classifier(&self, id: RequestId, verdict: Result<ClassifierVerdict, HostError>) -> bool {
        match self.settle(id, |waiting| matches!(waiting, Waiting::Classifier(_))) {
            Some(Waiting::Classifier(sender)) => sender.send(verdict).is_ok(),
            _ => false,
        }
    }

    /// A sink that queues the events of a run.
    pub fn events(&self, run: u64) -> EventSink {
        let bridge = self.clone();
        EventSink::new(move |event| bridge.push(HostRequest::Event { run, event }))
    }

    /// Nobody will answer any more: whoever waits gets a failure, and so does whoever asks from now on. The descriptor
    /// is readable from now on.
    pub fn close(&self) {
        let waiting = {
            let mut state = self.state();
            state.closed = true;
            if !std::mem::replace(&mut state.signalled, true) {
                self.shared.wake.signal();
            }
            std::mem::take(&mut state.waiting)
        };
        // Dropping the senders wakes the waiting futures, so it happens outside of the lock.
        drop(waiting);
    }

    pub(super) fn new_id(&self) -> RequestId {
        self.shared.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Queues a request for which `waiting` expects the answer. The guard withdraws it when it is dropped.
    pub(super) fn ask(&self, id: RequestId, waiting: Waiting, request: HostRequest) -> AskGuard {
        let mut state = self.state();
        if !state.closed {
            state.waiting.insert(id, waiting);
            self.push_locked(&mut state, request);
        }
        AskGuard { bridge: self.clone(), id }
    }

    fn push(&self, request: HostRequest) {
        self.push_locked(&mut self.state(), request);
    }

    fn push_locked(&self, state: &mut State, request: HostRequest) {
        state.queue.push_back(request);
        if !std::mem::replace(&mut state.signalled, true) {
            self.shared.wake.signal();
        }
    }

    fn settle(&self, id: RequestId, fits: impl Fn(&Waiting) -> bool) -> Option<Waiting> {
        let mut state = self.state();
        if state.waiting.get(&id).is_some_and(fits) { state.waiting.remove(&id) } else { None }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Withdraws a request when nobody waits for its answer any more.
pub(super) struct AskGuard {
    bridge: Bridge,
    id: RequestId,
}

impl Drop for AskGuard {
    fn drop(&mut self) {
        let mut state = self.bridge.state();
        if state.waiting.remove(&self.id).is_some() {
            self.bridge.push_locked(&mut state, HostRequest::Cancel { id: self.id });
        }
    }
}

/// What makes the descriptor readable: an eventfd where there is one, else a pipe.
struct Wake {
    reader: OwnedFd,
    #[cfg(not(target_os = "linux"))]
    writer: OwnedFd,
}

impl Wake {
    #[cfg(target_os = "linux")]
    fn new() -> io::Result<Self> {
        use rustix::event::{EventfdFlags, eventfd};
        Ok(Self { reader: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)? })
    }

    #[cfg(not(target_os = "linux"))]
    fn new() -> io::Result<Self> {
        use rustix::io::{FdFlags, fcntl_setfd, ioctl_fionbio};
        let (reader, writer) = rustix::pipe::pipe()?;
        for end in [&reader, &writer] {
            fcntl_setfd(end, FdFlags::CLOEXEC)?;
            ioctl_fionbio(end, true)?;
        }
        Ok(Self { reader, writer })
    }

    fn readable(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }

    fn signal(&self) {
        #[cfg(target_os = "linux")]
        let writer = &self.reader;
        #[cfg(not(target_os = "linux"))]
        let writer = &self.writer;
        // It can fail only when it is full, and then it is readable already.
        let _ = rustix::io::write(writer, &1_u64.to_ne_bytes());
    }

    fn clear(&self) {
        // One signal is at most eight bytes, and there is at most one (see `signalled`).
        let _ = rustix::io::read(&self.reader, &mut [0_u8; 8]);
    }
}
