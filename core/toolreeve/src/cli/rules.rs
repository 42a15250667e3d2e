//! The options that say what is permitted, shared by the commands that judge: rules, mode, directories, settings files.
//! Owns how they become a policy; what settings files mean is in `crate::settings`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use toolreeve_permission::{Behavior, Policy, RuleSource};

use crate::settings::{FlagSettings, LoadedSettings, SettingSources, USER_DIRECTORY_VARIABLE, load};
use crate::{Settings, SettingsError, SettingsOptions};

/// The options.
#[derive(Args, Default)]
pub(super) struct RuleArgs {
    /// A rule that allows, for example 'Bash(npm test:*)'; may be given more than once
    #[arg(long, value_name = "RULE")]
    pub(super) allow: Vec<String>,
    /// A rule that asks; may be given more than once
    #[arg(long, value_name = "RULE")]
    pub(super) ask: Vec<String>,
    /// A rule that denies; may be given more than once
    #[arg(long, value_name = "RULE")]
    pub(super) deny: Vec<String>,
    /// The permission mode: default, acceptEdits, plan, bypassPermissions, dontAsk or auto
    #[arg(long, value_name = "MODE")]
    pub(super) mode: Option<String>,
    /// A settings file with permissions; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub(super) settings: Vec<PathBuf>,
    /// A further allowed directory; may be given more than once
    #[arg(long, value_name = "DIR")]
    pub(super) add_dir: Vec<PathBuf>,
}

/// An option that cannot be used.
#[derive(Debug)]
pub(super) struct Unusable {
    /// Whether a file it names is to blame, and not the option as it is written.
    pub(super) by_file: bool,
    /// Which option, and what to write instead.
    pub(super) message: String,
}

impl Unusable {
    fn option(message: String) -> Self {
        Self { by_file: false, message }
    }

    fn file(message: String) -> Self {
        Self { by_file: true, message }
    }
}

impl RuleArgs {
    /// Adds what the options say to a policy. A mode that is given as an option beats one of a settings file.
    ///
    /// # Errors
    /// If a file, a rule, a directory or the mode is not usable.
    pub(super) fn apply(&self, policy: &mut Policy) -> Result<(), Unusable> {
        for path in &self.settings {
            add_settings_file(policy, path).map_err(|error| Unusable::file(format!("--settings: {error}")))?;
        }
        for (behavior, rules) in
            [(Behavior::Allow, &self.allow), (Behavior::Ask, &self.ask), (Behavior::Deny, &self.deny)]
        {
            for rule in rules {
                policy
                    .add(behavior, rule, RuleSource::CliArg)
                    .map_err(|error| Unusable::option(format!("--{}: {error}", behavior.as_str())))?;
            }
        }
        if let Some(mode) = &self.mode {
            policy.mode = crate::check::mode(&json!(mode))
                .map_err(|problem| Unusable::option(format!("--mode: {}", problem.message)))?;
        }
        for dir in &self.add_dir {
            policy.additional_directories.push(absolute(&policy.cwd, dir, "--add-dir").map_err(Unusable::option)?);
        }
        Ok(())
    }
}

/// Adds the permissions of a settings file that is named at the start.
///
/// # Errors
/// If it cannot be read, or something in it does not count.
fn add_settings_file(policy: &mut Policy, path: &Path) -> Result<(), SettingsError> {
    // Strictly first: who names a file wants all of it.
    Settings::from_file(path)?;
    let mut options = SettingsOptions::new(&policy.cwd, policy.home.clone());
    options.sources = SettingSources::NONE;
    options.managed_directory = None;
    options.flag = Some(FlagSettings::File(std::path::absolute(path).unwrap_or_else(|_| path.to_owned())));
    let loaded = load(&options);
    for (behavior, rule) in &loaded.rules {
        policy.add_rule(*behavior, rule.clone());
    }
    policy.additional_directories.extend(loaded.additional_directories.iter().cloned());
    policy.mode = loaded.mode.unwrap_or(policy.mode);
    Ok(())
}

/// The settings files of the user, the project and the administrator, for a project and a home.
pub(super) fn found_settings(project: &Path, home: Option<&Path>, trusted: bool) -> LoadedSettings {
    let mut options = SettingsOptions::new(project, home.map(Path::to_owned));
    options.user_directory = std::env::var_os(USER_DIRECTORY_VARIABLE).filter(|dir| !dir.is_empty()).map(PathBuf::from);
    options.trust_workspace = trusted;
    load(&options)
}

/// A path of an option, absolute.
///
/// # Errors
/// If it cannot be one.
pub(super) fn absolute(cwd: &Path, path: &Path, option: &str) -> Result<PathBuf, String> {
    if path.as_os_str().is_empty() {
        return Err(format!("{option} is empty; give a directory"));
    }
    Ok(crate::files::path::clean(&cwd.join(path)))
}
