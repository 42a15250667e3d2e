//! What a decision is made from: the rules with their sources, the mode and the directories. Plain values.

use std::path::PathBuf;

use crate::Behavior;
use crate::mode::PermissionMode;
use crate::rule::{Rule, RuleError};
use crate::source::{RuleSource, SourcedRule};

/// The rules, the mode and the directories in force.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Rules that allow.
    pub allow: Vec<SourcedRule>,
    /// Rules that ask.
    pub ask: Vec<SourcedRule>,
    /// Rules that deny.
    pub deny: Vec<SourcedRule>,
    /// The mode.
    pub mode: PermissionMode,
    /// The current directory of the call, absolute; relative paths start here. It lies in an allowed directory or not.
    pub cwd: PathBuf,
    /// The directory in which the work began, absolute: the first allowed directory and the anchor of project rules.
    pub project_root: PathBuf,
    /// Further allowed directories, absolute.
    pub additional_directories: Vec<PathBuf>,
    /// The home directory, for `~`; `None` makes every `~` an unknown path.
    pub home: Option<PathBuf>,
    /// Whether commands run inside of a sandbox.
    pub sandboxed: bool,
    /// Whether a hook's allow skips every later check (the wider reading), instead of only the prompt. Not the default.
    pub hook_allow_skips_all: bool,
}

impl Policy {
    /// Adds one rule.
    ///
    /// # Errors
    /// If the text is not a rule; the policy is then unchanged.
    pub fn add(&mut self, behavior: Behavior, text: &str, source: RuleSource) -> Result<(), RuleError> {
        let rule = SourcedRule { rule: Rule::parse(text)?, source };
        match behavior {
            Behavior::Allow => self.allow.push(rule),
            Behavior::Ask => self.ask.push(rule),
            Behavior::Deny => self.deny.push(rule),
        }
        Ok(())
    }

    /// Whether a deny rule without content removes the tool from what the model is offered.
    pub fn removes_tool(&self, tool: &str) -> bool {
        self.deny.iter().any(|sourced| sourced.rule.content.is_none() && sourced.rule.names_tool(tool))
    }
}
