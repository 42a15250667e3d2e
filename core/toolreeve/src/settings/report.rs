//! What is wrong with the settings, as data and in words. Owns the shapes; who finds a problem is elsewhere.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use toolreeve_permission::RuleSource;

/// How much a problem matters. The order is the strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something does not do what it seems to say.
    Warning,
    /// Something does not count.
    Error,
    /// A rule that denies or asks does not count as written, or may not: calls are asked about until it is mended.
    Critical,
}

/// One thing that is wrong. Prints as `file:line:column: key: what is wrong and what would be right`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingsProblem {
    /// How much it matters.
    pub severity: Severity,
    /// Which settings it is in.
    pub source: RuleSource,
    /// The file, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The key, for example `permissions.deny[2]`; empty for the file as a whole.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// The line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for SettingsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}", file.display())?,
            None => f.write_str(source_name(self.source))?,
        }
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// What became of one place where settings may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileState {
    /// There is nothing.
    Missing,
    /// It counts, but for what the problems name.
    Loaded,
    /// It is not readable now; what it said before still counts.
    Kept,
    /// It is not readable, and nothing is known of what it says: every call is asked about.
    Failed,
}

/// One place where settings may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingsFile {
    /// Which settings it holds.
    pub source: RuleSource,
    /// The file.
    pub path: PathBuf,
    /// What became of it.
    pub state: FileState,
}

/// All files that were looked at, and all that is wrong with them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct SettingsReport {
    /// The files, weakest source first.
    pub files: Vec<SettingsFile>,
    /// The problems, in the order of the files.
    pub problems: Vec<SettingsProblem>,
}

impl SettingsReport {
    /// The strongest problem; `None` if there is none.
    pub fn severity(&self) -> Option<Severity> {
        self.problems.iter().map(|problem| problem.severity).max()
    }
}

/// The name of a source in public settings and hooks (`user_settings`, …).
pub fn source_name(source: RuleSource) -> &'static str {
    match source {
        RuleSource::UserSettings => "user_settings",
        RuleSource::ProjectSettings => "project_settings",
        RuleSource::LocalSettings => "local_settings",
        RuleSource::FlagSettings => "flag_settings",
        RuleSource::PolicySettings => "policy_settings",
        RuleSource::CliArg => "cli_arg",
        RuleSource::Command => "command",
        RuleSource::Session => "session",
    }
}
