//! What all layers mean together: which rules are in force, the mode, the directories, the switches. Owns the order of
//! strength and trust. Lists are united, single values are the strongest source's, and deny beats ask beats allow
//! whatever the source, so the order of rules means nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use toolreeve_permission::{Behavior, PermissionMode, Policy, RuleSource, SourcedRule};

use super::layers::Layer;
use super::model::Settings;
use super::places::SettingsOptions;
use super::report::{SettingsProblem, SettingsReport, Severity};
use crate::files::path;

/// The hooks of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct HookSettings {
    /// Which settings they are from.
    pub source: RuleSource,
    /// The file.
    pub file: Option<PathBuf>,
    /// The content of the key `hooks`, by event.
    pub hooks: Map<String, Value>,
}

/// All settings together, as they are in force.
#[derive(Debug, Clone, Default)]
pub struct LoadedSettings {
    /// The rules in force, weakest source first.
    pub(crate) rules: Vec<(Behavior, SourcedRule)>,
    /// The mode to begin with, if one is named.
    pub mode: Option<PermissionMode>,
    /// Further allowed directories, absolute.
    pub additional_directories: Vec<PathBuf>,
    /// Variables for child processes.
    pub env: Vec<(String, String)>,
    /// The hooks that run, weakest source first.
    pub hooks: Vec<HookSettings>,
    /// Everything else: each value of the strongest source that has it, lists united. Its rules are those of all files,
    /// in force or not.
    pub merged: Settings,
    /// Whether the mode that allows everything is taken away.
    pub bypass_disabled: bool,
    /// Whether the auto mode is taken away.
    pub auto_disabled: bool,
    /// Whether only managed rules count.
    pub managed_rules_only: bool,
    /// What was read and what is wrong with it.
    pub report: Arc<SettingsReport>,
    directories: (PathBuf, Option<PathBuf>),
}

impl LoadedSettings {
    /// A policy with nothing but these settings: rules, mode and directories. Follows symbolic links on disk.
    pub fn policy(&self) -> Policy {
        let (cwd, home) = self.directories.clone();
        let mut policy = Policy {
            project_root: cwd.clone(),
            cwd,
            home,
            links: crate::files::links::resolver(),
            additional_directories: self.additional_directories.clone(),
            ..Policy::default()
        };
        self.apply_rules(&mut policy);
        self.apply_mode(&mut policy, self.mode.unwrap_or_default());
        policy
    }

    /// How many rules are in force.
    pub fn rule_count(&self) -> usize {
        self.rules.len()
    }

    /// Puts these rules and switches in the place of all that came from settings before; other rules stay.
    pub(crate) fn apply_rules(&self, policy: &mut Policy) {
        policy.managed_rules_only = self.managed_rules_only;
        policy.auto_disabled = self.auto_disabled;
        policy.deny_instead_of_prompting = self.merged.permissions.deny_instead_of_prompting == Some(true);
        policy.bypass_available &= !self.bypass_disabled;
        for behavior in [Behavior::Allow, Behavior::Ask, Behavior::Deny] {
            let only = self.managed_rules_only && behavior == Behavior::Allow;
            policy.rules_mut(behavior).retain(|rule| !rule.source.is_settings() && !only);
        }
        for (behavior, rule) in &self.rules {
            policy.add_rule(*behavior, rule.clone());
        }
        if self.takes_away(policy.mode) {
            policy.mode = PermissionMode::Default;
        }
    }

    /// Begins in a mode, if it is not taken away.
    pub(crate) fn apply_mode(&self, policy: &mut Policy, mode: PermissionMode) {
        policy.mode = if self.takes_away(mode) { PermissionMode::Default } else { mode };
        policy.bypass_available |= policy.mode == PermissionMode::BypassPermissions;
    }

    fn takes_away(&self, mode: PermissionMode) -> bool {
        match mode {
            PermissionMode::BypassPermissions => self.bypass_disabled,
            PermissionMode::Auto => self.auto_disabled,
            _ => false,
        }
    }
}

