//! Stub tools, stub hosts and a world to put them in. What a stub does is in its input and its settings.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use toolreeve_engine::host::{
    Classifier, ClassifierVerdict, Hook, HookEvent, HookInput, HookOutcome, Host, HostError, PermissionPrompt,
    PromptAnswer, PromptRequest,
};
use toolreeve_engine::{
    CallContext, CallOutcome, CallSubject, CancelReason, CancelToken, ContentBlock, Context, ContextChange, DynTool,
    Event, EventSink, Message, Origin, Pipeline, PoolOptions, RenderNode, RequestedCall, ResultLimit, Session,
    StreamingExecutor, Tool, ToolError, ToolOutput, ToolRegistry, ToolUse, Validation, assemble_pool, erase,
};
use toolreeve_permission::{Behavior, OwnCheck, PermissionMode, Policy, RuleSource};

/// How a stub ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum End {
    #[default]
    Ok,
    /// An `Err`.
    Error,
    /// An output that is marked as an error.
    BadOutput,
    Panic,
    /// Never, unless it is cancelled.
    Hang,
    /// Never, and deaf to its cancel token.
    Deaf,
    /// With an output that is empty.
    Empty,
    /// With a change of the context: `text` becomes a variable of the environment.
    Change,
    /// With a change of the context that panics.
    BadChange,
}

/// What a stub is asked to do.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Work {
    /// How long it takes.
    pub(crate) ms: u32,
    /// How it ends.
    pub(crate) end: End,
    /// What it says; a progress report before the work if it starts with `progress`.
    pub(crate) text: String,
    /// Whether it runs alone, whatever the stub is.
    pub(crate) alone: bool,
}

/// What was seen of the calls, with the virtual time since the world began.
#[derive(Clone)]
pub(crate) struct Log {
    began: Instant,
    lines: Arc<Mutex<Vec<(u64, String)>>>,
    alive: Arc<AtomicUsize>,
}

impl Log {
    fn new() -> Self {
        Self { began: Instant::now(), lines: Arc::default(), alive: Arc::default() }
    }
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap()
    }
    pub(crate) fn say(&self, line: impl Into<String>) {
        self.lines.lock().unwrap().push((self.now(), line.into()));
    }
    /// The lines without their times.
    pub(crate) fn said(&self) -> Vec<String> {
        self.lines.lock().unwrap().iter().map(|(_, line)| line.clone()).collect()
    }
    /// When a line was said first.
    pub(crate) fn time_of(&self, line: &str) -> Option<u64> {
        self.lines.lock().unwrap().iter().find(|(_, said)| said == line).map(|(at, _)| *at)
    }
    /// How many futures of calls exist.
    pub(crate) fn alive(&self) -> usize {
        self.alive.load(Ordering::SeqCst)
    }
    pub(crate) fn guard(&self) -> Guard {
        self.alive.fetch_add(1, Ordering::SeqCst);
        Guard(Arc::clone(&self.alive))
    }
}

pub(crate) struct Guard(Arc<AtomicUsize>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A tool whose every answer is set beforehand.
#[derive(Clone)]
pub(crate) struct Stub {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) safe: bool,
    pub(crate) read_only: bool,
    pub(crate) enabled: bool,
    pub(crate) deferred: bool,
    pub(crate) cancels_siblings: bool,
    pub(crate) must_finish: bool,
    pub(crate) needs_person: bool,
    /// The name of the method that panics.
    pub(crate) panics_in: &'static str,
    pub(crate) validation: Option<Validation>,
    pub(crate) own: OwnCheck,
    pub(crate) limit: ResultLimit,
    pub(crate) warnings: Vec<String>,
    pub(crate) log: Option<Log>,
}

impl Stub {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            aliases: &[],
            safe: true,
            read_only: true,
            enabled: true,
            deferred: false,
            cancels_siblings: false,
            must_finish: false,
            needs_person: false,
            panics_in: "",
            validation: None,
            own: OwnCheck::Pass,
            limit: ResultLimit::Chars(1_000),
            warnings: Vec::new(),
            log: None,
        }
    }
    pub(crate) fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }
    /// A tool that the permission chain asks about.
    pub(crate) fn asking(name: &'static str) -> Self {
        Self { read_only: false, ..Self::new(name) }
    }
    pub(crate) fn exclusive(name: &'static str) -> Self {
        Self { safe: false, ..Self::new(name) }
    }
    pub(crate) fn panicking(name: &'static str, place: &'static str) -> Self {
        Self { panics_in: place, ..Self::new(name) }
    }
    fn trip(&self, place: &str) {
        assert!(self.panics_in != place, "boom in {place}");
    }
    fn log(&self) -> &Log {
        self.log.as_ref().unwrap()
    }
}

