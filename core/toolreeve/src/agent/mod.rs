//! The agent loop: asks the model, runs the tools it wants while it still streams, answers, until it wants no more.
//!
//! `run` is the loop, `turn` one request with its calls, `resume` what waited for an approval, `hooked` what hooks hear of
//! the conversation, `stream` the adapter of the model's events.

mod hooked;
mod resume;
mod run;
pub mod stream;
mod turn;

use std::sync::Arc;

use tokio::sync::mpsc;
use toolreeve_engine::hooks::{HookAnswer, HookEvent, HookScene};
use toolreeve_engine::host::{Host, ModelStream};
use toolreeve_engine::{
    CancelReason, CancelToken, Event, EventSink, Message, Pipeline, PoolOptions, Session, ToolPool, ToolRegistry,
    assemble_pool,
};

use crate::hooks::HookProblem;

/// What an agent is made of. Built by [`crate::AgentBuilder`].
pub(crate) struct Parts {
    pub(crate) model: Arc<dyn ModelStream>,
    pub(crate) registry: Arc<ToolRegistry>,
    pub(crate) host: Host,
    pub(crate) session: Arc<Session>,
    pub(crate) pool_options: PoolOptions,
    pub(crate) system: Option<String>,
    pub(crate) max_turns: Option<usize>,
    pub(crate) messages: tokio::sync::Mutex<Vec<Message>>,
    /// Whether hooks heard of the session's start and end.
    pub(crate) life: hooked::Life,
    /// What is wrong with the hooks of settings files.
    pub(crate) hook_problems: Vec<HookProblem>,
}

/// A conversation with tools. Cheap to clone; clones share the conversation.
#[derive(Clone)]
pub struct Agent {
    parts: Arc<Parts>,
}

impl Agent {
    pub(crate) fn from_parts(parts: Parts) -> Self {
        Self { parts: Arc::new(parts) }
    }

    /// Begins to work on a prompt and returns its events. The work goes on whether or not events are taken; it stops
    /// when the [`Run`] is dropped. Must be called inside of a tokio runtime. Runs of one agent wait for each other.
    pub fn run(&self, prompt: impl Into<String>) -> Run {
        let (run, sink, cancel) = Run::new();
        self.start(prompt.into(), sink, cancel);
        run
    }

    /// Goes on with a conversation whose last calls wait for approvals: those that are answered now
    /// ([`Approvals::answer`](toolreeve_engine::Approvals::answer)) run or are refused, their results take the place of
    /// the note that they wait, and the model is asked again once none waits any more. Otherwise the run ends as
    /// `deferred` again. Must be called inside of a tokio runtime.
    pub fn resume(&self) -> Run {
        let (run, sink, cancel) = Run::new();
        self.start_resumed(sink, cancel);
        run
    }

    /// Like [`Agent::run`], with the host's own sink and cancel token. The last event is always [`Event::Done`].
    pub fn start(&self, prompt: String, events: EventSink, cancel: CancelToken) {
        self.begin(run::Begin::Prompt(prompt), events, cancel);
    }

    /// Like [`Agent::resume`], with the host's own sink and cancel token.
    pub fn start_resumed(&self, events: EventSink, cancel: CancelToken) {
        self.begin(run::Begin::Approvals, events, cancel);
    }

    fn begin(&self, begin: run::Begin, events: EventSink, cancel: CancelToken) {
        let parts = Arc::clone(&self.parts);
        tokio::spawn(async move { run::run(&parts, begin, events, cancel).await });
    }

    /// The conversation so far, in the shape of the model's API. Waits for a run that is under way.
    pub async fn messages(&self) -> Vec<Message> {
        self.parts.messages.lock().await.clone()
    }

    /// The conversation so far, or `None` while a run is under way.
    pub fn try_messages(&self) -> Option<Vec<Message>> {
        self.parts.messages.try_lock().ok().map(|messages| messages.clone())
    }

    /// The session: rules, mode, directories.
    pub fn session(&self) -> &Arc<Session> {
        &self.parts.session
    }

