//! An agent that is configured by JSON and driven through the queue: what Python and C hold in their hands.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolreeve_engine::hooks::{event_info, nearest_event};
use toolreeve_engine::{
    ApprovalError, CancelReason, CancelToken, Event, EventSink, Message, PendingApproval, PoolOptions, ToolError,
    ToolResult, ToolSpec, ToolUse,
};
use toolreeve_permission::{Decision, PermissionMode, RuleSource};

use super::answers;
use super::callbacks::{BridgedClassifier, BridgedHook, BridgedModel, BridgedPrompt, bridged_tool};
use super::queue::Bridge;
use crate::agent::Agent;
use crate::builder::{AgentBuilder, BuildError};
use crate::hooks::Matcher;
use crate::settings::Settings;

/// Rules by what they do.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleLists {
    /// Rules that allow.
    pub allow: Vec<String>,
    /// Rules that ask.
    pub ask: Vec<String>,
    /// Rules that deny.
    pub deny: Vec<String>,
}

/// A tool that the host runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostToolSpec {
    /// The name: 1 to 128 letters, digits, `_` and `-`.
    pub name: String,
    /// Older names.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// One sentence.
    #[serde(default)]
    pub description: String,
    /// What the model is told, if it differs from the description.
    #[serde(default)]
    pub prompt: Option<String>,
    /// The JSON Schema of the input.
    pub input_schema: Value,
    /// Whether calls only read.
    #[serde(default)]
    pub read_only: bool,
    /// Whether calls may run beside others.
    #[serde(default)]
    pub concurrency_safe: bool,
    /// What calls read, as keys with fields of the input in them: `file:{path}`, `table:{name}`. A call that declares
    /// something, here or under `writes`, runs beside every call with which it shares nothing that one of both writes,
    /// also if it is not concurrency-safe. Neither of both declares nothing.
    #[serde(default)]
    pub reads: Option<Vec<String>>,
    /// What calls write.
    #[serde(default)]
    pub writes: Option<Vec<String>>,
    /// Whether calls destroy what cannot be brought back.
    #[serde(default)]
    pub destructive: bool,
    /// Whether a person must answer whatever the rules say.
    #[serde(default)]
    pub requires_interaction: bool,
    /// The fields of the input that a classifier reads. Without any, no classifier may approve a call.
    #[serde(default)]
    pub classifier_fields: Vec<String>,
    /// Whether the model learns of the tool only through the tool search.
    #[serde(default)]
    pub defer_loading: bool,
    /// Words that help the tool search.
    #[serde(default)]
    pub search_hint: String,
    /// The largest result in characters before it goes to a file; at most 50,000.
    #[serde(default)]
    pub max_result_chars: Option<usize>,
    /// Whether the tool is bridged from an MCP server.
    #[serde(default)]
    pub mcp: bool,
}

/// A hook that the host runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookSpec {
    /// The event's name, for example `PreToolUse`; case matters.
    pub event: String,
    /// What it wants to hear of: none or `*` for all, names divided by `|`, else a regular expression.
    #[serde(default)]
    pub matcher: Option<String>,
}

impl HookSpec {
    fn compiled(&self) -> Result<Matcher, String> {
        if event_info(&self.event).is_none() {
            return Err(format!("there is no event {:?}; did you mean {}?", self.event, nearest_event(&self.event)));
        }
        Matcher::parse(self.matcher.as_deref(), &self.event).map_err(|problem| format!("matcher: {problem}"))
    }
}

