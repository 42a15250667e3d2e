//! The users' settings files, as far as they are read today: the permissions. Other keys are left alone.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toolreeve_permission::PermissionMode;

/// A settings file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The permissions.
    pub permissions: Permissions,
    /// The folder of the file, absolute, where it is known: path patterns `/p` of a file that is named at the start
    /// begin there.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
}

/// The `permissions` key.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Permissions {
    /// Rules that allow.
    pub allow: Vec<String>,
    /// Rules that ask.
    pub ask: Vec<String>,
    /// Rules that deny.
    pub deny: Vec<String>,
    /// The mode to begin with.
    pub default_mode: Option<PermissionMode>,
    /// Further allowed directories.
    pub additional_directories: Vec<PathBuf>,
}

/// A settings file is not usable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// It cannot be read.
    #[error("cannot read {path:?}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It is not a settings file.
    #[error("{path:?} is not a settings file: {error}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and why.
        error: serde_json::Error,
    },
}

impl Settings {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is not JSON of the right shape.
    pub fn from_file(path: &Path) -> Result<Self, SettingsError> {
        let text =
            std::fs::read_to_string(path).map_err(|error| SettingsError::Read { path: path.to_owned(), error })?;
        let mut settings: Self =
            serde_json::from_str(&text).map_err(|error| SettingsError::Parse { path: path.to_owned(), error })?;
        settings.folder = path.canonicalize().ok().and_then(|file| file.parent().map(Path::to_owned));
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_knows_its_folder_and_errors_name_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        std::fs::write(&file, r#"{"permissions": {"allow": ["Edit(/src/**)"], "defaultMode": "plan"}, "other": 1}"#)
            .unwrap();
        let settings = Settings::from_file(&file).unwrap();
        assert_eq!(settings.folder, Some(dir.path().canonicalize().unwrap()));
        assert_eq!(settings.permissions.default_mode, Some(PermissionMode::Plan));
        std::fs::write(&file, r#"{"permissions": {"allow": "Edit"}}"#).unwrap();
        let error = Settings::from_file(&file).unwrap_err().to_string();
        assert!(error.contains("settings.json") && error.contains("line 1"), "{error}");
    }
}
