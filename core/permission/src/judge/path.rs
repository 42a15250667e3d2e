//! Calls whose subject is one path: the file tools.

use std::path::Path;

use super::places::{self, Target};
use super::{allow_by, allows_tool, ask, hard, paths};
use crate::decision::{Behavior, Decision, Reason, ReasonKind};
use crate::mode::PermissionMode;
use crate::policy::Policy;
use crate::query::{Access, Query};

/// Judges the call; the rules on the whole tool that deny or ask are looked at by the caller.
pub(super) fn judge(policy: &Policy, query: &Query<'_>, path: &Path, real: &Path, access: Access) -> Decision {
    let target = Target::resolved(path, real);
    let mut decision = decide(policy, query, &target, access);
    if decision.behavior != Behavior::Allow {
        decision.blocked_path = Some(target.absolute());
    }
    if decision.behavior == Behavior::Ask {
        decision.suggestions.extend(crate::suggest::for_path(access, &target.absolute(), false));
    }
    decision
}

fn decide(policy: &Policy, query: &Query<'_>, target: &Target, access: Access) -> Decision {
    for (behavior, kind, verb) in
        [(Behavior::Deny, ReasonKind::RuleDeny, "denies"), (Behavior::Ask, ReasonKind::RuleAsk, "asks about")]
    {
        if let Some(sourced) = paths::matching(policy, behavior, access, query.tool, target) {
            let message = format!("the rule {} {verb} {}", sourced.rule.text(), target.absolute());
            return Decision::new(behavior, Reason::of_rule(kind, message, sourced));
        }
    }
    if access == Access::Write
        && let Some(why) = hard::protected(target)
    {
        return ask(ReasonKind::ProtectedPath, why);
    }
    let inside = places::is_inside(policy, target);
    if access == Access::Write && policy.mode == PermissionMode::Plan {
        return ask(ReasonKind::Mode, format!("plan mode changes no files, and this writes {}", target.absolute()));
    }
    if let Some(sourced) =
        paths::allowing(policy, access, query.tool, target).or_else(|| allows_tool(policy, query.tool))
    {
        return allow_by(sourced);
    }
    match access {
        Access::Read if places::is_readable(policy, target) => {
            let message = format!("it reads {} inside of the allowed directories", target.absolute());
            Decision::new(Behavior::Allow, Reason::new(ReasonKind::ReadOnly, message))
        }
        Access::Write if inside && policy.mode == PermissionMode::AcceptEdits => {
            let message =
                format!("acceptEdits mode lets edits through, and {} is in an allowed directory", target.absolute());
            Decision::new(Behavior::Allow, Reason::new(ReasonKind::Mode, message))
        }
        Access::Write if inside => ask(ReasonKind::NoRule, format!("no rule covers writing {}", target.absolute())),
        Access::Read | Access::Write => {
            ask(ReasonKind::OutsideDirectory, format!("{} lies outside of the allowed directories", target.absolute()))
        }
    }
}