impl Tool for Stub {
    type Input = Work;
    type Output = String;

    fn name(&self) -> &str {
        self.name
    }
    fn aliases(&self) -> &[&str] {
        self.aliases
    }
    fn description(&self) -> &str {
        "Does what its input says."
    }
    fn max_result_size(&self) -> ResultLimit {
        self.limit
    }
    fn should_defer(&self) -> bool {
        self.deferred
    }
    fn is_enabled(&self) -> bool {
        self.trip("is_enabled");
        self.enabled
    }
    fn is_concurrency_safe(&self, input: &Work) -> bool {
        self.trip("is_concurrency_safe");
        self.safe && !input.alone
    }
    fn is_read_only(&self, _: &Work) -> bool {
        self.trip("is_read_only");
        self.read_only
    }
    fn edits_files(&self, _: &Work) -> bool {
        self.trip("edits_files");
        false
    }
    fn requires_interaction(&self, _: &Work) -> bool {
        self.trip("requires_interaction");
        self.needs_person
    }
    fn failure_cancels_siblings(&self, _: &Work) -> bool {
        self.trip("failure_cancels_siblings");
        self.cancels_siblings
    }
    fn stops_on_interrupt(&self, _: &Work) -> bool {
        self.trip("stops_on_interrupt");
        !self.must_finish
    }
    fn validate_input(&self, input: &Work, _: &CallContext) -> impl Future<Output = Validation> + Send {
        self.trip("validate_input");
        let answer = if input.text == "bad" {
            Validation::Reject { message: "the text is bad".to_owned(), code: 7 }
        } else {
            self.validation.clone().unwrap_or(Validation::Pass)
        };
        let (slow, late) = (input.text == "slow-validation", self.panics_in == "validate_input_late");
        async move {
            assert!(!late, "boom in validate_input_late");
            if slow {
                sleep(Duration::from_millis(50)).await;
            }
            answer
        }
    }
    fn permission_subject(&self, input: &Work, _: &CallContext) -> CallSubject {
        self.trip("permission_subject");
        CallSubject::Text(input.text.clone())
    }
    fn check_permissions(&self, input: &Work, _: &CallContext) -> impl Future<Output = OwnCheck> + Send {
        self.trip("check_permissions");
        let (own, slow) = (self.own.clone(), input.text == "slow-check");
        async move {
            if slow {
                sleep(Duration::from_millis(50)).await;
            }
            own
        }
    }
    fn destructive_warnings(&self, _: &Work) -> Vec<String> {
        self.trip("destructive_warnings");
        self.warnings.clone()
    }
    fn classifier_input(&self, input: &Work) -> String {
        self.trip("classifier_input");
        input.text.clone()
    }
    fn user_facing_name(&self, _: Option<&Work>) -> String {
        self.trip("user_facing_name");
        self.name.to_owned()
    }
    async fn call(&self, input: &Work, ctx: &CallContext) -> Result<ToolOutput<String>, ToolError> {
        let (log, id) = (self.log(), &ctx.tool_use_id);
        let _alive = log.guard();
        log.say(format!("start {id}"));
        if input.text.starts_with("progress") {
            ctx.progress(json!(input.text));
        }
        self.trip("call");
        let work = async {
            sleep(Duration::from_millis(u64::from(input.ms))).await;
            if matches!(input.end, End::Hang | End::Deaf) {
                std::future::pending::<()>().await;
            }
        };
        if input.end == End::Deaf {
            work.await;
        } else {
            tokio::select! {
                biased;
                reason = ctx.cancel.cancelled() => {
                    log.say(format!("stop {id} {reason:?}"));
                    return Err(ToolError::new(toolreeve_engine::ErrorKind::Cancelled(reason), "stopped"));
                }
                () = work => {}
            }
        }
        log.say(format!("end {id}"));
        let mut output = ToolOutput::new(if input.end == End::Empty { String::new() } else { input.text.clone() });
        match input.end {
            End::Error => return Err(ToolError::failed(format!("{id} failed"))),
            End::BadOutput => output.is_error = true,
            End::Panic => panic!("boom in {id}"),
            End::Change => {
                let (log, name) = (log.clone(), input.text.clone());
                output.context_change = Some(ContextChange::new(move |context| {
                    log.say(format!("change {name}"));
                    context.env.push((name, String::new()));
                }));
            }
            End::BadChange => {
                output.context_change = Some(ContextChange::new(|context| {
                    context.env.push(("half".to_owned(), "done".to_owned()));
                    panic!("boom in the change");
                }));
            }
            End::Ok | End::Hang | End::Deaf | End::Empty => {}
        }
        if input.text == "messages" {
            output.new_messages.push(Message::user("more"));
        }
        Ok(output)
    }
    fn result_content(&self, output: &String) -> Vec<ContentBlock> {
        self.trip("result_content");
        vec![ContentBlock::text(output)]
    }
    fn backfill_observable_input(&self, input: &mut Value, _: &Context) {
        input["seen"] = json!(true);
        self.trip("backfill_observable_input");
    }
    fn render_use(&self, _: &Work) -> RenderNode {
        self.trip("render_use");
        RenderNode::title(self.name)
    }
    fn render_result(&self, _: &Work, output: &String) -> RenderNode {
        self.trip("render_result");
        RenderNode::text(output)
    }
    fn render_rejected(&self, _: &Work) -> RenderNode {
        self.trip("render_rejected");
        RenderNode::error("refused")
    }
    fn render_error(&self, message: &str) -> RenderNode {
        self.trip("render_error");
        RenderNode::error(message)
    }
}

