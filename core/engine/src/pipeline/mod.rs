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
mod denials;
mod finish;
mod lookup;
mod permit;
mod validate;

use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) use denials::DenialLog;
use futures_util::FutureExt;
use serde_json::Value;
use toolreeve_permission::{Behavior, Decision};

use crate::context::{CallContext, ContextChange, Session};
use crate::error::{ErrorKind, ToolError};
use crate::event::{Event, EventSink};
use crate::exec::cancel::{CancelReason, CancelToken};
use crate::exec::gate::Footprint;
use crate::exec::streaming::Place;
use crate::hooks::{self, HookScene};
use crate::host::{Hook, Host};
use crate::message::{Message, ToolResult, ToolUse};
use crate::pool::ToolPool;
use crate::registry::{Resolved, ToolRegistry};
use crate::render::RenderNode;
use crate::result::{is_large, spill_if_large};
use crate::tool::{DynData, DynTool, ToolInput};

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
    /// The id of the request.
    pub id: Arc<str>,
    /// What it may run beside. What is not valid runs alone.
    pub footprint: Footprint,
    target: Result<Target, Box<ToolError>>,
}

/// The tool that was found and the input that fits it.
struct Target {
    tool: Arc<dyn DynTool>,
    input: ToolInput,
    /// The older name that the model used, if it did.
    older_name: Option<String>,
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
    /// Why a hook wants the run to end, if one does; the reason may be empty.
    pub stop: Option<String>,
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

