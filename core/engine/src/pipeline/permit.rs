//! Stage 4: one decision from the permission engine, then the classifier and the person where it says "ask".

use futures_util::FutureExt;
use toolreeve_permission::{
    Behavior, Decision, HookVerdict, OwnCheck, PermissionMode, Query, Reason, ReasonKind, RuleSource, Subject, evaluate,
};

use super::classify::Pending;
use super::{Pipeline, Refusal, denials, validate};
use crate::context::CallContext;
use crate::error::{ErrorKind, ToolError};
use crate::event::Event;
use crate::hooks::{self, HookPermission};
use crate::host::{ClassifierVerdict, PermissionPrompt, PromptAnswer, PromptRequest};
use crate::tool::{CallSubject, DynTool, ToolInput};

/// What the tool says itself. A question that its validation raised is its answer, and so is a panic: ask.
pub(super) async fn own_check(
    tool: &dyn DynTool,
    input: &ToolInput,
    ctx: &CallContext,
    question: Option<String>,
) -> OwnCheck {
    let asks = |message: String| OwnCheck::Ask(Reason::new(ReasonKind::Tool, message));
    match question {
        Some(question) => asks(question),
        // Building the future may run the tool's code too, so it happens inside of the guard.
        None => std::panic::AssertUnwindSafe(async { tool.check_permissions(input, ctx).await })
            .catch_unwind()
            .await
            .unwrap_or_else(|_| asks(format!("{} failed while it checked its permissions", tool.name()))),
    }
}

/// Judges a call by rules, mode, hooks and what the tool said. No side effects.
pub(super) fn judge(
    tool: &dyn DynTool,
    input: &ToolInput,
    ctx: &CallContext,
    own: OwnCheck,
    hook: Option<HookVerdict>,
) -> Decision {
    let subject = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tool.permission_subject(input, ctx))).ok();
    // Without a subject no rule with content can match, so nothing but a person may let the call through.
    let requires_interaction = subject.is_none() || tool.requires_interaction(input);
    let subject = subject.unwrap_or_default();
    let query = Query {
        tool: tool.name(),
        input: &input.value,
        subject: match &subject {
            CallSubject::None => Subject::None,
            CallSubject::Command(analysis) => Subject::Command(analysis),
            CallSubject::Path { path, real, access } => Subject::Path { path, real, access: *access },
            CallSubject::Text(text) => Subject::Text(text),
        },
        read_only: tool.is_read_only(input),
        edits_files: tool.edits_files(input),
        requires_interaction,
        hook,
        own,
    };
    // The session's rules, not the snapshot's: a rule that was saved a moment ago counts.
    evaluate(&ctx.session.context().policy, &query)
}

/// Settles a decision that is not to allow: the classifier first, where it may answer; then the person, who may change
/// the input; what they changed is validated and judged again. What comes of it is counted. Where nobody can be asked, a
/// hook may put the question off.
pub(super) async fn settle(
    pipeline: &Pipeline,
    tool: &dyn DynTool,
    ctx: &CallContext,
    decision: Decision,
    (classifier, hook_defers): (Option<Pending>, bool),
    input: &mut ToolInput,
) -> Result<(), Refusal> {
    pipeline.events.send_with(|| {
        let tree = serde_json::to_value(&decision).unwrap_or_default();
        Event::Permission { id: ctx.tool_use_id.to_string(), decision: tree }
    });
    let mut refusal = match answer(pipeline, tool, ctx, &decision, (classifier, hook_defers), input).await {
        Ok(()) => {
            denials::note_allowed(tool, input, ctx, Some(&decision));
            return Ok(());
        }
        Err(refusal) => refusal,
    };
    if refusal.error.kind == ErrorKind::PermissionDenied
        && let Some(guidance) = denials::note_denied(tool, input, ctx, &decision)
    {
        refusal.error.message = format!("{} {guidance}", refusal.error.message);
    }
    Err(refusal)
}

