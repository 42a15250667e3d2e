//! The eight stages that every call goes through, in order, each in a file of its own:
//!
//! 1. `lookup`: by name, then by older name
//! 2. `validate`: the schema with coercion, once; later the tool's own validation
//! 3. hooks before the call (`hooks/pre`) and the classifier (`classify`), started at the same moment
//! 4. `permit`: one decision, and the person where it says so
//! 5. `call`: the work itself
//! 6. `result/`: the block for the model, within its limits
//! 7. hooks after the call (`hooks/post`)
//! 8. `finish`: what the executors and the host get
//!
//! Values go forward only: no stage calls back. Whatever goes wrong becomes a result with `is_error`; nothing here
//! returns `Err` to the executors.

mod call;
mod classify;
mod finish;
mod lookup;
mod permit;
mod validate;

use std::sync::Arc;

use serde_json::Value;
use toolreeve_permission::Decision;

use crate::context::{CallContext, ContextChange, Session};
use crate::error::{ErrorKind, ToolError};
use crate::event::{Event, EventSink};
use crate::exec::cancel::{CancelReason, CancelToken};
use crate::hooks;
use crate::host::{Hook, Host};
use crate::message::{Message, ToolResult, ToolUse};
use crate::pool::ToolPool;
use crate::registry::{Resolved, ToolRegistry};
use crate::render::RenderNode;
use crate::tool::{DynTool, ToolInput};

/// A request of the model as the stream adapter hands it over.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedCall {
    /// The block, as it goes back to the model.
    pub tool_use: ToolUse,
    /// Why the input is not JSON, if it is not; the call then fails at stage 2.
    pub broken_input: Option<String>,
}

impl RequestedCall {
    /// A request whose input is JSON.
    pub fn new(tool_use: ToolUse) -> Self {
        Self { tool_use, broken_input: None }
    }
}

/// A call after stages 1 and 2: what the scheduler needs to know.
pub struct PreparedCall {
    /// The request.
    pub tool_use: ToolUse,
    /// Whether it may run beside others. What is not valid counts as not safe.
    pub concurrency_safe: bool,
    /// Whether an interruption by the person stops it.
    pub stops_on_interrupt: bool,
    target: Result<Target, ToolError>,
}

/// The tool that was found and the input that fits it.
struct Target {
    tool: Arc<dyn DynTool>,
    input: ToolInput,
    by_alias: bool,
}

/// How a call ended.
#[derive(Debug)]
pub struct CallOutcome {
    /// The block for the model.
    pub result: ToolResult,
    /// How the tool shows it.
    pub render: Option<RenderNode>,
    /// What went wrong, if something did.
    pub error: Option<ToolError>,
    /// Text for the model beside the result, from hooks.
    pub additional_context: Vec<String>,
    /// Messages to add to the conversation.
    pub new_messages: Vec<Message>,
    /// A change of the context; executors decide whether it is honoured.
    pub context_change: Option<ContextChange>,
    /// Whether the calls beside it are to be cancelled.
    pub cancels_siblings: bool,
    /// Whether the person wants the turn to end.
    pub interrupts_turn: bool,
}

/// The stages with all they need. One per turn; shared by its calls.
pub struct Pipeline {
    registry: Arc<ToolRegistry>,
    pool: ToolPool,
    host: Host,
    session: Arc<Session>,
    events: EventSink,
    verdicts: classify::VerdictCache,
}

impl Pipeline {
    /// Puts the stages together. `pool` is what the model was offered this turn; `registry` may know more.
    pub fn new(
        registry: Arc<ToolRegistry>,
        pool: ToolPool,
        host: Host,
        session: Arc<Session>,
        events: EventSink,
    ) -> Self {
        Self { registry, pool, host, session, events, verdicts: classify::VerdictCache::default() }
    }

    /// The session of the calls.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Where events go.
    pub fn events(&self) -> &EventSink {
        &self.events
    }

    pub(crate) fn hooks(&self) -> &[Arc<dyn Hook>] {
        &self.host.hooks
    }

    /// Stages 1 and 2, up to the schema: cheap, synchronous, and done when the request arrives.
    pub fn prepare(&self, call: RequestedCall) -> PreparedCall {
        let RequestedCall { tool_use, broken_input } = call;
        let target =
            lookup::find(&self.registry, &self.pool, &tool_use.name).and_then(|Resolved { tool, by_alias }| {
                let input = validate::parse(tool.as_ref(), &tool_use.input, broken_input.as_deref(), &self.pool)?;
                Ok(Target { tool, input, by_alias })
            });
        let (concurrency_safe, stops_on_interrupt) = match &target {
            Ok(Target { tool, input, .. }) => (tool.is_concurrency_safe(input), tool.stops_on_interrupt(input)),
            Err(_) => (false, true),
        };
        self.announce(&tool_use, target.as_ref().ok());
        PreparedCall { tool_use, concurrency_safe, stops_on_interrupt, target }
    }

    /// Tells observers of the request, with its input completed for them.
    fn announce(&self, tool_use: &ToolUse, target: Option<&Target>) {
        let mut input = tool_use.input.clone();
        let mut render = None;
        if let Some(target) = target {
            target.tool.backfill_observable_input(&mut input, &self.session.context());
            let shown = target.tool.render_use(&target.input);
            self.show(&tool_use.id, &shown);
            render = Some(shown);
        }
        let (id, name) = (tool_use.id.clone(), tool_use.name.clone());
        self.events.send(Event::ToolUse { id, name, input, render });
    }

