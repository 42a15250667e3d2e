//! The one function that decides, in the documented order.

use crate::decision::{Behavior, Decision, Reason, ReasonKind};
use crate::policy::Policy;
use crate::query::Query;

/// Decides one call.
pub fn evaluate(policy: &Policy, query: &Query<'_>) -> Decision {
    let _ = policy;
    if query.read_only {
        return Decision::new(Behavior::Allow, Reason::new(ReasonKind::ReadOnly, "the call only reads"));
    }
    Decision::new(Behavior::Ask, Reason::new(ReasonKind::NoRule, format!("no rule covers this use of {}", query.tool)))
}
