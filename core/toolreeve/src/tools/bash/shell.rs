//! How bash is started: which one, with which arguments, and how it tells where it ended up.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolreeve_engine::{Context, ToolError};

/// Finds bash: the usual places, then the search path of the context or of the host.
pub(super) fn find(context: &Context) -> Result<PathBuf, ToolError> {
    let usual = [PathBuf::from("/bin/bash"), PathBuf::from("/usr/bin/bash")];
    let path = variable(context, "PATH").unwrap_or_default();
    let searched = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join("bash"));
    usual.into_iter().chain(searched).find(|file| file.is_file()).ok_or_else(|| {
        ToolError::failed("bash was not found in /bin, /usr/bin or on PATH: install it, or tell the host where it is")
            .with_safe_message("bash was not found")
    })
}

/// A variable as a program would see it.
fn variable(context: &Context, name: &str) -> Option<OsString> {
    let own = context.env.iter().rev().find(|(key, _)| key == name).map(|(_, value)| OsString::from(value));
    own.or_else(|| std::env::var_os(name))
}

/// The files beside one run of bash. The command itself is an argument, byte for byte; a start file that bash reads
/// before it (`BASH_ENV`) makes bash write down its working directory when it exits.
pub(super) struct StartFiles {
    folder: TempDir,
}

impl StartFiles {
    pub(super) fn new(context: &Context) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("toolreeve-").tempdir()?;
        let this = Self { folder };
        let mut script = Vec::new();
        match variable(context, "BASH_ENV").filter(|file| !file.is_empty()) {
            Some(file) => {
                let file = quoted(&file);
                for part in [&b"export BASH_ENV="[..], &file, b"\n[ -r ", &file, b" ] && . ", &file, b"\n"] {
                    script.extend_from_slice(part);
                }
            }
            None => script.extend_from_slice(b"unset BASH_ENV\n"),
        }
        // Where there is a terminal, a program that reads from it must fail instead of being stopped for ever.
        script.extend_from_slice(b"trap '' TTIN TTOU\n");
        let mut at_exit = b"builtin pwd >|".to_vec();
        at_exit.extend_from_slice(&quoted(this.cwd_file().as_os_str()));
        at_exit.extend_from_slice(b" 2>/dev/null");
        script.extend_from_slice(b"trap ");
        script.extend_from_slice(&quoted(OsStr::from_bytes(&at_exit)));
        script.extend_from_slice(b" EXIT\n");
        std::fs::write(this.start_file(), script)?;
        Ok(this)
    }

    pub(super) fn start_file(&self) -> PathBuf {
        self.folder.path().join("start")
    }

    fn cwd_file(&self) -> PathBuf {
        self.folder.path().join("cwd")
    }

    /// The working directory in which bash exited; `None` if it was killed or replaced itself.
    pub(super) fn final_cwd(&self) -> Option<PathBuf> {
        let mut bytes = std::fs::read(self.cwd_file()).ok()?;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        let cwd = PathBuf::from(OsString::from_vec(bytes));
        cwd.is_absolute().then_some(cwd)
    }
}

/// The arguments that make bash run a text. `--` keeps a text that begins with `-` from being read as an option.
pub(super) fn args(command: &str) -> Vec<OsString> {
    vec!["-c".into(), "--".into(), command.into()]
}

/// A text as bash reads it literally.
fn quoted(text: &OsStr) -> Vec<u8> {
    let mut out = vec![b'\''];
    for &byte in text.as_bytes() {
        match byte {
            b'\'' => out.extend_from_slice(br"'\''"),
            other => out.push(other),
        }
    }
    out.push(b'\'');
    out
}

/// What becomes of the working directory after a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CwdChange {
    /// It stays.
    None,
    /// It carries over.
    To(PathBuf),
    /// It is outside of the allowed directories, so the next command starts at the project's root again.
    Reset {
        /// Where the command ended.
        outside: PathBuf,
    },
}

/// Decides it.
pub(super) fn cwd_change(context: &Context, ended_in: Option<PathBuf>) -> CwdChange {
    let Some(ended_in) = ended_in else { return CwdChange::None };
    let Ok(real) = ended_in.canonicalize() else { return CwdChange::None };
    if Some(&real) == context.cwd().canonicalize().ok().as_ref() {
        return CwdChange::None;
    }
    let policy = &context.policy;
    let is_within = |folder: &Path| folder.canonicalize().is_ok_and(|folder| real.starts_with(folder));
    if is_within(&policy.project_root) || policy.additional_directories.iter().any(|folder| is_within(folder)) {
        CwdChange::To(ended_in)
    } else {
        CwdChange::Reset { outside: ended_in }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_directory_carries_over_within_the_allowed_directories() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["project/sub", "more", "other"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        std::os::unix::fs::symlink(at("other"), at("project/out")).unwrap();
        std::os::unix::fs::symlink(at("project"), at("link")).unwrap();
        let mut context = Context::new(at("link"));
        context.policy.additional_directories.push(at("more"));
        let rows = [
            ("link", CwdChange::None),
            ("project", CwdChange::None),
            ("gone", CwdChange::None),
            ("link/sub", CwdChange::To(at("link/sub"))),
            ("more", CwdChange::To(at("more"))),
            ("other", CwdChange::Reset { outside: at("other") }),
            ("project/out", CwdChange::Reset { outside: at("project/out") }),
        ];
        for (name, change) in rows {
            assert_eq!(cwd_change(&context, Some(at(name))), change, "{name}");
        }
        assert_eq!(cwd_change(&context, None), CwdChange::None);
    }

    #[test]
    fn texts_are_quoted_literally() {
        assert_eq!(quoted(OsStr::new("a'b$c")), br"'a'\''b$c'");
    }
}