    /// Hands a tree to the host's renderer. One that panics must not take the call with it.
    fn show(&self, id: &str, node: &RenderNode) {
        if let Some(renderer) = &self.host.renderer {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| renderer.render(id, node)));
        }
    }

    /// Tells observers and the renderer of a result, when it leaves in the model's order.
    pub(crate) fn announce_result(&self, outcome: &CallOutcome) {
        if let Some(node) = &outcome.render {
            self.show(&outcome.result.tool_use_id, node);
        }
        self.events.send(Event::ToolResult {
            result: outcome.result.clone(),
            render: outcome.render.clone(),
            error_class: outcome.error.as_ref().map(ToolError::telemetry_class),
        });
    }

    /// Stages 2b to 8. Never panics and never fails: every way to end is an outcome. Dropping the future drops the
    /// call.
    pub async fn run(&self, call: PreparedCall, cancel: CancelToken) -> CallOutcome {
        let PreparedCall { tool_use, target, .. } = call;
        let ctx = CallContext::new(tool_use.id.as_str(), Arc::clone(&self.session), cancel, self.events.clone());
        match target {
            Ok(target) => self.run_target(&tool_use, target, &ctx).await,
            Err(error) => finish::failed(&tool_use.id, None, error),
        }
    }

    async fn run_target(&self, tool_use: &ToolUse, target: Target, ctx: &CallContext) -> CallOutcome {
        let Target { tool, mut input, by_alias } = target;
        // Until the work itself begins, a cancel drops whatever is waited for at once.
        let permitted = tokio::select! {
            biased;
            reason = ctx.cancel.cancelled() => Err(Refusal::from(finish::cancelled_error(reason))),
            permitted = self.before_call(tool_use, tool.as_ref(), &mut input, ctx) => permitted,
        };
        let additional_context = match permitted {
            Ok(context) => context,
            Err(Refusal { error, interrupts_turn, additional_context }) => {
                let outcome = finish::failed(&tool_use.id, Some((tool.as_ref(), &input)), error);
                return CallOutcome { interrupts_turn, additional_context, ..outcome };
            }
        };
        let called = call::call(tool.as_ref(), &input, ctx).await;
        let (mut outcome, data) = finish::from_call(self, tool_use, tool.as_ref(), &input, called).await;
        hooks::post::run(self, tool_use, tool.as_ref(), &input, &mut outcome, data.as_deref()).await;
        finish::complete(tool.as_ref(), by_alias, &tool_use.name, additional_context, &mut outcome);
        outcome
    }

    /// Stages 2b to 4: everything that may still say no. Returns what the hooks want the model to know.
    async fn before_call(
        &self,
        tool_use: &ToolUse,
        tool: &dyn DynTool,
        input: &mut ToolInput,
        ctx: &CallContext,
    ) -> Result<Vec<String>, Refusal> {
        let mut question = validate::validate(tool, input, ctx).await?;
        let classifier = classify::start(self, tool, input);
        let mut pre = hooks::pre::run(self, tool_use, tool, input, ctx).await;
        if let Some(updated) = pre.updated_input.take() {
            *input = validate::reparse(tool, &updated)?;
            question = validate::validate(tool, input, ctx).await?;
        }
        let request = permit::Request { tool_use, tool, ctx, question, hook: pre.verdict, classifier };
        match permit::permit(self, request, input).await {
            Ok(()) => Ok(pre.additional_context),
            Err(refusal) => Err(Refusal { additional_context: pre.additional_context, ..refusal }),
        }
    }

    /// Judges a call without running it or asking anybody: the `check` verb. Hooks and classifiers are not run.
    ///
    /// # Errors
    /// If there is no such tool or the input does not fit it.
    pub async fn check(&self, name: &str, input: &Value) -> Result<Decision, ToolError> {
        let Resolved { tool, .. } = lookup::find(&self.registry, &self.pool, name)?;
        let input = validate::parse(tool.as_ref(), input, None, &self.pool)?;
        let ctx = CallContext::new("", Arc::clone(&self.session), CancelToken::new(), EventSink::none());
        let question = validate::validate(tool.as_ref(), &input, &ctx).await.map_err(|refusal| refusal.error)?;
        Ok(permit::judge(tool.as_ref(), &input, &ctx, question, None).await)
    }
}

/// A call that must not run.
struct Refusal {
    /// What the model is told.
    error: ToolError,
    /// Whether the person wants the turn to end.
    interrupts_turn: bool,
    /// What hooks want the model to know all the same.
    additional_context: Vec<String>,
}

impl From<ToolError> for Refusal {
    fn from(error: ToolError) -> Self {
        Self { error, interrupts_turn: false, additional_context: Vec::new() }
    }
}

/// The outcome of a call that never started.
pub(crate) fn never_started(tool_use_id: &str, reason: CancelReason) -> CallOutcome {
    finish::failed(tool_use_id, None, finish::cancelled_error(reason))
}

/// The outcome of a call whose task was lost: a broken runtime, not a broken tool.
pub(crate) fn lost(tool_use_id: &str) -> CallOutcome {
    finish::failed(tool_use_id, None, ToolError::new(ErrorKind::Panicked, "The call was lost before it could finish."))
}
