//! The one function that decides, in the documented order. Owns the order and nothing else: what rules, directories and
//! hard limits say about a subject is in `judge`.
//!
//! | step | who | answer | is skipped by |
//! |---|---|---|---|
//! | 1 | hard limits: critical removals, protected paths | turn an allow of the steps below into ask | protected paths: the mode that allows everything |
//! | 2 | deny rules, of any source, in every mode | deny | - |
//! | 3 | PreToolUse hooks | deny | - |
//! | 3 | the tool itself | deny | - |
//! | 4 | ask rules; tools that need a person | ask | - |
//! | 5 | PreToolUse hooks | ask, or allow: then 6 to 10 are skipped | - |
//! | 6 | the tool itself | ask, or allow: then 7 to 10 are skipped | 5 |
//! | 7 | the mode | allow (bypassPermissions; acceptEdits for edits), ask (plan for what changes things) | 5, 6 |
//! | 8 | allow rules; calls that only read; commands inside of a sandbox | allow | 5, 6, 7 |
//! | 9 | the classifier | allow: the host's, outside of this crate | |
//! | 10 | the person | ask; deny in the dontAsk mode | |
//!
//! Deny beats ask beats allow. The parts of a command go through 1, 2, 4, 7 and 8 each on its own, and the strictest
//! decides. With [`Policy::hook_allow_skips_all`] step 5 stands first.

use crate::decision::{Behavior, Decision, Reason, ReasonKind};
use crate::judge;
use crate::mode::PermissionMode;
use crate::policy::Policy;
use crate::query::{OwnCheck, Query, Subject};

/// Decides one call. It has no side effects and asks nobody, so it also serves to explain a decision.
///
/// ```
/// use std::path::PathBuf;
///
/// use serde_json::json;
/// use toolreeve_permission::{
///     Behavior, OwnCheck, Policy, Query, ReasonKind, RuleSource, Subject, evaluate,
/// };
///
/// let mut policy = Policy { cwd: PathBuf::from("/p"), project_root: PathBuf::from("/p"), ..Policy::default() };
/// policy.add(Behavior::Allow, "Bash(npm test:*)", RuleSource::UserSettings)?;
/// policy.add(Behavior::Deny, "Read(./.env)", RuleSource::ProjectSettings)?;
///
/// let analysis = toolreeve_shell::analyze("npm test && cat .env", toolreeve_shell::Shell::Bash);
/// let input = json!({"command": "npm test && cat .env"});
/// let query = Query {
///     tool: "Bash",
///     input: &input,
///     subject: Subject::Command(&analysis),
///     read_only: false,
///     edits_files: false,
///     requires_interaction: false,
///     hook: None,
///     own: OwnCheck::Pass,
/// };
/// let decision = evaluate(&policy, &query);
/// assert_eq!(decision.behavior, Behavior::Deny);
/// assert_eq!(decision.reason.rule.as_deref(), Some("Read(./.env)"));
/// assert_eq!(decision.children[0].behavior, Behavior::Allow);
/// assert_eq!(decision.children[0].reason.kind, ReasonKind::RuleAllow);
/// # Ok::<(), toolreeve_permission::RuleError>(())
/// ```
pub fn evaluate(policy: &Policy, query: &Query<'_>) -> Decision {
    let hook_allows = query.hook.as_ref().filter(|hook| hook.behavior == Behavior::Allow);
    if policy.hook_allow_skips_all
        && let Some(hook) = hook_allows
    {
        return Decision::new(Behavior::Allow, Reason::new(ReasonKind::Hook, hook.message.clone()));
    }
    let decision = ordered(policy, query);
    match policy.mode {
        PermissionMode::DontAsk => nobody_is_asked(decision, "dontAsk mode asks nobody"),
        _ if policy.deny_instead_of_prompting => nobody_is_asked(decision, "the settings say to ask nobody"),
        _ => decision,
    }
}

