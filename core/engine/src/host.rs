//! What the host brings: the model, the person, hooks, a classifier, a renderer. Every callback may be slow, may fail
//! and may panic; the engine holds no lock while one runs and turns each failure into data.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolreeve_permission::Decision;

use crate::exec::cancel::CancelToken;
pub use crate::hooks::{Hook, HookAnswer, HookEvent, HookInput, HookOutcome, HookPermission};
use crate::message::Message;
use crate::pool::ToolSpec;
use crate::render::RenderNode;

/// A host callback failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// What the host said.
    pub message: String,
}

impl HostError {
    /// A failure in the host's words.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// What the model is asked. Serialises with the tools first, so that the prefix up to the last built-in tool stays
/// byte-identical whatever else changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelRequest {
    /// The tools on offer: built-ins by name, then the others by name.
    pub tools: Vec<ToolSpec>,
    /// The system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The conversation so far.
    pub messages: Vec<Message>,
}

/// A piece of the model's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelChunk {
    /// Raw bytes of a server-sent event stream, cut anywhere.
    Bytes(Vec<u8>),
    /// One event, already parsed.
    Event(Value),
}

/// The pieces of one answer, as they come.
pub type ModelChunks = BoxStream<'static, Result<ModelChunk, HostError>>;

/// The model, as the host reaches it.
pub trait ModelStream: Send + Sync {
    /// Sends a request and returns the answer as it comes. `cancel` fires when the answer is no longer wanted; the
    /// stream is then dropped.
    fn open(&self, request: ModelRequest, cancel: CancelToken) -> BoxFuture<'_, Result<ModelChunks, HostError>>;
}

/// A question to the person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptRequest {
    /// The id of the call.
    pub tool_use_id: String,
    /// The tool's name.
    pub tool_name: String,
    /// The tool's name for people.
    pub display_name: String,
    /// The full input, byte for byte what will run.
    pub input: Value,
    /// One line that says what is about to happen.
    pub title: String,
    /// How the tool shows the call.
    pub render: RenderNode,
    /// Warnings about what the call may destroy.
    pub destructive_warnings: Vec<String>,
    /// Rules that the person may save to answer this in future.
    pub suggestions: Vec<String>,
    /// The path that stood in the way, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_path: Option<String>,
    /// Why the question is asked, as a tree.
    pub decision: Decision,
}

/// Where "always allow" is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum RuleDestination {
    /// Until the session ends.
    #[default]
    Session,
}

/// The person's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "behavior", rename_all = "lowercase")]
pub enum PromptAnswer {
    /// Run it.
    Allow {
        /// A changed input; it is validated and judged again.
        #[serde(default, rename = "updated_input", skip_serializing_if = "Option::is_none")]
        updated_input: Option<Value>,
        /// Allow rules to save, for example one of the suggestions.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rules: Vec<String>,
        /// Where to save them.
        #[serde(default)]
        destination: RuleDestination,
    },
    /// Do not run it.
    Deny {
        /// What the model is told.
        #[serde(default)]
        message: String,
        /// Whether the whole turn ends here.
        #[serde(default)]
        interrupt: bool,
    },
    /// Not now: the call is not run, the run ends, and the question is kept as a
    /// [`PendingApproval`](crate::PendingApproval).
    Defer {
        /// So many seconds from now the approval is void; `None` is never.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_in: Option<u64>,
    },
}

impl PromptAnswer {
    /// Run it, this once.
    pub fn allow_once() -> Self {
        Self::Allow { updated_input: None, rules: Vec::new(), destination: RuleDestination::Session }
    }

    /// Do not run it, and tell the model why.
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny { message: message.into(), interrupt: false }
    }
}

/// The person, as the host reaches them.
pub trait PermissionPrompt: Send + Sync {
    /// Asks and waits. The future is dropped when the call is cancelled.
    fn ask(&self, request: PromptRequest) -> BoxFuture<'_, Result<PromptAnswer, HostError>>;
}

/// What a classifier says about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClassifierVerdict {
    /// Harmless, with high confidence.
    Allow {
        /// Why.
        reason: String,
    },
    /// Not to be run. In the auto mode the call is refused, until too many were and the person is asked instead; in
    /// every other mode a person decides.
    Block {
        /// Why; the model reads it.
        reason: String,
    },
    /// Anything else: a person decides.
    Unsure,
}

/// Judges a call by its meaning, usually by asking a model.
pub trait Classifier: Send + Sync {
    /// Judges the classifier input of a call; it is never empty. Started together with the hooks.
    fn classify(&self, tool_name: String, input: String) -> BoxFuture<'_, Result<ClassifierVerdict, HostError>>;
}

/// Shows what tools show. Called for each rendered call and result; must not block.
pub trait Renderer: Send + Sync {
    /// Shows one tree of the call with this id.
    fn render(&self, tool_use_id: &str, node: &RenderNode);
}

/// All that the host brings beside the model.
#[derive(Clone, Default)]
pub struct Host {
    /// The person. `None` means that there is nobody to ask: what would ask is denied.
    pub prompt: Option<Arc<dyn PermissionPrompt>>,
    /// Hooks, all run together.
    pub hooks: Vec<Arc<dyn Hook>>,
    /// The classifier.
    pub classifier: Option<Arc<dyn Classifier>>,
    /// The renderer.
    pub renderer: Option<Arc<dyn Renderer>>,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host")
            .field("prompt", &self.prompt.is_some())
            .field("hooks", &self.hooks.len())
            .field("classifier", &self.classifier.is_some())
            .field("renderer", &self.renderer.is_some())
            .finish()
    }
}
