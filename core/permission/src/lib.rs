//! Permission rules, modes and explainable decisions for the tool calls of a coding agent.
//!
//! The crate is pure and synchronous: it does no I/O and reads no clock and no environment. Whatever it needs (the
//! working directory, the home directory, the rules and where they came from, a function that follows symbolic links)
//! comes in as values.
//!
//! The main path is [`evaluate`]: a [`Policy`] (rules, mode, directories) and a [`Query`] (one tool call, described by
//! what rules can see of it) give a [`Decision`], which carries its reason, its source and the decisions of its parts.
//! [`evaluate`] documents the order in which everybody is heard; it has no side effects, so it explains as well.

mod decision;
mod denials;
mod evaluate;
mod examples;
mod judge;
mod links;
mod matcher;
mod mode;
mod policy;
mod query;
mod rule;
mod rules;
mod source;
mod suggest;
mod tools;
mod update;

pub use decision::{Behavior, Decision, Reason, ReasonKind};
pub use denials::{AUTO_BLOCKS_IN_A_ROW, AUTO_BLOCKS_IN_ALL, AutoModeBlocks, DENIALS_BEFORE_GUIDANCE, DenialTracker};
pub use evaluate::evaluate;
pub use examples::{ExampleFailure, RuleExamples};
pub use links::{FoundLink, LinkResolver, LinkSearch, LinksFound};
pub use mode::PermissionMode;
pub use policy::Policy;
pub use query::{Access, HookVerdict, OwnCheck, Query, Subject};
pub use rule::{Rule, RuleError};
pub use rules::RuleSet;
pub use source::{RuleOrigin, RuleSource, SourcedRule};
pub use suggest::MAX_SUGGESTIONS;
pub use update::{Destination, PermissionUpdate, RuleValue};
