//! A hook of a settings file as the engine runs it: whether it wants an event, how its kind is run within its time, and
//! what becomes of one that runs in the background.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use toolreeve_engine::host::{Hook, HookInput, HookOutcome, HostError};
use toolreeve_permission::Behavior;

use super::command::{self, GoesOn, Program};
use super::config::{Handler, HookDeclaration, HooksConfig};
use super::exit::{broken, failure};
use super::http::{self, HttpLimits};
use super::question::{self, HookJudge, HookMcp, HookQuestion};
use super::{condition, label};

/// How long a hook that goes on in the background may take if it does not say.
const DEFAULT_ASYNC_TIMEOUT: Duration = Duration::from_secs(600);

/// What the hooks of settings files need of the world.
#[derive(Clone, Default)]
pub struct HookWorld {
    /// Variables on top of the process's own.
    pub env: Vec<(String, String)>,
    /// Where the output of programs is kept while they run; where temporary files go if it cannot be made.
    pub capture_dir: PathBuf,
    /// The home directory, for `~` in `if` rules.
    pub home: Option<PathBuf>,
    /// What `http` hooks may do.
    pub http: HttpLimits,
    /// Who answers `prompt` and `agent` hooks.
    pub judge: Option<Arc<dyn HookJudge>>,
    /// Who calls tools for `mcp_tool` hooks.
    pub mcp: Option<Arc<dyn HookMcp>>,
}

impl HooksConfig {
    /// The hooks as the engine runs them, in order. They run unsandboxed, with the rights of the process.
    pub fn into_hooks(self, world: HookWorld) -> Vec<Arc<dyn Hook>> {
        let world = Arc::new(world);
        let make = |hook| Arc::new(DeclaredHook::new(hook, Arc::clone(&world))) as Arc<dyn Hook>;
        self.hooks.into_iter().map(make).collect()
    }
}

struct DeclaredHook {
    hook: HookDeclaration,
    world: Arc<HookWorld>,
    /// The same handler in several files, or under several matchers, runs once; in the background it runs each time.
    identity: Option<String>,
    has_run: AtomicBool,
    background: Mutex<Background>,
    late: Arc<Mutex<Vec<HookOutcome>>>,
}

/// Hooks in the background. Dropping it ends them.
type Background = JoinSet<()>;

impl DeclaredHook {
    fn new(hook: HookDeclaration, world: Arc<HookWorld>) -> Self {
        let is_async = matches!(hook.handler, Handler::Command { is_async: true, .. });
        let condition = hook.condition.as_ref().map(|rule| rule.text());
        let identity = (!is_async).then(|| format!("{} {:?} {condition:?}", hook.event, hook.handler));
        let (has_run, background, late) = Default::default();
        Self { hook, world, identity, has_run, background, late }
    }

    async fn answer(&self, input: Arc<HookInput>) -> HookOutcome {
        let HookDeclaration { handler, source, condition: rule, .. } = &self.hook;
        if rule.as_ref().is_some_and(|rule| !condition::holds(rule, *source, self.world.home.as_deref(), &input)) {
            return HookOutcome::default();
        }
        if self.hook.once && self.has_run.swap(true, Ordering::AcqRel) {
            return HookOutcome::default();
        }
        let limit = self.hook.time_limit();
        match handler {
            Handler::Command { is_async, async_rewake, .. } => {
                self.command(&input, limit, *is_async, *async_rewake).await
            }
            Handler::Http { url, headers, allowed_env_vars } => {
                let (env, limits) = (&self.world.env, &self.world.http);
                let request = http::Request { url, headers, allowed_env_vars, env, limits };
                let asked = http::ask(&request, &input);
                tokio::time::timeout(limit, asked).await.unwrap_or_else(|_| failure(too_long(limit)))
            }
            Handler::McpTool { server, tool, input: arguments } => {
                let call = question::call(self.world.mcp.as_ref(), server, tool, arguments, &input);
                tokio::time::timeout(limit, call).await.unwrap_or_else(|_| failure(too_long(limit)))
            }
            Handler::Prompt { prompt, model, continue_on_block } => {
                self.ask(false, prompt, model, *continue_on_block, &input, limit).await
            }
            Handler::Agent { prompt, model } => self.ask(true, prompt, model, false, &input, limit).await,
        }
    }

