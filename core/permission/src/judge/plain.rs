//! Calls without a subject, and calls whose subject is a short text: a host, an agent type, a skill.

use super::{allow_by, allows_tool, ask};
use crate::decision::{Behavior, Decision, Reason, ReasonKind};
use crate::policy::Policy;
use crate::query::Query;
use crate::rule::Content;

/// Judges the call; the rules on the whole tool that deny or ask are looked at by the caller.
pub(super) fn judge(policy: &Policy, query: &Query<'_>, text: Option<&str>) -> Decision {
    let ends = text.map(crate::matcher::domain::ends).unwrap_or_default();
    let keys = || ends.iter().map(String::as_str);
    for (behavior, kind, verb) in
        [(Behavior::Deny, ReasonKind::RuleDeny, "denies"), (Behavior::Ask, ReasonKind::RuleAsk, "asks about")]
    {
        let found = text.and_then(|text| {
            let matches = |content: &Content| matches_text(content, text);
            policy
                .rules(behavior)
                .with_keys(query.tool, keys())
                .find(|sourced| sourced.rule.compiled().is_some_and(matches))
        });
        if let Some(sourced) = found {
            let message = format!("the rule {} {verb} {}", sourced.rule.text(), text.unwrap_or(query.tool));
            return Decision::new(behavior, Reason::of_rule(kind, message, sourced));
        }
    }
    let by_text = text.and_then(|text| {
        policy.allow.with_keys(query.tool, keys()).find(|sourced| {
            sourced.rule.usable_as_allow() && sourced.rule.compiled().is_some_and(|content| matches_text(content, text))
        })
    });
    if let Some(sourced) = by_text.or_else(|| allows_tool(policy, query.tool)) {
        return allow_by(sourced);
    }
    if query.read_only && !crate::tools::reaches_out(query.tool) {
        return Decision::new(Behavior::Allow, Reason::new(ReasonKind::ReadOnly, "the call only reads"));
    }
    ask(ReasonKind::NoRule, format!("no rule covers this use of {}", query.tool))
}

/// Whether the content of a rule covers the text.
fn matches_text(content: &Content, text: &str) -> bool {
    match &content.domain {
        Some(domain) => domain.matches(text),
        None => content.pattern.matches(text),
    }
}
