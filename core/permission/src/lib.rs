//! Permission rules, modes and explainable decisions for the tool calls of a coding agent.
//!
//! The crate is pure and synchronous: it does no I/O and reads no clock and no environment. Whatever it needs (the
//! working directory, the home directory, the rules and where they came from) comes in as values.
//!
//! The main path is [`evaluate`]: a [`Policy`] (rules, mode, directories) and a [`Query`] (one tool call, described by
//! what rules can see of it) give a [`Decision`], which carries its reason, its source and the decisions of its parts.

mod decision;
mod evaluate;
mod mode;
mod policy;
mod query;
mod rule;
mod source;

pub use decision::{Behavior, Decision, Reason, ReasonKind};
pub use evaluate::evaluate;
pub use mode::PermissionMode;
pub use policy::Policy;
pub use query::{Access, HookVerdict, OwnCheck, Query, Subject};
pub use rule::{Rule, RuleError};
pub use source::{RuleSource, SourcedRule};