fn ordered(policy: &Policy, query: &Query<'_>) -> Decision {
    // Steps 1, 2, 4 and 8, and of step 7 what depends on the subject.
    let judged = judge::judge(policy, query);
    if judged.behavior == Behavior::Deny {
        return judged;
    }
    let with = |behavior, reason| Decision { behavior, reason, ..judged.clone() };
    // 3
    if let Some(hook) = query.hook.as_ref().filter(|hook| hook.behavior == Behavior::Deny) {
        return with(Behavior::Deny, Reason::new(ReasonKind::Hook, hook.message.clone()));
    }
    if let OwnCheck::Deny(reason) = &query.own {
        return with(Behavior::Deny, reason.clone());
    }
    // 1 and 4
    if judged.behavior == Behavior::Ask && binds_hooks(judged.reason.kind) {
        let unbound =
            policy.mode == PermissionMode::BypassPermissions && judged.reason.kind == ReasonKind::ProtectedPath;
        if !unbound {
            return judged;
        }
    }
    if query.requires_interaction {
        return with(
            Behavior::Ask,
            Reason::new(ReasonKind::Tool, format!("{} needs an answer of a person", query.tool)),
        );
    }
    // 5
    match &query.hook {
        Some(hook) if hook.behavior == Behavior::Ask => {
            return with(Behavior::Ask, Reason::new(ReasonKind::Hook, hook.message.clone()));
        }
        Some(hook) => return relaxed(judged, &Reason::new(ReasonKind::Hook, hook.message.clone())),
        None => {}
    }
    // 6
    match &query.own {
        OwnCheck::Ask(reason) => return with(Behavior::Ask, reason.clone()),
        OwnCheck::Allow(reason) => return relaxed(judged, reason),
        OwnCheck::Deny(_) | OwnCheck::Pass => {}
    }
    // 7
    match policy.mode {
        PermissionMode::BypassPermissions => {
            let reason =
                Reason::new(ReasonKind::Mode, "bypassPermissions mode lets everything through that no rule forbids");
            return relaxed(judged, &reason);
        }
        PermissionMode::Plan if judged.behavior == Behavior::Allow && query.edits_files && !query.read_only => {
            return with(Behavior::Ask, Reason::new(ReasonKind::Mode, "plan mode changes no files"));
        }
        PermissionMode::AcceptEdits if matches!(query.subject, Subject::None) && query.edits_files => {
            return relaxed(judged, &Reason::new(ReasonKind::Mode, "acceptEdits mode lets edits through"));
        }
        _ => {}
    }
    // 8
    let in_sandbox = policy.sandboxed && matches!(query.subject, Subject::Command(_));
    if in_sandbox && policy.mode != PermissionMode::Plan && !matches!(judged.reason.kind, ReasonKind::ParseUnavailable)
    {
        return relaxed(judged, &Reason::new(ReasonKind::Mode, "the command runs inside of a sandbox"));
    }
    judged
}

/// Questions that a hook's allow does not answer.
fn binds_hooks(kind: ReasonKind) -> bool {
    matches!(kind, ReasonKind::CriticalPath | ReasonKind::ProtectedPath | ReasonKind::RuleAsk | ReasonKind::RuleDeny)
}

/// Turns a question into an allow for this reason, in every part.
fn relaxed(mut decision: Decision, reason: &Reason) -> Decision {
    if decision.behavior == Behavior::Ask {
        decision.behavior = Behavior::Allow;
        decision.reason = reason.clone();
        decision.suggestions.clear();
        decision.blocked_path = None;
        decision.children = decision.children.into_iter().map(|child| relaxed(child, reason)).collect();
    }
    decision
}

/// What would ask is denied, with what it would have asked about.
fn nobody_is_asked(mut decision: Decision, why: &str) -> Decision {
    if decision.behavior == Behavior::Ask {
        decision.behavior = Behavior::Deny;
        decision.reason.message = format!("{why}, and {}", decision.reason.message);
        decision.reason.kind = match decision.reason.kind {
            ReasonKind::NoRule => ReasonKind::Mode,
            other => other,
        };
        decision.suggestions.clear();
        decision.children = decision.children.into_iter().map(|child| nobody_is_asked(child, why)).collect();
    }
    decision
}