/// Who answers: the decision itself, the classifier, the person, or nobody.
async fn answer(
    pipeline: &Pipeline,
    tool: &dyn DynTool,
    ctx: &CallContext,
    decision: &Decision,
    (classifier, hook_defers): (Option<Pending>, bool),
    input: &mut ToolInput,
) -> Result<(), Refusal> {
    if decision.behavior == Behavior::Deny {
        return Err(denied(tool.name(), decision).into());
    }
    let log = ctx.session.denials();
    let auto = ctx.session.context().policy.mode == PermissionMode::Auto;
    let may_answer = classifier_may_answer(decision, auto) && !(auto && log.auto_mode().is_paused());
    if let Some(mut pending) = classifier.filter(|_| may_answer) {
        let verdict = match pending.ready() {
            Some(verdict) => verdict,
            None => {
                pipeline.events.send_with(|| Event::ClassifierPending { id: ctx.tool_use_id.to_string() });
                pending.verdict().await
            }
        };
        match verdict {
            ClassifierVerdict::Allow { .. } => {
                log.auto_mode().let_through();
                return Ok(());
            }
            ClassifierVerdict::Block { reason } if auto && !log.auto_mode().blocked() => {
                let mut text = format!("Permission to use {} was denied by the auto mode: {reason}.", tool.name());
                if hooks::request::denied(pipeline, tool, input, ctx, &reason).await {
                    text.push_str(" You may try it again.");
                }
                return Err(ToolError::new(ErrorKind::PermissionDenied, text).into());
            }
            ClassifierVerdict::Block { .. } | ClassifierVerdict::Unsure => {}
        }
    }
    // An approval that waited for this call is the person's answer: neither a hook nor they are asked again.
    if let Some(known) = ctx.session.approvals().take_answer(tool.name(), &input.value) {
        take_answer_of_person(tool, ctx, known, input).await?;
    } else {
        let Some(prompt) = &pipeline.host.prompt else {
            let is_put_off = decision.reason.kind == ReasonKind::Hook && hook_defers;
            return Err(match is_put_off {
                true => put_off(ctx, question(tool, ctx, decision, input), None),
                false => nobody_to_ask(tool, decision),
            });
        };
        let question = match hooks::request::answer(pipeline, tool, input, ctx, decision).await {
            Some(answer) => take_answer_of_hook(tool, ctx, answer, input).await?,
            None => Some(decision.clone()),
        };
        if let Some(question) = question {
            hooks::request::notify(pipeline, tool);
            ask_person(prompt.as_ref(), tool, ctx, &question, input).await?;
        }
    }
    log.auto_mode().approved();
    Ok(())
}

/// A classifier stands in for the default question, never for a rule, a hook, the tool or a critical removal that asks.
/// The auto mode is made of it: there it also judges what would be asked about for where it reads and writes and for
/// how it is written.
fn classifier_may_answer(decision: &Decision, auto: bool) -> bool {
    let kind = match decision.reason.kind {
        ReasonKind::NoRule => true,
        ReasonKind::OutsideDirectory
        | ReasonKind::ProtectedPath
        | ReasonKind::TooComplex
        | ReasonKind::ParseUnavailable
        | ReasonKind::Check => auto,
        _ => false,
    };
    decision.behavior == Behavior::Allow
        || (kind && decision.children.iter().all(|child| classifier_may_answer(child, auto)))
}

/// Asks the person and takes their answer, or keeps the question where they put it off.
async fn ask_person(
    prompt: &dyn PermissionPrompt,
    tool: &dyn DynTool,
    ctx: &CallContext,
    decision: &Decision,
    input: &mut ToolInput,
) -> Result<(), Refusal> {
    let request = question(tool, ctx, decision, input);
    match put(prompt, request.clone(), tool.name()).await? {
        PromptAnswer::Defer { expires_in } => Err(put_off(ctx, request, expires_in)),
        answer => take_answer_of_person(tool, ctx, answer, input).await,
    }
}

async fn take_answer_of_person(
    tool: &dyn DynTool,
    ctx: &CallContext,
    answer: PromptAnswer,
    input: &mut ToolInput,
) -> Result<(), Refusal> {
    match answer {
        PromptAnswer::Deny { message, interrupt } => {
            let error = ToolError::new(ErrorKind::PermissionDenied, refused_text(tool.name(), &message));
            Err(Refusal { interrupts_turn: interrupt, ..Refusal::from(error) })
        }
        PromptAnswer::Allow { updated_input, rules, .. } => {
            // The person wrote this input, so a question about it is answered.
            take_input(tool, ctx, updated_input, input).await?;
            save_rules(ctx, &rules);
            Ok(())
        }
        // `Approvals` takes no answer that puts off again.
        PromptAnswer::Defer { .. } => Err(broken(tool.name(), "put off what it had answered")),
    }
}

fn nobody_to_ask(tool: &dyn DynTool, decision: &Decision) -> Refusal {
    let (name, why) = (tool.name(), &decision.reason.message);
    let text = format!("Permission to use {name} was denied: it needs approval and there is nobody to ask ({why}).");
    ToolError::new(ErrorKind::PermissionDenied, text).into()
}

/// All that the person needs to know.
fn question(tool: &dyn DynTool, ctx: &CallContext, decision: &Decision, input: &ToolInput) -> PromptRequest {
    let display_name = tool.user_facing_name(Some(input));
    PromptRequest {
        tool_use_id: ctx.tool_use_id.to_string(),
        tool_name: tool.name().to_owned(),
        title: crate::render::sanitize(&format!("{display_name}: {}", decision.reason.message)),
        display_name,
        input: input.value.as_ref().clone(),
        render: tool.render_use(input),
        destructive_warnings: tool.destructive_warnings(input),
        suggestions: decision.suggestions.clone(),
        blocked_path: decision.blocked_path.clone(),
        decision: decision.clone(),
    }
}

/// Asks and waits. Building the future runs the host's code too, so it happens inside of the guard.
async fn put(prompt: &dyn PermissionPrompt, request: PromptRequest, tool: &str) -> Result<PromptAnswer, Refusal> {
    match std::panic::AssertUnwindSafe(async { prompt.ask(request).await }).catch_unwind().await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(broken(tool, &format!("failed: {error}"))),
        Err(_) => Err(broken(tool, "panicked")),
    }
}