type Reply<T> = Arc<dyn Fn(T) -> BoxFuture<'static, Result<HookOutcome, HostError>> + Send + Sync>;

/// A hook that answers by a function.
#[derive(Clone)]
pub(crate) struct StubHook {
    event: &'static str,
    reply: Reply<HookEvent>,
}

impl StubHook {
    pub(crate) fn new(event: &'static str, reply: impl Fn(HookEvent) -> HookOutcome + Send + Sync + 'static) -> Self {
        Self::late(event, 0, move |event| Ok(reply(event)))
    }
    /// Answers after some milliseconds.
    pub(crate) fn late(
        event: &'static str,
        ms: u64,
        reply: impl Fn(HookEvent) -> Result<HookOutcome, HostError> + Send + Sync + 'static,
    ) -> Self {
        let reply = Arc::new(reply);
        let reply = move |event| {
            let reply = Arc::clone(&reply);
            async move {
                if ms > 0 {
                    sleep(Duration::from_millis(ms)).await;
                }
                reply(event)
            }
            .boxed()
        };
        Self { event, reply: Arc::new(reply) }
    }
    pub(crate) fn hanging(event: &'static str) -> Self {
        Self { event, reply: Arc::new(|_| std::future::pending().boxed()) }
    }
}

impl Hook for StubHook {
    fn matches(&self, event: &str, tool_name: &str) -> bool {
        assert!(self.event != "panic", "boom in matches");
        (event == self.event || self.event == "*") && tool_name != "Unhooked"
    }
    fn run(&self, input: Arc<HookInput>) -> BoxFuture<'_, Result<HookOutcome, HostError>> {
        (self.reply)(input.event.clone())
    }
}

/// What the person does next.
pub(crate) enum Person {
    Answers(PromptAnswer),
    Breaks,
    Panics,
    NeverAnswers,
}

/// A person with prepared answers.
#[derive(Clone)]
pub(crate) struct StubPrompt {
    answers: Arc<Mutex<VecDeque<Person>>>,
    asked: Arc<Mutex<Vec<PromptRequest>>>,
    log: Log,
}

