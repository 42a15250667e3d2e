//! The engine's callbacks, answered by the host through the queue.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use toolreeve_engine::host::{
    Classifier, ClassifierVerdict, Hook, HookInput, HookOutcome, HostError, ModelChunks, ModelRequest, ModelStream,
    PermissionPrompt, PromptAnswer, PromptRequest,
};
use toolreeve_engine::{CallContext, CancelToken, DynTool, ErrorKind, HostOutput, ResultLimit, ToolBuilder, ToolError};

use super::agent::HostToolSpec;
use super::queue::{Bridge, HostRequest, Waiting};
use crate::hooks::Matcher;

/// What a caller gets when the host is gone.
const HOST_GONE: &str = "the host did not answer and never will";

/// The model behind the queue.
pub(super) struct BridgedModel(pub(super) Bridge);

impl ModelStream for BridgedModel {
    fn open(&self, request: ModelRequest, _cancel: CancelToken) -> BoxFuture<'_, Result<ModelChunks, HostError>> {
        let (sender, chunks) = mpsc::unbounded_channel();
        let id = self.0.new_id();
        let guard = self.0.ask(id, Waiting::Model(sender), HostRequest::Model { id, body: Box::new(request) });
        // The guard lives as long as the stream: dropping the stream withdraws the request.
        let stream = stream::unfold((chunks, guard), |(mut chunks, guard)| async move {
            chunks.recv().await.map(|chunk| (chunk, (chunks, guard)))
        });
        std::future::ready(Ok(stream.boxed())).boxed()
    }
}

/// The person behind the queue.
pub(super) struct BridgedPrompt(pub(super) Bridge);

impl PermissionPrompt for BridgedPrompt {
    fn ask(&self, request: PromptRequest) -> BoxFuture<'_, Result<PromptAnswer, HostError>> {
        async move {
            let (sender, answer) = oneshot::channel();
            let id = self.0.new_id();
            let prompt = Box::new(request);
            let _guard = self.0.ask(id, Waiting::Permission(sender), HostRequest::Permission { id, prompt });
            answer.await.unwrap_or_else(|_| Err(HostError::new(HOST_GONE)))
        }
        .boxed()
    }
}

/// The classifier behind the queue.
pub(super) struct BridgedClassifier(pub(super) Bridge);

impl Classifier for BridgedClassifier {
    fn classify(&self, tool_name: String, input: String) -> BoxFuture<'_, Result<ClassifierVerdict, HostError>> {
        async move {
            let (sender, verdict) = oneshot::channel();
            let id = self.0.new_id();
            let request = HostRequest::Classifier { id, tool_name, input };
            let _guard = self.0.ask(id, Waiting::Classifier(sender), request);
            verdict.await.unwrap_or_else(|_| Err(HostError::new(HOST_GONE)))
        }
        .boxed()
    }
}

/// A hook behind the queue.
pub(super) struct BridgedHook {
    pub(super) bridge: Bridge,
    pub(super) number: usize,
    pub(super) event: String,
    pub(super) matcher: Matcher,
}

impl Hook for BridgedHook {
    fn matches(&self, event: &str, subject: &str) -> bool {
        self.event == event && (subject.is_empty() || self.matcher.matches(subject))
    }

    fn run(&self, input: Arc<HookInput>) -> BoxFuture<'_, Result<HookOutcome, HostError>> {
        async move {
            let (sender, answer) = oneshot::channel();
            let id = self.bridge.new_id();
            let request = HostRequest::Hook { id, hook: self.number, input: input.to_json() };
            let _guard = self.bridge.ask(id, Waiting::Hook(sender), request);
            answer.await.unwrap_or_else(|_| Err(HostError::new(HOST_GONE)))
        }
        .boxed()
    }
}

/// A host-written tool behind the queue.
pub(super) fn bridged_tool(bridge: &Bridge, spec: HostToolSpec) -> Arc<dyn DynTool> {
    let limit = spec.max_result_chars.map_or(ResultLimit::Chars(usize::MAX), ResultLimit::Chars);
    let mut builder = ToolBuilder::new(&spec.name, &spec.description, spec.input_schema)
        .aliases(spec.aliases)
        .max_result_size(limit)
        .defer(spec.defer_loading, spec.search_hint)
        .concurrency_safe(spec.concurrency_safe)
        .read_only(spec.read_only)
        .destructive(spec.destructive)
        .requires_interaction(spec.requires_interaction)
        .classifier_fields(spec.classifier_fields);
    if let Some(prompt) = spec.prompt {
        builder = builder.prompt(prompt);
    }
    if spec.reads.is_some() || spec.writes.is_some() {
        builder = builder.resource_keys(spec.reads.unwrap_or_default(), spec.writes.unwrap_or_default());
    }
    let (bridge, name) = (bridge.clone(), spec.name);
    builder.build(move |input, ctx| ask_tool(bridge.clone(), name.clone(), input, ctx))
}

async fn ask_tool(bridge: Bridge, name: String, input: Value, ctx: CallContext) -> Result<HostOutput, ToolError> {
    let (sender, answer) = oneshot::channel();
    let id = bridge.new_id();
    let tool_use_id = ctx.tool_use_id.to_string();
    let waiting =
        Waiting::Tool { answer: sender, tool_use_id: Arc::clone(&ctx.tool_use_id), events: ctx.events().clone() };
    let _guard = bridge.ask(id, waiting, HostRequest::Tool { id, name, input, tool_use_id });
    tokio::select! {
        biased;
        answer = answer => answer.unwrap_or_else(|_| Err(ToolError::new(ErrorKind::Host, HOST_GONE))),
        // The guard tells the host; what the host still does is its own business.
        reason = ctx.cancel.cancelled() => Err(ToolError::new(ErrorKind::Cancelled(reason), "cancelled")),
    }
}