/// Puts layers together. `granted` tells which allow rules this process saved itself: they need no trust.
pub(crate) fn merge(
    options: &SettingsOptions,
    layers: &[Layer],
    granted: impl Fn(&SourcedRule) -> bool,
) -> LoadedSettings {
    let mut loaded =
        LoadedSettings { directories: (options.cwd.clone(), options.home.clone()), ..LoadedSettings::default() };
    let mut report = SettingsReport::default();
    let managed = |pick: fn(&Settings) -> Option<bool>| {
        layers
            .iter()
            .filter(|layer| layer.source == RuleSource::PolicySettings)
            .filter_map(|layer| pick(&layer.decoded.settings))
            .next_back()
            .unwrap_or(false)
    };
    loaded.managed_rules_only = managed(|settings| settings.allow_managed_permission_rules_only);
    let managed_hooks_only = managed(|settings| settings.allow_managed_hooks_only)
        || layers
            .iter()
            .any(|l| l.source != RuleSource::PolicySettings && l.decoded.settings.disable_all_hooks == Some(true));
    let no_hooks = managed(|settings| settings.disable_all_hooks);
    let mut merged = Value::Object(Map::new());
    for layer in layers {
        let settings = &layer.decoded.settings;
        let waits =
            !options.trust_workspace && matches!(layer.source, RuleSource::ProjectSettings | RuleSource::LocalSettings);
        let is_managed = layer.source == RuleSource::PolicySettings;
        report.files.extend(layer.file());
        report.problems.extend(layer.problems().cloned());
        let mut waiting = Vec::new();
        for (behavior, rule) in &layer.decoded.rules {
            if loaded.managed_rules_only && !is_managed {
                continue;
            }
            if waits && *behavior == Behavior::Allow && !granted(rule) {
                waiting.push("allow rules");
                continue;
            }
            loaded.rules.push((*behavior, rule.clone()));
        }
        let permissions = &settings.permissions;
        match permissions.default_mode.map(PermissionMode::from) {
            Some(mode) if waits && loosens(mode) => waiting.push("its mode"),
            Some(mode) => loaded.mode = Some(mode),
            None => {}
        }
        if waits && !permissions.additional_directories.is_empty() {
            waiting.push("additional directories");
        } else {
            for directory in &permissions.additional_directories {
                let directory = absolute(options, directory);
                if !loaded.additional_directories.contains(&directory) {
                    loaded.additional_directories.push(directory);
                }
            }
        }
        if waits && !settings.env.is_empty() {
            waiting.push("variables");
        } else {
            for (name, value) in &settings.env {
                loaded.env.retain(|(known, _)| known != name);
                loaded.env.push((name.clone(), value.clone()));
            }
        }
        let run = is_managed || !managed_hooks_only;
        if waits && !settings.hooks.is_empty() {
            waiting.push("hooks");
        } else if run && !no_hooks && !settings.hooks.is_empty() {
            let hooks = settings.hooks.clone();
            loaded.hooks.push(HookSettings { source: layer.source, file: layer.path.clone(), hooks });
        }
        loaded.bypass_disabled |= permissions.disable_bypass_permissions_mode.is_some();
        loaded.auto_disabled |= permissions.disable_auto_mode.is_some();
        report.problems.extend(waits_for_trust(layer, waiting));
        if let Ok(value) = serde_json::to_value(settings) {
            unite(&mut merged, value);
        }
    }
    loaded.merged = serde_json::from_value(merged).unwrap_or_default();
    // These hold something back, so they count from everywhere.
    let strict = |pick: fn(&Settings) -> Option<bool>| {
        layers.iter().any(|layer| pick(&layer.decoded.settings) == Some(true)).then_some(true)
    };
    let permissions = &mut loaded.merged.permissions;
    permissions.block_reads_outside_working_directories =
        strict(|settings| settings.permissions.block_reads_outside_working_directories);
    permissions.block_writes_outside_working_directories =
        strict(|settings| settings.permissions.block_writes_outside_working_directories);
    loaded.report = Arc::new(report);
    loaded
}

/// Modes in which more runs without a question than in the default mode.
fn loosens(mode: PermissionMode) -> bool {
    matches!(mode, PermissionMode::AcceptEdits | PermissionMode::BypassPermissions | PermissionMode::Auto)
}

fn waits_for_trust(layer: &Layer, mut waiting: Vec<&'static str>) -> Option<SettingsProblem> {
    if waiting.is_empty() {
        return None;
    }
    waiting.dedup();
    Some(SettingsProblem {
        severity: Severity::Warning,
        source: layer.source,
        file: layer.path.clone(),
        key: String::new(),
        line: None,
        column: None,
        message: format!("{} wait until the workspace is trusted", waiting.join(", ")),
    })
}

/// Where a directory of the settings is: `~` is the home directory, others begin in the working directory.
fn absolute(options: &SettingsOptions, directory: &Path) -> PathBuf {
    let named = match (directory.strip_prefix("~"), &options.home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => options.cwd.join(directory),
    };
    path::real_path(&path::clean(&named))
}

/// Unites a stronger value with a weaker one: objects key by key, lists one behind the other, else the stronger one.
fn unite(weaker: &mut Value, stronger: Value) {
    match (weaker, stronger) {
        (Value::Object(weaker), Value::Object(stronger)) => {
            for (key, value) in stronger {
                match weaker.get_mut(&key) {
                    Some(known) => unite(known, value),
                    None => {
                        weaker.insert(key, value);
                    }
                }
            }
        }
        (Value::Array(weaker), Value::Array(stronger)) => {
            // Lists are long where they hold rules, so what is there already is looked up by its text.
            let known: std::collections::HashSet<String> = weaker.iter().map(Value::to_string).collect();
            weaker.extend(stronger.into_iter().filter(|item| !known.contains(&item.to_string())));
        }
        (weaker, stronger) => *weaker = stronger,
    }
}
