//! What a decision is made from: the rules with their sources, the mode and the directories. Plain values.

use std::path::PathBuf;

use crate::Behavior;
use crate::links::LinkResolver;
use crate::mode::PermissionMode;
use crate::rule::{Rule, RuleError};
use crate::rules::RuleSet;
use crate::source::{RuleSource, SourcedRule};

/// The rules, the mode and the directories in force.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Rules that allow.
    pub allow: RuleSet,
    /// Rules that ask.
    pub ask: RuleSet,
    /// Rules that deny.
    pub deny: RuleSet,
    /// The mode.
    pub mode: PermissionMode,
    /// The current directory of the call, absolute; relative paths start here. It lies in an allowed directory or not.
    pub cwd: PathBuf,
    /// The directory in which the work began, absolute: the first allowed directory and the anchor of project rules.
    pub project_root: PathBuf,
    /// Further allowed directories, absolute.
    pub additional_directories: Vec<PathBuf>,
    /// Directories in which reading is free and nothing else, absolute: where large results are kept, for example.
    pub readable_directories: Vec<PathBuf>,
    /// The home directory, for `~`; `None` makes every `~` an unknown path.
    pub home: Option<PathBuf>,
    /// Whether commands run inside of a sandbox, which then need no prompt but for rules, hooks and hard limits.
    pub sandboxed: bool,
    /// Whether a change may switch to the mode that allows everything: it was made available at the start.
    pub bypass_available: bool,
    /// Whether allow rules count only from managed settings: others are not taken.
    pub managed_rules_only: bool,
    /// Whether the auto mode is taken away: a change does not switch to it.
    pub auto_disabled: bool,
    /// Whether what would be asked about is denied, in every mode.
    pub deny_instead_of_prompting: bool,
    /// Whether a hook's allow skips every later check (the wider reading), instead of only the prompt. Not the default.
    pub hook_allow_skips_all: bool,
    /// How to find out where paths in a command really lead. Without one, paths are judged by their text, and options that
    /// tell a command to follow links below a folder are asked about.
    pub links: LinkResolver,
}

impl Policy {
    /// Adds one rule.
    ///
    /// # Errors
    /// If the text is not a rule; the policy is then unchanged.
    pub fn add(&mut self, behavior: Behavior, text: &str, source: RuleSource) -> Result<(), RuleError> {
        self.add_rule(behavior, SourcedRule::new(Rule::parse(text)?, source));
        Ok(())
    }

    /// Adds one rule that is parsed already; not an allow rule that does not count, see [`Policy::managed_rules_only`].
    pub fn add_rule(&mut self, behavior: Behavior, rule: SourcedRule) {
        if self.managed_rules_only && behavior == Behavior::Allow && rule.source != RuleSource::PolicySettings {
            return;
        }
        self.rules_mut(behavior).push(rule);
    }

    /// The rules of one behaviour.
    pub fn rules(&self, behavior: Behavior) -> &RuleSet {
        match behavior {
            Behavior::Allow => &self.allow,
            Behavior::Ask => &self.ask,
            Behavior::Deny => &self.deny,
        }
    }

    /// The rules of one behaviour, to change them.
    pub fn rules_mut(&mut self, behavior: Behavior) -> &mut RuleSet {
        match behavior {
            Behavior::Allow => &mut self.allow,
            Behavior::Ask => &mut self.ask,
            Behavior::Deny => &mut self.deny,
        }
    }

    /// Whether a deny rule without content removes the tool from what the model is offered.
    pub fn removes_tool(&self, tool: &str) -> bool {
        self.deny.iter().any(|sourced| sourced.rule.content().is_none() && sourced.rule.names_tool(tool))
    }

    /// What is odd about the rules: each is accepted, but does not do what it seems to say.
    pub fn warnings(&self) -> Vec<String> {
        [Behavior::Deny, Behavior::Ask, Behavior::Allow]
            .into_iter()
            .flat_map(|behavior| self.rules(behavior).iter().filter_map(move |sourced| sourced.rule.warning(behavior)))
            .collect()
    }
}