/// The configuration of an agent, as JSON. Every field may be left out.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentConfig {
    /// Where the work happens. The default is the process's own directory.
    pub cwd: Option<PathBuf>,
    /// The home directory for `~`. The default is that of the process.
    pub home: Option<PathBuf>,
    /// Further directories in which files may be read and, with permission, written.
    pub additional_directories: Vec<PathBuf>,
    /// Permission rules.
    pub rules: RuleLists,
    /// The permission mode.
    pub mode: PermissionMode,
    /// The content of a settings file of the person's, with their rules and their mode; `mode` above wins.
    pub settings: Option<Settings>,
    /// The folder of that file, absolute: path patterns `/p` in it begin there.
    pub settings_folder: Option<PathBuf>,
    /// The system prompt.
    pub system: Option<String>,
    /// The largest number of requests to the model in one run.
    pub max_turns: Option<usize>,
    /// Tools that the host runs.
    pub tools: Vec<HostToolSpec>,
    /// Hooks that the host runs.
    pub hooks: Vec<HookSpec>,
    /// Whether the host answers permission questions. If not, what would ask is denied.
    pub ask: bool,
    /// Whether the host has a classifier.
    pub classifier: bool,
    /// Whether the built-in tools are on offer; `null` means yes.
    pub built_in_tools: Option<bool>,
    /// Offer only Bash, Read and Edit.
    pub simple: bool,
    /// Hide what the REPL wraps.
    pub repl: bool,
    /// Variables for child processes.
    pub env: BTreeMap<String, String>,
    /// The conversation to go on with.
    pub messages: Vec<Message>,
    /// The id of the session.
    pub session_id: Option<String>,
    /// Where large results are written.
    pub spill_dir: Option<PathBuf>,
    /// How many threads the library runs on; 0 is the default of two.
    pub threads: usize,
}

/// A bridged agent cannot be made or asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// The configuration is not JSON of the right shape.
    #[error("invalid configuration: {0}")]
    Config(String),
    /// The agent cannot be built from it.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is no such approval, or it cannot be answered any more.
    #[error(transparent)]
    Approval(#[from] ApprovalError),
    /// The answer to an approval, or an approval itself, is not of the right shape.
    #[error("{0}")]
    Answer(String),
    /// The system refused something.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// This process was forked from the one that made the agent.
    #[error("this process was forked after the agent was made; make a new agent in the child")]
    Forked,
}

/// An agent behind a [`Bridge`], with a runtime of its own. Dropping it stops its runs.
pub struct BridgedAgent {
    agent: Agent,
    bridge: Bridge,
    /// Taken on drop.
    runtime: Option<Runtime>,
    runs: Arc<Mutex<HashMap<u64, CancelToken>>>,
    next_run: AtomicU64,
}

/// The threads that run async work; blocking work has a pool of its own.
const DEFAULT_THREADS: usize = 2;

/// How long dropping an agent may wait for its threads; a call that blocks in the system is then left behind.
const SHUTDOWN_GRACE: std::time::Duration = std::time::Duration::from_secs(2);

/// How long hooks that hear of the end may keep everybody waiting, whatever their own limits say.
const MAX_END: std::time::Duration = std::time::Duration::from_secs(60);

impl BridgedAgent {
    /// Makes an agent from the JSON text of an [`AgentConfig`].
    ///
    /// # Errors
    /// If the text is not such a configuration, or no agent can be built from it.
    pub fn from_json(config: &str) -> Result<Self, BridgeError> {
        let config = serde_json::from_str(config).map_err(|error| BridgeError::Config(error.to_string()))?;
        Self::new(config)
    }

    /// Makes an agent.
    ///
    /// # Errors
    /// If no agent can be built from the configuration.
    pub fn new(config: AgentConfig) -> Result<Self, BridgeError> {
        let bridge = Bridge::new()?;
        let threads = if config.threads == 0 { DEFAULT_THREADS } else { config.threads };
        let agent = build(config, &bridge)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("toolreeve")
            .enable_all()
            .build()?;
        Ok(Self { agent, bridge, runtime: Some(runtime), runs: Arc::default(), next_run: AtomicU64::new(1) })
    }

    /// The queue through which the host is asked.
    pub fn bridge(&self) -> &Bridge {
        &self.bridge
    }

    /// Begins to work on a prompt. Its events come through the queue under the returned number, the last one is
    /// `done`.
    ///
    /// # Errors
    /// In a forked child.
    pub fn run(&self, prompt: &str) -> Result<u64, BridgeError> {
        let prompt = prompt.to_owned();
        self.begin(|agent, events, cancel| agent.start(prompt, events, cancel))
    }

    /// Goes on with a conversation whose last calls waited for approvals, as [`Agent::resume`]. Events as of [`Self::run`].
    ///
    /// # Errors
    /// In a forked child.
    pub fn resume(&self) -> Result<u64, BridgeError> {
        self.begin(Agent::start_resumed)
    }

