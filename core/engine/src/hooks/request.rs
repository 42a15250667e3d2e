//! Hooks where the permission chain would ask a person: PermissionRequest may answer in their place, PermissionDenied
//! hears of a refusal by the auto mode, Notification of the question itself.

use serde_json::json;
use toolreeve_permission::{Decision, ReasonKind, Rule, RuleSource, RuleValue};

use super::{HookEvent, HookPermission, HookScene, observable_input};
use crate::context::CallContext;
use crate::pipeline::Pipeline;
use crate::tool::{DynTool, ToolInput};

/// What hooks answer in place of the person. An allow that may not stand in for a person is none.
pub(crate) async fn answer(
    pipeline: &Pipeline,
    tool: &dyn DynTool,
    input: &ToolInput,
    ctx: &CallContext,
    decision: &Decision,
) -> Option<HookPermission> {
    let scene = pipeline.scene();
    if !scene.wants("PermissionRequest", tool.name()) {
        return None;
    }
    let event = HookEvent::PermissionRequest {
        tool_name: tool.name().to_owned(),
        tool_input: observable_input(tool, input, input.value.as_ref().clone(), &ctx.context),
        permission_suggestions: suggestions(decision),
    };
    match scene.raise(event).await.permission {
        Some(HookPermission::Allow { updated_input, .. })
            if needs_person(decision) || (tool.requires_interaction(input) && updated_input.is_none()) =>
        {
            None
        }
        answer => answer,
    }
}

/// Questions that no hook answers: removals of critical and writes to protected paths, and what the organisation wants
/// asked.
pub(crate) fn needs_person(decision: &Decision) -> bool {
    let asks = |decision: &&Decision| match decision.reason.kind {
        ReasonKind::CriticalPath | ReasonKind::ProtectedPath => true,
        ReasonKind::RuleAsk => decision.reason.source == Some(RuleSource::PolicySettings),
        _ => false,
    };
    decision.walk().iter().any(asks)
}

/// The suggested rules in the public shape of permission updates.
fn suggestions(decision: &Decision) -> Vec<serde_json::Value> {
    let rules: Vec<RuleValue> = decision
        .suggestions
        .iter()
        .filter_map(|rule| Rule::parse(rule).ok())
        .map(|rule| RuleValue::from(&rule))
        .collect();
    match rules.is_empty() {
        true => Vec::new(),
        false => {
            vec![json!({"type": "addRules", "rules": rules, "behavior": "allow", "destination": "localSettings"})]
        }
    }
}

/// Tells hooks that the auto mode refused a call. Returns whether one of them lets the model try again.
pub(crate) async fn denied(
    pipeline: &Pipeline,
    tool: &dyn DynTool,
    input: &ToolInput,
    ctx: &CallContext,
    reason: &str,
) -> bool {
    let scene = pipeline.scene();
    if !scene.wants("PermissionDenied", tool.name()) {
        return false;
    }
    let event = HookEvent::PermissionDenied {
        tool_name: tool.name().to_owned(),
        tool_input: observable_input(tool, input, input.value.as_ref().clone(), &ctx.context),
        tool_use_id: ctx.tool_use_id.to_string(),
        reason: reason.to_owned(),
    };
    scene.raise(event).await.retry
}

/// Tells hooks that a person is being asked. Nobody waits for them.
pub(crate) fn notify(pipeline: &Pipeline, tool: &dyn DynTool) {
    const KIND: &str = "permission_prompt";
    if !pipeline.scene().wants("Notification", KIND) {
        return;
    }
    let event = HookEvent::Notification {
        message: format!("Permission is needed to use {}", tool.name()),
        title: None,
        notification_type: KIND.to_owned(),
    };
    let (hooks, session, events) = (pipeline.hooks().to_vec(), pipeline.session().clone(), pipeline.events().clone());
    tokio::spawn(async move {
        HookScene::new(&hooks, &session, &events).raise(event).await;
    });
}