fn broken(tool: &str, how: &str) -> Refusal {
    let text = format!("Permission to use {tool} was denied: the permission prompt {how}.");
    ToolError::new(ErrorKind::Host, text).into()
}

/// Keeps the question for later. Calls beside it go on; the loop above asks the model nothing more before it is answered.
fn put_off(ctx: &CallContext, request: PromptRequest, expires_in: Option<u64>) -> Refusal {
    let name = request.tool_name.clone();
    match ctx.session.approvals().defer(ctx.session.id(), request, expires_in) {
        Ok(approval) => {
            ctx.events().send_with(|| Event::ApprovalPending {
                id: approval.id.clone(),
                approval: serde_json::to_value(&approval).unwrap_or_default(),
            });
            let text = format!("{name} was not run yet: it waits for the approval {}.", approval.id);
            ToolError::new(ErrorKind::Deferred, text).into()
        }
        Err(error) => {
            let text = format!("Permission to use {name} was denied: {error}.");
            ToolError::new(ErrorKind::PermissionDenied, text).into()
        }
    }
}

/// A hook answered in place of the person. `Some` is a question that its changed input raises and no hook answers.
async fn take_answer_of_hook(
    tool: &dyn DynTool,
    ctx: &CallContext,
    answer: HookPermission,
    input: &mut ToolInput,
) -> Result<Option<Decision>, Refusal> {
    match answer {
        HookPermission::Allow { updated_input, updates } => {
            let question = take_input(tool, ctx, updated_input, input).await?.filter(hooks::request::needs_person);
            for update in updates {
                let mut applied = Ok(());
                ctx.session.update_context(|context| applied = context.policy.apply(&update));
                if let Err(error) = applied {
                    ctx.events().send(Event::Error { kind: "permission-rule".to_owned(), message: error.to_string() });
                }
            }
            Ok(question)
        }
        HookPermission::Deny { message, interrupt } => {
            let text = match message.as_str() {
                "" => format!("Permission to use {} was denied by a PermissionRequest hook.", tool.name()),
                why => format!("Permission to use {} was denied: {why}", tool.name()),
            };
            let error = ToolError::new(ErrorKind::PermissionDenied, text);
            Err(Refusal { interrupts_turn: interrupt, ..Refusal::from(error) })
        }
    }
}

/// Puts a changed input in place. What is denied stays denied; `Some` is what would be asked about it now.
async fn take_input(
    tool: &dyn DynTool,
    ctx: &CallContext,
    updated: Option<serde_json::Value>,
    input: &mut ToolInput,
) -> Result<Option<Decision>, Refusal> {
    let Some(updated) = updated.filter(|updated| updated != input.value.as_ref()) else { return Ok(None) };
    validate::revalidate(tool, input, &updated, ctx).await?;
    let own = own_check(tool, input, ctx, None).await;
    let again = judge(tool, input, ctx, own, None);
    match again.behavior {
        Behavior::Deny => Err(denied(tool.name(), &again).into()),
        Behavior::Ask => Ok(Some(again)),
        Behavior::Allow => Ok(None),
    }
}

fn refused_text(tool: &str, feedback: &str) -> String {
    if feedback.is_empty() {
        format!(
            "The user refused this use of {tool}. It was not run. Do not try it again; do something else or ask what is wanted."
        )
    } else {
        format!("The user refused this use of {tool}. It was not run. They said: {feedback}")
    }
}

/// Saves the rules that the person chose. One that is no rule is reported; the others count.
fn save_rules(ctx: &CallContext, rules: &[String]) {
    if rules.is_empty() {
        return;
    }
    let mut problems = Vec::new();
    ctx.session.update_context(|context| {
        problems.extend(
            rules.iter().filter_map(|rule| context.policy.add(Behavior::Allow, rule, RuleSource::Session).err()),
        );
    });
    for error in problems {
        ctx.events().send(Event::Error { kind: "permission-rule".to_owned(), message: error.to_string() });
    }
}

fn denied(tool: &str, decision: &Decision) -> ToolError {
    // The message names the rule; where it stands is not part of it.
    let Reason { message, source, .. } = &decision.reason;
    let origin = source.map_or_else(String::new, |source| format!(" ({})", source_in_words(source)));
    let text = format!("Permission to use {tool} was denied: {message}{origin}.");
    ToolError::new(ErrorKind::PermissionDenied, text)
}

fn source_in_words(source: RuleSource) -> &'static str {
    match source {
        RuleSource::UserSettings => "user settings",
        RuleSource::ProjectSettings => "project settings",
        RuleSource::LocalSettings => "local settings",
        RuleSource::FlagSettings => "settings given at start",
        RuleSource::PolicySettings => "organisation policy",
        RuleSource::CliArg => "rules given at start",
        RuleSource::Command => "the running command",
        RuleSource::Session => "this session",
    }
}