    fn begin(&self, start: impl FnOnce(&Agent, EventSink, CancelToken)) -> Result<u64, BridgeError> {
        let runtime = self.runtime()?;
        let run = self.next_run.fetch_add(1, Ordering::Relaxed);
        let cancel = CancelToken::new();
        self.runs().insert(run, cancel.clone());
        let (queue, runs) = (self.bridge.events(run), Arc::clone(&self.runs));
        let events = EventSink::new(move |event| {
            if matches!(event, Event::Done { .. }) {
                runs.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
            }
            queue.send(event);
        });
        let _inside = runtime.enter();
        start(&self.agent, events, cancel);
        Ok(run)
    }

    /// The approvals that wait for an answer or, answered, for their call; oldest first.
    ///
    /// # Errors
    /// In a forked child.
    pub fn approvals(&self) -> Result<Vec<PendingApproval>, BridgeError> {
        self.runtime()?;
        Ok(self.agent.session().approvals().pending())
    }

    /// Answers an approval with an answer to a permission question (see [`answers::prompt_answer`]).
    ///
    /// # Errors
    /// In a forked child, if the answer is none, or if the approval cannot be answered.
    pub fn answer_approval(&self, id: &str, answer: Value) -> Result<(), BridgeError> {
        self.runtime()?;
        let answer = answers::prompt_answer(answer).map_err(BridgeError::Answer)?;
        Ok(self.agent.session().approvals().answer(id, answer)?)
    }

    /// Takes an approval away.
    ///
    /// # Errors
    /// In a forked child, or if there is none with this id.
    pub fn revoke_approval(&self, id: &str) -> Result<(), BridgeError> {
        self.runtime()?;
        self.agent.session().approvals().revoke(id)?;
        Ok(())
    }

    /// Takes up an approval that was kept as JSON.
    ///
    /// # Errors
    /// In a forked child, if it is no approval, or if it expired.
    pub fn restore_approval(&self, approval: Value) -> Result<(), BridgeError> {
        self.runtime()?;
        let approval: PendingApproval =
            serde_json::from_value(approval).map_err(|error| BridgeError::Answer(format!("the approval: {error}")))?;
        Ok(self.agent.session().approvals().restore(approval)?)
    }

    /// Stops a run as the person would. Returns whether it was under way.
    pub fn interrupt(&self, run: u64) -> bool {
        self.stop(run, CancelReason::User)
    }

    /// Stops a run because nobody wants it any more. Returns whether it was under way.
    pub fn abandon(&self, run: u64) -> bool {
        self.stop(run, CancelReason::Shutdown)
    }

    fn stop(&self, run: u64, reason: CancelReason) -> bool {
        let token = self.runs().get(&run).cloned();
        token.is_some_and(|token| {
            token.cancel(reason);
            true
        })
    }

    /// The conversation so far. Blocks while a run is under way, so call it between runs.
    ///
    /// # Errors
    /// In a forked child.
    pub fn messages(&self) -> Result<Vec<Message>, BridgeError> {
        Ok(self.runtime()?.block_on(self.agent.messages()))
    }

    /// The conversation so far, or `None` while a run is under way. Never blocks.
    ///
    /// # Errors
    /// In a forked child.
    pub fn try_messages(&self) -> Result<Option<Vec<Message>>, BridgeError> {
        self.runtime()?;
        Ok(self.agent.try_messages())
    }