    /// What is wrong with the hooks of the settings files: these hooks, or these parts of them, do not count.
    pub fn hook_problems(&self) -> &[HookProblem] {
        &self.parts.hook_problems
    }

    /// Raises an event for the hooks: one that happens outside of this library, such as PreCompact or ConfigChange. Hooks
    /// that want it run beside each other; what they say to the person goes to `events`. Never fails.
    pub async fn raise_hook(&self, event: HookEvent, events: &EventSink) -> HookAnswer {
        self.parts.scene(events).raise(event).await
    }

    /// Tells the hooks that the session is over (SessionEnd), for example `other` or `prompt_input_exit`. Hosts call it
    /// when they are done with the agent; it does something only once, and only if a prompt was worked on.
    pub async fn end_session(&self, reason: &str, events: &EventSink) {
        if self.parts.life.end() {
            self.raise_hook(HookEvent::SessionEnd { reason: reason.to_owned() }, events).await;
        }
    }

    /// What the model is told about the tools it may use now: the `specs` verb.
    pub fn specs(&self) -> Vec<toolreeve_engine::ToolSpec> {
        self.parts.pool().specs()
    }

    /// Judges a call without running it and without asking anybody: the `check` verb.
    ///
    /// # Errors
    /// If there is no such tool or the input does not fit it.
    pub async fn check(
        &self,
        tool: &str,
        input: &serde_json::Value,
    ) -> Result<toolreeve_permission::Decision, toolreeve_engine::ToolError> {
        self.parts.pipeline(self.parts.pool(), EventSink::none()).check(tool, input).await
    }

    /// Runs calls that did not come from this agent's model, in batches, and returns one result for each in order: the
    /// `call` verb.
    pub async fn call(
        &self,
        calls: Vec<toolreeve_engine::ToolUse>,
        events: EventSink,
        cancel: &CancelToken,
    ) -> Vec<toolreeve_engine::ToolResult> {
        let pipeline = Arc::new(self.parts.pipeline(self.parts.pool(), events));
        let calls = calls.into_iter().map(toolreeve_engine::RequestedCall::new).collect();
        let variable = std::env::var(toolreeve_engine::exec::batch::MAX_CONCURRENCY_VARIABLE).ok();
        let cap = toolreeve_engine::exec::batch::max_concurrency(variable.as_deref());
        let outcomes = toolreeve_engine::run_batches(&pipeline, calls, cancel, cap).await;
        outcomes.into_iter().map(|outcome| outcome.result).collect()
    }
}

impl Parts {
    fn scene<'a>(&'a self, events: &'a EventSink) -> HookScene<'a> {
        HookScene::new(&self.host.hooks, &self.session, events)
    }

    fn pool(&self) -> ToolPool {
        assemble_pool(&self.registry, &self.session.context().policy, &self.pool_options)
    }

    fn pipeline(&self, pool: ToolPool, events: EventSink) -> Pipeline {
        Pipeline::new(Arc::clone(&self.registry), pool, self.host.clone(), Arc::clone(&self.session), events)
    }
}

/// A run under way: its events as they happen, and the means to stop it. Dropping it stops the work and whatever the
/// work started.
pub struct Run {
    events: mpsc::UnboundedReceiver<Event>,
    cancel: CancelToken,
}

impl Run {
    fn new() -> (Self, EventSink, CancelToken) {
        let (sender, events) = mpsc::unbounded_channel();
        // The receiver is gone only when the run is being dropped, and then nobody wants the event.
        let sink = EventSink::new(move |event| drop(sender.send(event)));
        let cancel = CancelToken::new();
        (Self { events, cancel: cancel.clone() }, sink, cancel)
    }

    /// The next event; `None` behind [`Event::Done`]. Cancel safe.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// Stops the run as the person would: running calls are cancelled (unless they must finish), each request still
    /// gets its result, and the conversation stays valid for the next prompt.
    pub fn interrupt(&self) {
        self.cancel.cancel(CancelReason::User);
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.cancel.cancel(CancelReason::Shutdown);
    }
}
