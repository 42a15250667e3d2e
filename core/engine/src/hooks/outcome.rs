//! What a hook answers, and the contract of a hook.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use toolreeve_permission::{HookVerdict, PermissionUpdate};

use super::event::HookInput;
use crate::host::HostError;

/// What a hook answers. Which fields are heard depends on the event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookOutcome {
    /// Its decision. Before a call it allows, asks or denies; at other events that can be blocked "deny" blocks, and the
    /// message says why.
    pub verdict: Option<HookVerdict>,
    /// With a verdict that asks: the question may be answered later.
    pub defers: bool,
    /// An input to use instead (PreToolUse only); it is validated and judged again.
    pub updated_input: Option<Value>,
    /// Text that the model reads.
    pub additional_context: Option<String>,
    /// An output to use instead (PostToolUse only).
    pub updated_output: Option<Value>,
    /// The whole run is to stop, for this reason (which may be empty). Beats every verdict.
    pub stop: Option<String>,
    /// What the person is told.
    pub system_message: Option<String>,
    /// The hook failed, but in a way that decides nothing: the person is told.
    pub failure: Option<String>,
    /// Its answer in place of the person's (PermissionRequest only).
    pub permission: Option<HookPermission>,
    /// The model may try again (PermissionDenied only).
    pub retry: bool,
    /// What else it said in `hookSpecificOutput`, for hosts: `sessionTitle`, `watchPaths`, …
    pub extra: Map<String, Value>,
}

/// The answer of a PermissionRequest hook.
#[derive(Debug, Clone, PartialEq)]
pub enum HookPermission {
    /// Run it.
    Allow {
        /// A changed input; it is validated and judged again.
        updated_input: Option<Value>,
        /// Changes of the rules; they hold for this session.
        updates: Vec<PermissionUpdate>,
    },
    /// Do not run it.
    Deny {
        /// What the model is told.
        message: String,
        /// Whether the whole turn ends here.
        interrupt: bool,
    },
}

/// A hook, as the host brings it or a settings file declares it.
pub trait Hook: Send + Sync {
    /// Whether the hook wants to hear this event. `subject` is what its matcher is compared with: the tool's name, the
    /// source of a session start, …; empty for events that a matcher cannot narrow.
    fn matches(&self, event: &str, subject: &str) -> bool;

    /// Runs it. The future is dropped when nobody waits any more. A failure (`Err`) of a hook that guards something
    /// counts as the careful answer: PreToolUse asks, UserPromptSubmit blocks. A hook that knows better answers with
    /// [`HookOutcome::failure`].
    fn run(&self, input: Arc<HookInput>) -> BoxFuture<'_, Result<HookOutcome, HostError>>;

    /// What makes two hooks the same: of several with one identity only the first is run. `None` is different from all.
    fn identity(&self) -> Option<&str> {
        None
    }

    /// What hooks that run in the background have to say by now. Taken once.
    fn take_late(&self) -> Vec<HookOutcome> {
        Vec::new()
    }
}

/// What all hooks of one event said, merged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookAnswer {
    /// The strictest verdict: deny beats defer beats ask beats allow.
    pub verdict: Option<HookVerdict>,
    /// Whether that verdict defers.
    pub defers: bool,
    /// The changed input of the last registered hook that has one.
    pub updated_input: Option<Value>,
    /// All texts for the model, in the order of registration.
    pub additional_context: Vec<String>,
    /// The changed output of the last registered hook that has one.
    pub updated_output: Option<Value>,
    /// Why the run is to stop, if it is.
    pub stop: Option<String>,
    /// The strictest answer in place of the person's.
    pub permission: Option<HookPermission>,
    /// Whether any of them lets the model try again.
    pub retry: bool,
    /// What else they said, for hosts.
    pub extra: Map<String, Value>,
}