    /// The `specs` verb: what the model is told about the tools.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.agent.specs()
    }

    /// The `check` verb: judges a call without running it and without asking the host.
    ///
    /// # Errors
    /// In a forked child. What is wrong with the call itself is the inner error.
    pub fn check(&self, tool: &str, input: &Value) -> Result<Result<Decision, ToolError>, BridgeError> {
        Ok(self.runtime()?.block_on(self.agent.check(tool, input)))
    }

    /// The `call` verb: runs calls in batches. Their events come through the queue under the returned number, the last
    /// one is `done`; right before it `done` gets one result for each call, in order, on a thread of the library.
    ///
    /// # Errors
    /// In a forked child.
    pub fn call(
        &self,
        calls: Vec<ToolUse>,
        done: impl FnOnce(Vec<ToolResult>) + Send + 'static,
    ) -> Result<u64, BridgeError> {
        let runtime = self.runtime()?;
        let run = self.next_run.fetch_add(1, Ordering::Relaxed);
        let cancel = CancelToken::new();
        self.runs().insert(run, cancel.clone());
        let (agent, events, runs) = (self.agent.clone(), self.bridge.events(run), Arc::clone(&self.runs));
        runtime.spawn(async move {
            let results = agent.call(calls, events.clone(), &cancel).await;
            done(results);
            runs.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
            let (subtype, result) = ("success".to_owned(), String::new());
            events.send(Event::Done { subtype, turns: 0, result, usage: json!({}) });
        });
        Ok(run)
    }

    fn runtime(&self) -> Result<&Runtime, BridgeError> {
        match &self.runtime {
            Some(runtime) if !self.bridge.is_forked() => Ok(runtime),
            _ => Err(BridgeError::Forked),
        }
    }

    fn runs(&self) -> std::sync::MutexGuard<'_, HashMap<u64, CancelToken>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for BridgedAgent {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        if self.bridge.is_forked() {
            // The threads belong to the parent; waiting for them or waking them would hang or harm it.
            std::mem::forget(runtime);
            return;
        }
        for token in self.runs().values() {
            token.cancel(CancelReason::Shutdown);
        }
        self.bridge.close();
        if tokio::runtime::Handle::try_current().is_err() {
            // Hooks of the host get no answer any more; those of settings files have their own time limits.
            let ended =
                async { tokio::time::timeout(MAX_END, self.agent.end_session("other", &EventSink::none())).await };
            let _ = runtime.block_on(ended);
        }
        if tokio::runtime::Handle::try_current().is_ok() {
            // On a thread of some runtime nothing may block.
            runtime.shutdown_background();
        } else {
            // Tasks are dropped within a moment, and what they started dies with them.
            runtime.shutdown_timeout(SHUTDOWN_GRACE);
        }
    }
}

fn build(config: AgentConfig, bridge: &Bridge) -> Result<Agent, BridgeError> {
    let mut hooks = Vec::new();
    for (number, spec) in config.hooks.into_iter().enumerate() {
        let matcher = spec.compiled().map_err(|problem| BridgeError::Config(format!("hooks[{number}]: {problem}")))?;
        hooks.push(BridgedHook { bridge: bridge.clone(), number, event: spec.event, matcher });
    }
    let mut builder = AgentBuilder::new(Arc::new(BridgedModel(bridge.clone())))
        .additional_directories(config.additional_directories)
        .built_in_tools(config.built_in_tools.unwrap_or(true))
        .pool_options(PoolOptions { simple: config.simple, repl: config.repl, ..PoolOptions::default() })
        .messages(config.messages);
    if let Some(mut settings) = config.settings {
        settings.folder = config.settings_folder;
        builder = builder.settings(&settings, RuleSource::FlagSettings);
    }
    if config.mode != PermissionMode::Default {
        builder = builder.mode(config.mode);
    }
    let RuleLists { allow, ask, deny } = config.rules;
    builder = allow.into_iter().fold(builder, AgentBuilder::allow);
    builder = ask.into_iter().fold(builder, AgentBuilder::ask);
    builder = deny.into_iter().fold(builder, AgentBuilder::deny);
    builder = config.env.into_iter().fold(builder, |builder, (name, value)| builder.env(name, value));
    for spec in config.tools {
        let is_mcp = spec.mcp;
        let tool = bridged_tool(bridge, spec);
        builder = if is_mcp { builder.mcp_tool(tool) } else { builder.tool(tool) };
    }
    if config.ask {
        builder = builder.permission_prompt(Arc::new(BridgedPrompt(bridge.clone())));
    }
    if config.classifier {
        builder = builder.classifier(Arc::new(BridgedClassifier(bridge.clone())));
    }
    for hook in hooks {
        builder = builder.hook(Arc::new(hook));
    }
    if let Some(cwd) = config.cwd {
        builder = builder.cwd(cwd);
    }
    if let Some(home) = config.home {
        builder = builder.home(Some(home));
    }
    if let Some(system) = config.system {
        builder = builder.system(system);
    }
    if let Some(max_turns) = config.max_turns {
        builder = builder.max_turns(max_turns);
    }
    if let Some(id) = config.session_id {
        builder = builder.session_id(id);
    }
    if let Some(dir) = config.spill_dir {
        builder = builder.spill_dir(dir);
    }
    Ok(builder.build()?)
}
