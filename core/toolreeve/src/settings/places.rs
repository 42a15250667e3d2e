//! Which settings are read and where they are. Owns the places and their order; reads nothing but where `.git` is.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolreeve_permission::RuleSource;

/// The folder for settings, in the home directory and in the project.
pub const DEFAULT_DIRECTORY_NAME: &str = ".claude";

/// The environment variable that moves the user's folder.
pub const USER_DIRECTORY_VARIABLE: &str = "CLAUDE_CONFIG_DIR";

/// The file of an administrator, and the folder with more of them.
const MANAGED_FILE: &str = "managed-settings.json";
const MANAGED_FOLDER: &str = "managed-settings.d";

/// Which of the person's own files are read. Managed files always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingSources {
    /// `~/.claude/settings.json`.
    pub user: bool,
    /// `.claude/settings.json` of the project.
    pub project: bool,
    /// `.claude/settings.local.json` of the project.
    pub local: bool,
}

impl SettingSources {
    /// All three.
    pub const ALL: Self = Self { user: true, project: true, local: true };
    /// None of them.
    pub const NONE: Self = Self { user: false, project: false, local: false };

    /// From their public names: `user`, `project`, `local`.
    ///
    /// # Errors
    /// If a name is another one; the text names the right ones.
    pub fn from_names<S: AsRef<str>>(names: &[S]) -> Result<Self, String> {
        let mut sources = Self::NONE;
        for name in names {
            match name.as_ref() {
                "user" => sources.user = true,
                "project" => sources.project = true,
                "local" => sources.local = true,
                other => return Err(format!("there is no source {other:?}; write \"user\", \"project\" or \"local\"")),
            }
        }
        Ok(sources)
    }
}

/// Settings that are named at the start.
#[derive(Debug, Clone, PartialEq)]
pub enum FlagSettings {
    /// A file; it is watched like the others.
    File(PathBuf),
    /// The content itself, and the folder where patterns `/p` in it begin.
    Content(Value, Option<PathBuf>),
}

/// Where settings come from. Every field may be changed after [`SettingsOptions::new`].
#[derive(Debug, Clone, PartialEq)]
pub struct SettingsOptions {
    /// Where the work happens, absolute: the project's files are below it.
    pub cwd: PathBuf,
    /// The home directory; without one there are no user settings.
    pub home: Option<PathBuf>,
    /// Which of the person's own files are read.
    pub sources: SettingSources,
    /// The name of the folder for settings.
    pub directory_name: String,
    /// The user's folder, where it is not the one in the home directory.
    pub user_directory: Option<PathBuf>,
    /// Whether the local file is looked for at the root of the git repository instead of in `cwd`.
    pub local_at_git_root: bool,
    /// Settings named at the start.
    pub flag: Option<FlagSettings>,
    /// The folder of the administrator; `None` where there is none.
    pub managed_directory: Option<PathBuf>,
    /// Managed settings that the host brings. They count where the administrator has none, or lets them.
    pub managed: Option<Value>,
    /// Whether the workspace is trusted. If not, what loosens something in its files waits: allow rules, directories,
    /// looser modes, variables and hooks. Rules that deny and ask count at once.
    pub trust_workspace: bool,
}

impl SettingsOptions {
    /// All files in their usual places, in a workspace that is not trusted. Looks at no environment variable.
    pub fn new(cwd: impl Into<PathBuf>, home: Option<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            home,
            sources: SettingSources::ALL,
            directory_name: DEFAULT_DIRECTORY_NAME.to_owned(),
            user_directory: None,
            local_at_git_root: false,
            flag: None,
            managed_directory: default_managed_directory(),
            managed: None,
            trust_workspace: false,
        }
    }

    /// The file of a source; `None` for a source that has none or is not read.
    pub fn file(&self, source: RuleSource) -> Option<PathBuf> {
        match source {
            RuleSource::UserSettings if self.sources.user => Some(self.user_folder()?.join("settings.json")),
            RuleSource::ProjectSettings if self.sources.project => Some(self.project_folder().join("settings.json")),
            RuleSource::LocalSettings if self.sources.local => Some(self.local_folder().join("settings.local.json")),
            RuleSource::FlagSettings => match &self.flag {
                Some(FlagSettings::File(path)) => Some(self.cwd.join(path)),
                _ => None,
            },
            RuleSource::PolicySettings => Some(self.managed_directory.as_ref()?.join(MANAGED_FILE)),
            _ => None,
        }
    }

    /// The folder with further files of the administrator.
    pub(crate) fn managed_folder(&self) -> Option<PathBuf> {
        Some(self.managed_directory.as_ref()?.join(MANAGED_FOLDER))
    }

    /// The root of the project: everything that its files may lead to is below it.
    pub(crate) fn project_root(&self) -> &Path {
        if self.local_at_git_root { git_root(&self.cwd).unwrap_or(&self.cwd) } else { &self.cwd }
    }

    /// Where patterns `/p` of a source begin, if not where they usually do.
    pub(crate) fn base(&self, source: RuleSource) -> Option<PathBuf> {
        match source {
            RuleSource::UserSettings => self.user_folder(),
            RuleSource::FlagSettings => match &self.flag {
                Some(FlagSettings::Content(_, folder)) => folder.clone(),
                _ => self.file(source).and_then(|file| real(&file).parent().map(Path::to_owned)),
            },
            _ => None,
        }
    }

    fn user_folder(&self) -> Option<PathBuf> {
        match &self.user_directory {
            Some(directory) => Some(self.cwd.join(directory)),
            None => Some(self.home.as_ref()?.join(&self.directory_name)),
        }
    }

    fn project_folder(&self) -> PathBuf {
        self.cwd.join(&self.directory_name)
    }

    fn local_folder(&self) -> PathBuf {
        self.project_root().join(&self.directory_name)
    }
}

fn real(path: &Path) -> PathBuf {
    crate::files::path::real_path(path)
}

fn git_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// Where the administrator of this kind of system keeps managed settings.
fn default_managed_directory() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        Some(PathBuf::from("/Library/Application Support/ClaudeCode"))
    } else if cfg!(windows) {
        Some(PathBuf::from("C:\\Program Files\\ClaudeCode"))
    } else {
        Some(PathBuf::from("/etc/claude-code"))
    }
}
