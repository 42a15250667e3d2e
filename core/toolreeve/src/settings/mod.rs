//! The users' settings: files in their usual places, read tolerantly, merged by source, kept up to date while an agent
//! runs, and written back when a person answers "always".
//!
//! `places` says which files there are, `read` and `jsonc` get their text, `decode` their typed form (`model`), `layers`
//! keeps what was known of a file that breaks, `merge` puts all together, `report` says what is wrong. A problem in one
//! place never disables anything elsewhere, and whatever may have denied or asked makes calls ask until it is mended.

mod decode;
mod jsonc;
mod layers;
mod merge;
mod model;
mod names;
mod places;
mod read;
mod report;
mod sandbox;

use std::path::{Path, PathBuf};

pub(crate) use layers::Layer;
pub use merge::{HookSettings, LoadedSettings};
pub use model::{
    Disable, FullRule, McpServerMatch, ModeName, ParentSettingsBehavior, Permissions, QuestionTimeout, RuleEntry,
    Settings, settings_schema,
};
pub use places::{DEFAULT_DIRECTORY_NAME, FlagSettings, SettingSources, SettingsOptions, USER_DIRECTORY_VARIABLE};
pub use report::{FileState, SettingsFile, SettingsProblem, SettingsReport, Severity, source_name};
pub use sandbox::{SandboxFilesystem, SandboxNetwork, SandboxSettings};
use serde_json::Value;

/// Reads all settings once. Never fails: what is wrong is in the report, and what cannot be read makes calls ask.
///
/// ```
/// use toolreeve::settings::{SettingsOptions, load};
///
/// let project = tempfile::tempdir()?;
/// std::fs::create_dir(project.path().join(".claude"))?;
/// std::fs::write(
///     project.path().join(".claude/settings.json"),
///     r#"{"permissions": {"deny": ["Bash(git push:*)", "Read(./.env"]}} // the last one lacks a parenthesis"#,
/// )?;
/// let mut options = SettingsOptions::new(project.path(), None);
/// options.managed_directory = None;
/// let loaded = load(&options);
/// assert!(loaded.report.problems[0].to_string().contains("settings.json:1:"));
/// assert_eq!(loaded.policy().deny.len(), 1);
/// assert_eq!(loaded.policy().ask[0].rule.text(), "Read");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn load(options: &SettingsOptions) -> LoadedSettings {
    let layers = layers::read_all(options, &[]);
    merge::merge(options, &layers, |_| false)
}

/// A settings file is not usable.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct SettingsError(pub SettingsProblem);

impl Settings {
    /// Reads one file that is named at the start, strictly: the first problem that is more than a warning is an error.
    ///
    /// # Errors
    /// If it cannot be read, or something in it does not count. The error names the file, the place and the fix.
    pub fn from_file(path: &Path) -> Result<Self, SettingsError> {
        Self::strict(FlagSettings::File(std::path::absolute(path).unwrap_or_else(|_| path.to_owned())))
    }

    /// The content of settings, read as strictly as a file. `folder` is where patterns `/p` in it begin.
    ///
    /// # Errors
    /// If something in it does not count.
    pub fn from_content(content: Value, folder: Option<PathBuf>) -> Result<Self, SettingsError> {
        Self::strict(FlagSettings::Content(content, folder))
    }

    fn strict(flag: FlagSettings) -> Result<Self, SettingsError> {
        let mut options = SettingsOptions::new("", None);
        options.sources = SettingSources::NONE;
        options.managed_directory = None;
        options.flag = Some(flag);
        let mut layers = layers::read_all(&options, &[]);
        let problem = layers.iter().flat_map(Layer::problems).find(|problem| problem.severity > Severity::Warning);
        match problem.cloned() {
            Some(problem) => Err(SettingsError(problem)),
            None => Ok(layers.pop().map(|layer| layer.decoded.settings.clone()).unwrap_or_default()),
        }
    }
}