impl PermissionPrompt for StubPrompt {
    fn ask(&self, request: PromptRequest) -> BoxFuture<'_, Result<PromptAnswer, HostError>> {
        self.log.say(format!("ask {}", request.tool_use_id));
        self.asked.lock().unwrap().push(request);
        match self.answers.lock().unwrap().pop_front() {
            Some(Person::Answers(answer)) => std::future::ready(Ok(answer)).boxed(),
            Some(Person::Breaks) => std::future::ready(Err(HostError::new("no terminal"))).boxed(),
            Some(Person::NeverAnswers) => {
                let guard = self.log.guard();
                async move {
                    let _guard = guard;
                    std::future::pending().await
                }
                .boxed()
            }
            Some(Person::Panics) | None => panic!("boom in the prompt"),
        }
    }
}

/// A classifier that takes some time; it allows what starts with `fine` and blocks what starts with `block`.
pub(crate) struct StubClassifier {
    pub(crate) ms: u64,
    log: Log,
}

impl Classifier for StubClassifier {
    fn classify(&self, tool: String, input: String) -> BoxFuture<'_, Result<ClassifierVerdict, HostError>> {
        self.log.say(format!("classify {tool} {input}"));
        assert!(input != "panic", "boom in the classifier");
        let guard = self.log.guard();
        async move {
            let _guard = guard;
            sleep(Duration::from_millis(self.ms)).await;
            self.log.say(format!("classified {input}"));
            match input.as_str() {
                "broken" => Err(HostError::new("no model")),
                bad if bad.starts_with("block") => Ok(ClassifierVerdict::Block { reason: "it is harmful".to_owned() }),
                fine if fine.starts_with("fine") => Ok(ClassifierVerdict::Allow { reason: "harmless".to_owned() }),
                _ => Ok(ClassifierVerdict::Unsure),
            }
        }
        .boxed()
    }
}

/// What a test sets up.
pub(crate) struct Setup {
    tools: Vec<(Origin, Arc<dyn DynTool>)>,
    host: Host,
    policy: Policy,
    options: PoolOptions,
    log: Log,
    answers: Arc<Mutex<VecDeque<Person>>>,
    asked: Arc<Mutex<Vec<PromptRequest>>>,
}

impl Setup {
    pub(crate) fn new() -> Self {
        Self {
            tools: Vec::new(),
            host: Host::default(),
            policy: Context::new("/project").policy,
            options: PoolOptions::default(),
            log: Log::new(),
            answers: Arc::default(),
            asked: Arc::default(),
        }
    }
    pub(crate) fn log(&self) -> &Log {
        &self.log
    }
    pub(crate) fn with(tool: Stub) -> Self {
        Self::new().tool(tool)
    }
    pub(crate) fn tool(self, tool: Stub) -> Self {
        let log = Some(self.log.clone());
        self.any_tool(Origin::BuiltIn, erase(Stub { log, ..tool }))
    }
    pub(crate) fn any_tool(mut self, origin: Origin, tool: Arc<dyn DynTool>) -> Self {
        self.tools.push((origin, tool));
        self
    }
    pub(crate) fn hook(mut self, hook: StubHook) -> Self {
        self.host.hooks.push(Arc::new(hook));
        self
    }
    pub(crate) fn person(mut self, answers: impl IntoIterator<Item = Person>) -> Self {
        self.answers.lock().unwrap().extend(answers);
        self.host.prompt = Some(Arc::new(StubPrompt {
            answers: Arc::clone(&self.answers),
            asked: Arc::clone(&self.asked),
            log: self.log.clone(),
        }));
        self
    }
    pub(crate) fn classifier(mut self, ms: u64) -> Self {
        self.host.classifier = Some(Arc::new(StubClassifier { ms, log: self.log.clone() }));
        self
    }
    pub(crate) fn host(mut self, change: impl FnOnce(&mut Host)) -> Self {
        change(&mut self.host);
        self
    }
    pub(crate) fn rule(mut self, behavior: Behavior, rule: &str) -> Self {
        self.policy.add(behavior, rule, RuleSource::UserSettings).unwrap();
        self
    }
    pub(crate) fn mode(mut self, mode: PermissionMode) -> Self {
        self.policy.mode = mode;
        self
    }
    pub(crate) fn build(self) -> World {
        self.build_with(|_| ())
    }
    /// Builds it with a sink that also hears every event.
    pub(crate) fn build_with(self, hear: impl Fn(&Event) + Send + Sync + 'static) -> World {
        let mut registry = ToolRegistry::new();
        for (origin, tool) in self.tools {
            registry.add(origin, tool);
        }
        let pool = assemble_pool(&registry, &self.policy, &self.options);
        let spill = tempfile::tempdir().unwrap();
        let context = Context { policy: self.policy, ..Context::new("/project") };
        let session = Arc::new(Session::new("test", context, spill.path()));
        let events: Arc<Mutex<Vec<(u64, Event)>>> = Arc::default();
        let (kept, log) = (Arc::clone(&events), self.log.clone());
        let sink = EventSink::new(move |event| {
            kept.lock().unwrap().push((log.now(), event.clone()));
            hear(&event);
        });
        let pipeline = Pipeline::new(Arc::new(registry), pool, self.host, Arc::clone(&session), sink);
        World {
            pipeline: Arc::new(pipeline),
            session,
            events,
            turn: CancelToken::new(),
            log: self.log,
            asked: self.asked,
            spill,
        }
    }
}