    async fn ask(
        &self,
        by_agent: bool,
        prompt: &str,
        model: &Option<String>,
        continue_on_block: bool,
        input: &HookInput,
        limit: Duration,
    ) -> HookOutcome {
        let question = HookQuestion { by_agent, prompt: question::with_arguments(prompt, input), model: model.clone() };
        let asked = question::ask(self.world.judge.as_ref(), question, continue_on_block, input);
        // The contract says nothing of a model that does not answer, so a guard counts as broken.
        tokio::time::timeout(limit, asked).await.unwrap_or_else(|_| broken(input.event.name(), too_long(limit)))
    }

    async fn command(&self, input: &HookInput, limit: Duration, is_async: bool, rewakes: bool) -> HookOutcome {
        let Handler::Command { command, args, shell, .. } = &self.hook.handler else { return HookOutcome::default() };
        let program = Program {
            command,
            args: args.as_deref(),
            shell: *shell,
            env: &self.world.env,
            capture_dir: &self.world.capture_dir,
            time_limit: limit,
        };
        let order = match command::order(&program, input) {
            Ok(order) => order,
            Err(problem) => return failure(problem),
        };
        let event = input.event.name().to_owned();
        let (goes_on, went_on) = oneshot::channel();
        let mut running = JoinSet::new();
        running.spawn(command::run(order, event, goes_on));
        if is_async {
            self.in_background(running, None, rewakes);
            return HookOutcome::default();
        }
        tokio::select! {
            biased;
            done = running.join_next() => finished(done),
            Ok(GoesOn(limit)) = went_on => {
                self.in_background(running, Some(limit.unwrap_or(DEFAULT_ASYNC_TIMEOUT)), rewakes);
                HookOutcome::default()
            }
        }
    }

    /// Lets a program go on. What it says in the end is taken with the next request to the model.
    fn in_background(&self, mut running: JoinSet<HookOutcome>, limit: Option<Duration>, rewakes: bool) {
        let late = Arc::clone(&self.late);
        let mut background = self.background.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that have ended are of no use any more.
        while background.try_join_next().is_some() {}
        background.spawn(async move {
            let done = running.join_next();
            let outcome = match limit {
                None => finished(done.await),
                Some(limit) => match tokio::time::timeout(limit, done).await {
                    Ok(done) => finished(done),
                    Err(_) => failure(too_long(limit)),
                },
            };
            late.lock().unwrap_or_else(PoisonError::into_inner).push(in_hindsight(outcome, rewakes));
        });
    }
}

/// What is left of an answer that comes too late to decide anything.
fn in_hindsight(outcome: HookOutcome, rewakes: bool) -> HookOutcome {
    let HookOutcome { verdict, additional_context, system_message, failure, .. } = outcome;
    let blocked = verdict.filter(|verdict| verdict.behavior == Behavior::Deny && !verdict.message.trim().is_empty());
    let (context, failure) = match (blocked, rewakes) {
        (Some(verdict), true) => (Some(verdict.message), failure),
        (Some(verdict), false) => (None, failure.or(Some(verdict.message))),
        (None, _) => (None, failure),
    };
    let additional_context = match (additional_context, context) {
        (Some(text), Some(more)) => Some(format!("{text}\n{more}")),
        (text, more) => text.or(more),
    };
    HookOutcome { additional_context, system_message, failure, ..HookOutcome::default() }
}

fn finished(done: Option<Result<HookOutcome, tokio::task::JoinError>>) -> HookOutcome {
    match done {
        Some(Ok(outcome)) => outcome,
        _ => failure("it was lost".to_owned()),
    }
}

fn too_long(limit: Duration) -> String {
    format!("it took longer than {} s, its time limit, and was ended", limit.as_secs_f64())
}

impl Hook for DeclaredHook {
    fn matches(&self, event: &str, subject: &str) -> bool {
        self.hook.event == event && (subject.is_empty() || self.hook.matcher.matches(subject))
    }

    fn run(&self, input: Arc<HookInput>) -> BoxFuture<'_, Result<HookOutcome, HostError>> {
        async move { Ok(label::put_on(self.answer(input).await, &self.hook)) }.boxed()
    }

    fn identity(&self) -> Option<&str> {
        self.identity.as_deref()
    }

    fn take_late(&self) -> Vec<HookOutcome> {
        let late = std::mem::take(&mut *self.late.lock().unwrap_or_else(PoisonError::into_inner));
        late.into_iter().map(|outcome| label::put_on(outcome, &self.hook)).collect()
    }
}
