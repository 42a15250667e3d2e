//! Where a rule came from. Eight sources; their order is the order of strength among settings, never between
//! behaviours (deny beats ask beats allow whatever the source).

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::rule::Rule;

/// The eight sources of rules, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RuleSource {
    /// The user's settings file.
    UserSettings,
    /// The project's shared settings file.
    ProjectSettings,
    /// The project's private settings file.
    LocalSettings,
    /// Settings named on the command line.
    FlagSettings,
    /// Settings of the organisation.
    PolicySettings,
    /// Rules given on the command line or by the host's API.
    CliArg,
    /// Rules carried by a command or skill.
    Command,
    /// Rules of this session, for example after "always allow".
    Session,
}

impl RuleSource {
    /// Whether the rules of this source stand in settings: in one of the files, or in what was given in the place of one.
    pub fn is_settings(self) -> bool {
        !matches!(self, Self::CliArg | Self::Command | Self::Session)
    }
}

/// The place in a file where a rule stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleOrigin {
    /// The file.
    pub file: Arc<PathBuf>,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// A rule with its source. Two that differ only in the place where they were written are equal.
#[derive(Debug, Clone)]
pub struct SourcedRule {
    /// The rule.
    pub rule: Rule,
    /// Where it came from.
    pub source: RuleSource,
    /// The directory that a path pattern `/p` starts at, where it is not the usual one of the source (a settings file
    /// named on the command line: the directory of that file).
    pub base: Option<PathBuf>,
    /// What a deny or ask rule says to the person and to the model beside that it matched, for example what to do instead.
    pub message: Option<String>,
    /// Where it is written, for explanations.
    pub origin: Option<RuleOrigin>,
}

impl PartialEq for SourcedRule {
    fn eq(&self, other: &Self) -> bool {
        (self.source, &self.rule, &self.base, &self.message) == (other.source, &other.rule, &other.base, &other.message)
    }
}

impl Eq for SourcedRule {}

impl SourcedRule {
    /// A rule with the usual base of its source and no message.
    pub fn new(rule: Rule, source: RuleSource) -> Self {
        Self { rule, source, base: None, message: None, origin: None }
    }
}