    /// Where events for hooks are raised.
    pub(crate) fn scene(&self) -> HookScene<'_> {
        HookScene::new(&self.host.hooks, &self.session, &self.events)
    }

    /// Stages 1 and 2, up to the schema: cheap, synchronous, and done when the request arrives.
    pub fn prepare(&self, call: RequestedCall) -> PreparedCall {
        let RequestedCall { tool_use, broken_input } = call;
        let target =
            lookup::find(&self.registry, &self.pool, &tool_use.name).and_then(|Resolved { tool, by_alias }| {
                let input = validate::parse(tool.as_ref(), &tool_use.input, broken_input.as_deref(), &self.pool)?;
                Ok(Target { tool, input, older_name: by_alias.then(|| tool_use.name.clone()) })
            });
        let footprint = match &target {
            Ok(Target { tool, input, .. }) => self.footprint(tool.as_ref(), input),
            Err(_) => Footprint::undeclared(false),
        };
        let id = Arc::from(tool_use.id.as_str());
        self.announce(tool_use, target.as_ref().ok());
        PreparedCall { id, footprint, target: target.map_err(Box::new) }
    }

    /// What a call with this input may run beside.
    fn footprint(&self, tool: &dyn DynTool, input: &ToolInput) -> Footprint {
        let concurrency_safe = tool.is_concurrency_safe(input);
        // A call whose failure stops the others must not let start what the simple rule would have kept waiting.
        let declared = tool.resources(input, &self.session.context());
        let resources = declared.filter(|_| concurrency_safe || !tool.failure_cancels_siblings(input));
        Footprint { concurrency_safe, resources }
    }

    /// Tells observers of the request, with its input completed for them.
    fn announce(&self, tool_use: ToolUse, target: Option<&Target>) {
        if !self.events.is_heard() && self.host.renderer.is_none() {
            return;
        }
        let ToolUse { id, name, mut input } = tool_use;
        let mut render = None;
        if let Some(Target { tool, input: parsed, .. }) = target {
            input = hooks::observable_input(tool.as_ref(), parsed, input, &self.session.context());
            let shown = tool.render_use(parsed);
            self.show(&id, &shown);
            render = Some(shown);
        }
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
        self.events.send_with(|| Event::ToolResult {
            result: outcome.result.clone(),
            render: outcome.render.clone(),
            error_class: outcome.error.as_ref().map(ToolError::telemetry_class),
        });
    }

    /// Stages 2b to 8. Never panics and never fails: every way to end is an outcome. Dropping the future drops the
    /// call. An interruption by the person does not stop the work of a tool that must finish; whatever comes before
    /// and after the work it does.
    pub async fn run(&self, call: PreparedCall, cancel: CancelToken) -> CallOutcome {
        *self.run_boxed(&call, &cancel, None).await
    }

    /// The same; boxed, because every move of a task copies what it holds. For that reason too the call is borrowed.
    /// `place` is where an executor decides when the work may begin.
    pub(crate) async fn run_boxed(
        &self,
        call: &PreparedCall,
        cancel: &CancelToken,
        place: Option<&Place>,
    ) -> Box<CallOutcome> {
        match &call.target {
            Ok(target) => {
                let stages = std::panic::AssertUnwindSafe(self.run_target(call, target, cancel, place));
                stages.catch_unwind().await.unwrap_or_else(|_| lost(&call.id))
            }
            Err(error) => finish::failed(&call.id, None, ToolError::clone(error)),
        }
    }

    async fn run_target(
        &self,
        call: &PreparedCall,
        target: &Target,
        cancel: &CancelToken,
        place: Option<&Place>,
    ) -> Box<CallOutcome> {
        let (id, tool) = (&call.id, target.tool.as_ref());
        let mut input = target.input.clone();
        let stop = match tool.stops_on_interrupt(&input) {
            true => cancel.clone(),
            false => cancel.child_ignoring(CancelReason::User),
        };
        let ctx = CallContext::new(Arc::clone(id), Arc::clone(&self.session), stop, self.events.clone());
        let permitted = match cancel.reason() {
            Some(reason) => Err(Refusal::from(finish::cancelled_error(reason))),
            // Until the work itself begins, a cancel drops whatever is waited for at once.
            None => tokio::select! {
                biased;
                permitted = async {
                    let permitted = self.before_call(tool, &mut input, &ctx).await;
                    if let (Ok(_), Some(place)) = (&permitted, place) {
                        place.settled(self.changed_footprint(call, target, &input)).await;
                    }
                    permitted
                } => permitted,
                reason = cancel.cancelled() => Err(Refusal::from(finish::cancelled_error(reason))),
            },
        };
        let permitted = permitted.and_then(|additional_context| match cancel.reason() {
            None => Ok(additional_context),
            Some(reason) => Err(Refusal { additional_context, ..Refusal::from(finish::cancelled_error(reason)) }),
        });
        let mut outcome = match permitted {
            Ok(additional_context) => {
                let begun = Instant::now();
                let called = call::call(tool, &input, &ctx).await;
                let (mut outcome, data) = finish::from_call(id, tool, &input, called);
                if !self.host.hooks.is_empty() || is_large(&outcome.result, tool.max_result_size()) {
                    // Boxed, because it is rare and every call would carry its size.
                    self.after_call(tool, &input, &ctx, cancel, &mut outcome, (data, begun.elapsed())).boxed().await;
                }
                finish::put_first(additional_context, &mut outcome);
                outcome
            }
            Err(refusal) => finish::refused(id, tool, &input, refusal),
        };
        if let Some(older_name) = &target.older_name {
            finish::add_notice(tool.name(), older_name, &mut outcome);
        }
        outcome
    }

    /// The footprint of the input that will run, where it may differ from that of the request: a hook or the person
    /// changed the input, or a link on the way of a declared path leads elsewhere by now.
    fn changed_footprint(&self, call: &PreparedCall, target: &Target, input: &ToolInput) -> Option<Footprint> {
        let is_same = Arc::ptr_eq(&input.value, &target.input.value);
        (!is_same || call.footprint.resources.is_some()).then(|| {
            let footprint = self.footprint(target.tool.as_ref(), input);
            // Batches are cut by concurrency safety alone; what declared nothing at first is in one of them.
            let resources = footprint.resources.filter(|_| call.footprint.resources.is_some());
            Footprint { resources, ..footprint }
        })
    }

    /// What is left of stage 6, and stage 7.
    async fn after_call(
        &self,
        tool: &dyn DynTool,
        input: &ToolInput,
        ctx: &CallContext,
        cancel: &CancelToken,
        outcome: &mut CallOutcome,
        (data, took): (Option<Box<dyn DynData>>, Duration),
    ) {
        let (limit, spill_dir) = (tool.max_result_size(), self.session.spill_dir());
        spill_if_large(&mut outcome.result, limit, spill_dir).await;
        if self.host.hooks.is_empty() {
            return;
        }
        // The result stands, so an interruption only ends the waiting for hooks, which may never return.
        tokio::select! {
            biased;
            () = hooks::post::run(self, tool, input, ctx, outcome, data.as_deref(), took) => {}
            _ = cancel.cancelled() => {}
        }
        // A hook may have put a larger text in place of the output.
        spill_if_large(&mut outcome.result, limit, spill_dir).await;
    }

    /// Stages 2b to 4: everything that may still say no. Returns what the hooks want the model to know.
    async fn before_call(
        &self,
        tool: &dyn DynTool,
        input: &mut ToolInput,
        ctx: &CallContext,
    ) -> Result<Vec<String>, Refusal> {
        let question = validate::validate(tool, input, ctx).await?;
        if !self.host.hooks.is_empty() || self.host.classifier.is_some() {
            return self.before_call_with_hooks(tool, input, ctx, question).boxed().await;
        }
        let own = permit::own_check(tool, input, ctx, question).await;
        let decision = permit::judge(tool, input, ctx, own, None);
        if decision.behavior == Behavior::Allow {
            denials::note_allowed(tool, input, ctx, Some(&decision));
        } else {
            permit::settle(self, tool, ctx, decision, (None, false), input).boxed().await?;
        }
        Ok(Vec::new())
    }

    /// Stages 3 and 4 where hooks or a classifier have a say.
    async fn before_call_with_hooks(
        &self,
        tool: &dyn DynTool,
        input: &mut ToolInput,
        ctx: &CallContext,
        mut question: Option<String>,
    ) -> Result<Vec<String>, Refusal> {
        let mut classifier = classify::start(self, tool, input);
        let pre = hooks::pre::run(self, tool, input, ctx).await;
        let (additional_context, stop) = (pre.additional_context, pre.stop);
        if let Some(updated) = pre.updated_input {
            question = match validate::revalidate(tool, input, &updated, ctx).await {
                Ok(question) => question,
                Err(refusal) => return Err(Refusal { additional_context, stop, ..refusal }),
            };
            // What was said about the old input says nothing about the new one.
            classifier = classify::restart(self, tool, input, classifier);
        }
        let own = permit::own_check(tool, input, ctx, question).await;
        let decision = permit::judge(tool, input, ctx, own, pre.verdict);
        if decision.behavior == Behavior::Allow {
            denials::note_allowed(tool, input, ctx, Some(&decision));
            return Ok(additional_context);
        }
        match permit::settle(self, tool, ctx, decision, (classifier, pre.defers), input).await {
            Ok(()) => Ok(additional_context),
            Err(refusal) => Err(Refusal { additional_context, stop, ..refusal }),
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
        let question = validate::validate(tool.as_ref(), &input, &ctx).await.map_err(|refusal| *refusal.error)?;
        let own = permit::own_check(tool.as_ref(), &input, &ctx, question).await;
        Ok(permit::judge(tool.as_ref(), &input, &ctx, own, None))
    }
}

/// A call that must not run.
struct Refusal {
    /// What the model is told.
    error: Box<ToolError>,
    /// Whether the person wants the turn to end.
    interrupts_turn: bool,
    /// What hooks want the model to know all the same.
    additional_context: Vec<String>,
    /// Why a hook wants the run to end, if one does.
    stop: Option<String>,
}

impl From<ToolError> for Refusal {
    fn from(error: ToolError) -> Self {
        Self { error: Box::new(error), interrupts_turn: false, additional_context: Vec::new(), stop: None }
    }
}

/// The outcome of a call that never started.
pub(crate) fn never_started(tool_use_id: &str, reason: CancelReason) -> Box<CallOutcome> {
    finish::failed(tool_use_id, None, finish::cancelled_error(reason))
}

/// The outcome of a call whose task was lost: a broken runtime, not a broken tool.
pub(crate) fn lost(tool_use_id: &str) -> Box<CallOutcome> {
    finish::failed(tool_use_id, None, ToolError::new(ErrorKind::Panicked, "The call was lost before it could finish."))
}