/// Everything in place.
pub(crate) struct World {
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) session: Arc<Session>,
    pub(crate) events: Arc<Mutex<Vec<(u64, Event)>>>,
    pub(crate) turn: CancelToken,
    pub(crate) log: Log,
    pub(crate) asked: Arc<Mutex<Vec<PromptRequest>>>,
    pub(crate) spill: tempfile::TempDir,
}

impl World {
    pub(crate) fn executor(&self) -> StreamingExecutor {
        StreamingExecutor::new(Arc::clone(&self.pipeline), &self.turn)
    }
    /// Runs one call to its end.
    pub(crate) async fn call(&self, name: &str, input: Value) -> CallOutcome {
        self.run([call("t1", name, input)]).await.remove(0)
    }
    /// Pushes all calls and takes all results.
    pub(crate) async fn run(&self, calls: impl IntoIterator<Item = RequestedCall>) -> Vec<CallOutcome> {
        let mut executor = self.executor();
        calls.into_iter().for_each(|call| executor.push(call));
        executor.stream_ended();
        drain(&mut executor).await
    }
    /// The events as short lines: their kind and the id of the call.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.events.lock().unwrap().iter().map(|(_, event)| short(event)).collect()
    }
    pub(crate) fn heard_at(&self, line: &str) -> Option<u64> {
        self.events.lock().unwrap().iter().find(|(_, event)| short(event) == line).map(|(at, _)| *at)
    }
    pub(crate) fn environment(&self) -> Vec<String> {
        self.session.context().env.iter().map(|(name, _)| name.clone()).collect()
    }
}

fn short(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap();
    let id = value.get("id").or(value.get("tool_use_id")).and_then(Value::as_str).unwrap_or_default();
    format!("{} {id}", value["type"].as_str().unwrap())
}

/// Takes results until there are no more.
pub(crate) async fn drain(executor: &mut StreamingExecutor) -> Vec<CallOutcome> {
    let mut outcomes = Vec::new();
    while let Some(outcome) = in_time(executor.next()).await {
        outcomes.push(outcome);
    }
    outcomes
}

/// Waits for a day of virtual time at most, so that what would hang fails instead.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(Duration::from_secs(86_400), future).await {
        Ok(value) => value,
        Err(_) => panic!("it hangs"),
    }
}

pub(crate) fn call(id: &str, name: &str, input: Value) -> RequestedCall {
    RequestedCall::new(ToolUse { id: id.to_owned(), name: name.to_owned(), input })
}

pub(crate) fn ids(outcomes: &[CallOutcome]) -> Vec<&str> {
    outcomes.iter().map(|outcome| outcome.result.tool_use_id.as_str()).collect()
}

/// The stable name of how a call ended.
pub(crate) fn ending(outcome: &CallOutcome) -> &'static str {
    assert_eq!(outcome.error.is_some(), outcome.result.is_error, "{outcome:?}");
    outcome.error.as_ref().map_or("ok", |error| error.kind.as_str())
}

pub(crate) const ALL_REASONS: [CancelReason; 5] = [
    CancelReason::User,
    CancelReason::SiblingError,
    CancelReason::Discarded,
    CancelReason::Timeout,
    CancelReason::Shutdown,
];

pub(crate) async fn after(ms: u64) {
    sleep(Duration::from_millis(ms)).await;
}
