//! What a call may read and change: the session (shared), the context (a snapshot), and the call's own handle.
//! Owns no policy: rules live in `toolreeve-permission`.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde_json::Value;
use toolreeve_permission::Policy;

use crate::approval::Approvals;
use crate::event::{Event, EventSink};
use crate::exec::cancel::CancelToken;
use crate::pipeline::DenialLog;

/// What calls see of the world: directories, rules, mode, environment. A call gets a snapshot when it starts.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// Rules, mode, working directory and allowed directories.
    pub policy: Policy,
    /// Variables set on top of the host's own environment for child processes.
    pub env: Vec<(String, String)>,
}

impl Context {
    /// A context that works in `cwd` (absolute), with no rules and the default mode.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        let cwd = cwd.into();
        let policy = Policy { project_root: cwd.clone(), cwd, ..Policy::default() };
        Self { policy, env: Vec::new() }
    }

    /// The working directory.
    pub fn cwd(&self) -> &Path {
        &self.policy.cwd
    }
}

/// A change of the context that a call asks for. It is applied when its batch ends, in the order of the calls, and
/// only honoured from calls that run alone or in a batch that queues it.
pub struct ContextChange(Box<dyn FnOnce(&mut Context) + Send>);

impl ContextChange {
    /// Wraps a change.
    pub fn new(change: impl FnOnce(&mut Context) + Send + 'static) -> Self {
        Self(Box::new(change))
    }

    /// Applies it.
    pub fn apply(self, context: &mut Context) {
        (self.0)(context);
    }
}

impl std::fmt::Debug for ContextChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ContextChange")
    }
}

/// What all calls of one conversation share: the current context, where spilled results go, and a place for the
/// state of tools that the engine knows nothing about.
#[derive(Debug)]
pub struct Session {
    id: String,
    spill_dir: PathBuf,
    transcript_path: PathBuf,
    context: RwLock<Arc<Context>>,
    /// Held by whoever changes the context, so that no change is lost; readers never wait for it.
    changing: Mutex<()>,
    denials: DenialLog,
    approvals: Approvals,
    extensions: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Session {
    /// A session. `spill_dir` is where results that are too large for the model are written; it is created when needed.
    pub fn new(id: impl Into<String>, context: Context, spill_dir: impl Into<PathBuf>) -> Self {
        let spill_dir = spill_dir.into();
        Self {
            id: id.into(),
            transcript_path: spill_dir.join("transcript.jsonl"),
            spill_dir,
            context: RwLock::new(Arc::new(context)),
            changing: Mutex::default(),
            denials: DenialLog::default(),
            approvals: Approvals::default(),
            extensions: Mutex::default(),
        }
    }

    /// The id, for example for hook input.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Questions that the person put off.
    pub fn approvals(&self) -> &Approvals {
        &self.approvals
    }

    /// What was refused so far.
    pub(crate) fn denials(&self) -> &DenialLog {
        &self.denials
    }

    /// Where large results go.
    pub fn spill_dir(&self) -> &Path {
        &self.spill_dir
    }

    /// Says where the conversation is written down.
    #[must_use]
    pub fn with_transcript_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.transcript_path = path.into();
        self
    }

    /// Where the conversation is written down, if anybody does; hooks are told. The default is in the folder of large
    /// results.
    pub fn transcript_path(&self) -> &Path {
        &self.transcript_path
    }

    /// A snapshot of the current context.
    pub fn context(&self) -> Arc<Context> {
        Arc::clone(&self.context.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the context for calls that start from now on. The change works on a copy: it may read the session, and
    /// one that panics changes nothing. It must not call this function itself.
    pub fn update_context(&self, change: impl FnOnce(&mut Context)) {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = self.context();
        change(Arc::make_mut(&mut changed));
        *self.context.write().unwrap_or_else(PoisonError::into_inner) = changed;
    }

    /// Applies what a call asked for. A change that panics is reported and changes nothing.
    pub(crate) fn apply_change(&self, change: ContextChange, events: &EventSink) {
        let applied = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            self.update_context(|context| change.apply(context));
        }));
        if applied.is_err() {
            let message = "a tool's change of the context failed; the context stays as it was".to_owned();
            events.send(Event::Error { kind: "context-change".to_owned(), message });
        }
    }

    /// The state that tools keep per session under a type of their own; made on first use.
    pub fn extension<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let lock = || self.extensions.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&TypeId::of::<T>()).map(Arc::clone);
        let entry = match known {
            Some(known) => known,
            None => {
                // Made without the lock, because it runs the tool author's code; the first one made is kept.
                let fresh: Arc<dyn Any + Send + Sync> = Arc::new(T::default());
                Arc::clone(lock().entry(TypeId::of::<T>()).or_insert(fresh))
            }
        };
        // The key is the type, so the downcast holds; a fresh value is the harmless answer if it ever did not.
        entry.downcast::<T>().unwrap_or_default()
    }
}

/// What one call gets: its session, its snapshot of the context, its cancel token and its way to report progress.
/// Cheap to clone and free to move to another thread.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The id of the request that this call answers.
    pub tool_use_id: Arc<str>,
    /// The session.
    pub session: Arc<Session>,
    /// The context as it was when the call started.
    pub context: Arc<Context>,
    /// Fires when the call must stop.
    pub cancel: CancelToken,
    events: EventSink,
}

impl CallContext {
    /// Puts one together. The executors do this; tests and hosts with an executor of their own may.
    pub fn new(
        tool_use_id: impl Into<Arc<str>>,
        session: Arc<Session>,
        cancel: CancelToken,
        events: EventSink,
    ) -> Self {
        let context = session.context();
        Self { tool_use_id: tool_use_id.into(), session, context, cancel, events }
    }

    /// The working directory.
    pub fn cwd(&self) -> &Path {
        self.context.cwd()
    }

    /// Reports progress; it reaches the host at once. `data` is the tool's own, for example
    /// `{"stream": "stdout", "text": "…"}` from Bash.
    pub fn progress(&self, data: Value) {
        self.events.send_with(|| Event::ToolProgress { id: self.tool_use_id.to_string(), data });
    }

    /// The way events reach the host.
    pub fn events(&self) -> &EventSink {
        &self.events
    }
}
