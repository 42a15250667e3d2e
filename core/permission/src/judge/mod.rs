//! What the rules, the directories and the hard limits say about one call, before hooks, the tool itself and the modes
//! that change every answer. One file for each kind of subject. Owns no order beyond "deny, ask, allow" within a
//! subject; the whole order is in `evaluate`.

mod command;
mod hard;
mod path;
mod paths;
mod places;
mod plain;
mod scripts;

pub(crate) use places::clean;

use crate::decision::{Behavior, Decision, Reason, ReasonKind};
use crate::policy::Policy;
use crate::query::{Query, Subject};
use crate::source::SourcedRule;

/// Judges a call by its subject.
pub(crate) fn judge(policy: &Policy, query: &Query<'_>) -> Decision {
    if let Some(decision) = by_tool(policy, query, Behavior::Deny) {
        return decision;
    }
    let by_subject = match query.subject {
        Subject::None => plain::judge(policy, query, None),
        Subject::Text(text) => plain::judge(policy, query, Some(text)),
        Subject::Path { path, real, access } => path::judge(policy, query, path, real, access),
        Subject::Command(analysis) => command::judge(policy, query, analysis),
    };
    if by_subject.behavior == Behavior::Deny || by_subject.reason.kind == ReasonKind::CriticalPath {
        return by_subject;
    }
    match by_tool(policy, query, Behavior::Ask) {
        Some(ask) => Decision { children: by_subject.children, ..ask },
        None => by_subject,
    }
}

/// Deny and ask rules that speak about the whole tool or about one of its parameters.
fn by_tool(policy: &Policy, query: &Query<'_>, behavior: Behavior) -> Option<Decision> {
    let rules = policy.rules(behavior);
    if rules.is_empty() {
        return None;
    }
    let kind = if behavior == Behavior::Deny { ReasonKind::RuleDeny } else { ReasonKind::RuleAsk };
    let verb = if behavior == Behavior::Deny { "denies" } else { "asks about" };
    let decide = |sourced: &SourcedRule, what: String| {
        let message = format!("the rule {} {verb} {what}", sourced.rule.text());
        Decision::new(behavior, Reason::of_rule(kind, message, sourced))
    };
    // Inside of a sandbox every command runs unasked; a rule that asks about all of them would undo that.
    let sandboxed = behavior == Behavior::Ask
        && policy.sandboxed
        && matches!(query.subject, Subject::Command(_))
        && policy.mode != crate::PermissionMode::Plan;
    if !sandboxed && let Some(sourced) = rules.whole_tool(query.tool).next() {
        return Some(decide(sourced, format!("every use of {}", query.tool)));
    }
    let main = crate::tools::main_field(query.tool);
    rules
        .for_params(query.tool)
        .find(|sourced| {
            sourced
                .rule
                .compiled()
                .and_then(|content| content.param.as_ref())
                .is_some_and(|param| main != Some(param.name.as_str()) && param.matches(query.input))
        })
        .map(|sourced| decide(sourced, format!("this use of {}", query.tool)))
}

/// The allow rule for the whole tool.
fn allows_tool<'a>(policy: &'a Policy, tool: &str) -> Option<&'a SourcedRule> {
    if policy.allow.is_empty() {
        return None;
    }
    // The auto mode's classifier judges what a rule on everything would wave through.
    let suspended =
        policy.mode == crate::PermissionMode::Auto && matches!(tool, "Bash" | "PowerShell" | "Monitor" | "Agent");
    policy.allow.whole_tool(tool).filter(|_| !suspended).find(|sourced| sourced.rule.usable_as_allow())
}

fn allow_by(sourced: &SourcedRule) -> Decision {
    let message = format!("the rule {} allows it", sourced.rule.text());
    Decision::new(Behavior::Allow, Reason::of_rule(ReasonKind::RuleAllow, message, sourced))
}

fn ask(kind: ReasonKind, message: impl Into<String>) -> Decision {
    Decision::new(Behavior::Ask, Reason::new(kind, message))
}
