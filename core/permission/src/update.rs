//! Changes of a policy as data, in the public shape (`addRules`, `setMode`, …): what a person chose at a prompt, what a
//! hook or a host asks for. Owns the shape and how it changes a [`Policy`]; writing settings files is the host's.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::decision::Behavior;
use crate::mode::PermissionMode;
use crate::policy::Policy;
use crate::rule::{Rule, RuleError};
use crate::source::{RuleSource, SourcedRule};

/// Where a change is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Destination {
    /// The user's settings file.
    UserSettings,
    /// The project's shared settings file.
    ProjectSettings,
    /// The project's private settings file.
    LocalSettings,
    /// This session only.
    Session,
    /// As if given on the command line: this process only.
    CliArg,
}

impl Destination {
    /// The source that rules with this destination have.
    pub fn source(self) -> RuleSource {
        match self {
            Self::UserSettings => RuleSource::UserSettings,
            Self::ProjectSettings => RuleSource::ProjectSettings,
            Self::LocalSettings => RuleSource::LocalSettings,
            Self::Session => RuleSource::Session,
            Self::CliArg => RuleSource::CliArg,
        }
    }

    /// Whether the change is to be written to a settings file.
    pub fn is_persistent(self) -> bool {
        !matches!(self, Self::Session | Self::CliArg)
    }
}

/// A rule in its two parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleValue {
    /// The tool's name.
    pub tool_name: String,
    /// The text in parentheses; none for the whole tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_content: Option<String>,
}

impl RuleValue {
    /// The rule.
    ///
    /// # Errors
    /// If the parts make no rule.
    pub fn rule(&self) -> Result<Rule, RuleError> {
        match &self.rule_content {
            None => Rule::parse(&self.tool_name),
            Some(content) => Rule::parse(&format!("{}({content})", self.tool_name)),
        }
    }
}

impl From<&Rule> for RuleValue {
    fn from(rule: &Rule) -> Self {
        Self { tool_name: rule.tool().to_owned(), rule_content: rule.content().map(str::to_owned) }
    }
}

/// One change.
///
/// ```
/// use toolreeve_permission::{PermissionUpdate, Policy};
///
/// let update: PermissionUpdate = serde_json::from_str(
///     r#"{"type": "addRules", "behavior": "allow", "destination": "session",
///         "rules": [{"toolName": "Bash", "ruleContent": "npm test:*"}]}"#,
/// )?;
/// let mut policy = Policy::default();
/// policy.apply(&update)?;
/// assert_eq!(policy.allow[0].rule.to_string(), "Bash(npm test:*)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum PermissionUpdate {
    /// Adds rules; one that is there already is not doubled.
    AddRules {
        /// The rules.
        rules: Vec<RuleValue>,
        /// Their behaviour.
        behavior: Behavior,
        /// Where they are kept.
        destination: Destination,
    },
    /// Puts rules in the place of all of this behaviour and destination.
    ReplaceRules {
        /// The new rules.
        rules: Vec<RuleValue>,
        /// Their behaviour.
        behavior: Behavior,
        /// Where they are kept.
        destination: Destination,
    },
    /// Removes rules of this behaviour and destination.
    RemoveRules {
        /// The rules.
        rules: Vec<RuleValue>,
        /// Their behaviour.
        behavior: Behavior,
        /// Where they are kept.
        destination: Destination,
    },
    /// Changes the mode. The mode that allows everything is set only where the policy has it available.
    SetMode {
        /// The mode.
        mode: PermissionMode,
        /// Where it is kept; the mode that allows everything is never written.
        destination: Destination,
    },
    /// Allows further directories.
    AddDirectories {
        /// The directories; relative ones start at the current directory.
        directories: Vec<PathBuf>,
        /// Where they are kept.
        destination: Destination,
    },
    /// Takes directories off the allowed ones.
    RemoveDirectories {
        /// The directories; relative ones start at the current directory.
        directories: Vec<PathBuf>,
        /// Where they are kept.
        destination: Destination,
    },
}

impl PermissionUpdate {
    /// The change that "always allow" means for these rules, for example for the suggestions of a decision.
    ///
    /// # Errors
    /// If one of the texts is not a rule.
    pub fn allow(rules: &[String], destination: Destination) -> Result<Self, RuleError> {
        let rules = rules.iter().map(|text| Rule::parse(text).map(|rule| RuleValue::from(&rule)));
        Ok(Self::AddRules { rules: rules.collect::<Result<_, _>>()?, behavior: Behavior::Allow, destination })
    }

    /// Whether the change is to be written to a settings file.
    pub fn is_persistent(&self) -> bool {
        match self {
            Self::SetMode { mode: PermissionMode::BypassPermissions, .. } => false,
            Self::AddRules { destination, .. }
            | Self::ReplaceRules { destination, .. }
            | Self::RemoveRules { destination, .. }
            | Self::SetMode { destination, .. }
            | Self::AddDirectories { destination, .. }
            | Self::RemoveDirectories { destination, .. } => destination.is_persistent(),
        }
    }
}

impl Policy {
    /// Makes one change.
    ///
    /// # Errors
    /// If a rule of it is not a rule; the policy is then unchanged.
    pub fn apply(&mut self, update: &PermissionUpdate) -> Result<(), RuleError> {
        let parse = |rules: &[RuleValue]| rules.iter().map(RuleValue::rule).collect::<Result<Vec<Rule>, RuleError>>();
        match update {
            PermissionUpdate::AddRules { rules, behavior, destination } => {
                self.add_missing(parse(rules)?, *behavior, destination.source());
            }
            PermissionUpdate::ReplaceRules { rules, behavior, destination } => {
                let rules = parse(rules)?;
                self.rules_mut(*behavior).retain(|sourced| sourced.source != destination.source());
                self.add_missing(rules, *behavior, destination.source());
            }
            PermissionUpdate::RemoveRules { rules, behavior, destination } => {
                let rules = parse(rules)?;
                let source = destination.source();
                self.rules_mut(*behavior).retain(|sourced| sourced.source != source || !rules.contains(&sourced.rule));
            }
            PermissionUpdate::SetMode { mode, .. } => {
                let available = match mode {
                    PermissionMode::BypassPermissions => self.bypass_available,
                    PermissionMode::Auto => !self.auto_disabled,
                    _ => true,
                };
                if available {
                    self.mode = *mode;
                }
            }
            PermissionUpdate::AddDirectories { directories, .. } => {
                for directory in directories {
                    let directory = self.absolute(directory);
                    if !self.additional_directories.contains(&directory) {
                        self.additional_directories.push(directory);
                    }
                }
            }
            PermissionUpdate::RemoveDirectories { directories, .. } => {
                let removed: Vec<PathBuf> = directories.iter().map(|directory| self.absolute(directory)).collect();
                self.additional_directories.retain(|directory| !removed.contains(directory));
            }
        }
        Ok(())
    }

    fn add_missing(&mut self, rules: Vec<Rule>, behavior: Behavior, source: RuleSource) {
        for rule in rules {
            let rule = SourcedRule::new(rule, source);
            if !self.rules(behavior).contains(&rule) {
                self.add_rule(behavior, rule);
            }
        }
    }

    fn absolute(&self, directory: &Path) -> PathBuf {
        match (directory.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => crate::judge::clean(&home.join(rest)),
            _ => crate::judge::clean(&self.cwd.join(directory)),
        }
    }
}
