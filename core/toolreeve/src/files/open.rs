//! Opens a file by its real path so that no symbolic link is followed on the way, and only if it is a stored file.
//! Folders, pipes, sockets, devices and files that the kernel makes up are refused before anything is opened for
//! reading. Reads and writes no content.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use toolreeve_engine::ToolError;

use super::judged;
use super::path::ResolvedPath;

/// What tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    dev: u64,
    ino: u64,
    /// The size in bytes.
    pub size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    pub(super) fn of(stat: &Stat) -> Self {
        #[expect(clippy::unnecessary_cast, reason = "the widths of these fields differ by platform")]
        Self {
            dev: stat.st_dev as u64,
            ino: stat.st_ino as u64,
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }
}

/// Why a file could not be opened.
#[derive(Debug)]
pub enum OpenError {
    /// It, or a folder on the way, does not exist.
    Missing,
    /// A symbolic link lies where the real path had none.
    Moved,
    /// It is no stored file; the text says what it is, for example "a folder".
    Special(&'static str),
    /// The operating system refused.
    Os(Errno),
}

impl From<Errno> for OpenError {
    fn from(error: Errno) -> Self {
        match error {
            Errno::NOENT => Self::Missing,
            Errno::LOOP => Self::Moved,
            other => Self::Os(other),
        }
    }
}

impl OpenError {
    /// The error in words for the model; `verb` is what was tried, for example "read".
    pub fn into_tool_error(self, verb: &str, path: &ResolvedPath) -> ToolError {
        let shown = path.path.display();
        match self {
            Self::Missing => ToolError::io(format!("Cannot {verb} {shown}"), &Errno::NOENT.into()),
            Self::Moved => judged::moved(path),
            Self::Special(what) => ToolError::failed(format!("Cannot {verb} {shown}: it is {what}, not a file."))
                .with_safe_message("not a regular file"),
            Self::Os(error) => ToolError::io(format!("Cannot {verb} {shown}"), &error.into()),
        }
    }
}

/// A name inside of an opened folder. Everything done through it stays in that folder, whatever happens to the path.
#[derive(Debug)]
pub struct Place {
    pub(super) folder: OwnedFd,
    pub(super) name: OsString,
}

impl Place {
    /// Finds the folder of a real path.
    ///
    /// # Errors
    /// If the folder does not exist, is not reachable without a symbolic link, or the path is the root.
    pub fn find(real: &Path) -> Result<Self, OpenError> {
        Self::locate(real, false)
    }

    /// Finds the folder of a real path and makes the folders that are missing.
    ///
    /// # Errors
    /// As [`Place::find`], and if a folder cannot be made.
    pub fn find_or_create(real: &Path) -> Result<Self, OpenError> {
        Self::locate(real, true)
    }

    fn locate(real: &Path, create: bool) -> Result<Self, OpenError> {
        let (Some(parent), Some(name)) = (real.parent(), real.file_name()) else {
            return Err(OpenError::Special("a folder"));
        };
        Ok(Self { folder: open_folder(parent, create)?, name: name.to_owned() })
    }

    /// Looks at what has the name now; `None` if nothing has.
    ///
    /// # Errors
    /// If it cannot be looked at, or is no stored file.
    pub fn look(&self) -> Result<Option<Identity>, OpenError> {
        Ok(self.stat()?.map(|stat| Identity::of(&stat)))
    }

    /// What has the name now, if it is a stored file.
    pub(super) fn stat(&self) -> Result<Option<Stat>, OpenError> {
        match rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => require_stored_file(&stat).map(|()| Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the file for reading.
    ///
    /// # Errors
    /// If it does not exist, is no stored file, or is swapped for another meanwhile.
    pub fn open(&self) -> Result<(File, Identity), OpenError> {
        let Some(before) = self.stat()? else { return Err(OpenError::Missing) };
        // Not blocking, because a pipe may have taken the place of the file since the look above.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = rustix::io::retry_on_intr(|| rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty()))?;
        let stat = rustix::fs::fstat(&file)?;
        require_stored_file(&stat)?;
        if (stat.st_dev, stat.st_ino) != (before.st_dev, before.st_ino) {
            return Err(OpenError::Moved);
        }
        refuse_made_up(&file)?;
        Ok((File::from(file), Identity::of(&stat)))
    }
}

/// Looks again at an opened file.
///
/// # Errors
/// If the operating system refuses.
pub fn identity(file: &File) -> std::io::Result<Identity> {
    Ok(Identity::of(&rustix::fs::fstat(file)?))
}

/// What `path` is if it is there and is no stored file, for checks before a call. Follows no link.
pub fn special_kind(path: &Path) -> Option<&'static str> {
    let stat = rustix::fs::lstat(path).ok()?;
    match require_stored_file(&stat) {
        Err(OpenError::Special(what)) => Some(what),
        _ => None,
    }
}

fn require_stored_file(stat: &Stat) -> Result<(), OpenError> {
    Err(OpenError::Special(match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Symlink => return Err(OpenError::Moved),
        FileType::Directory => "a folder",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "of an unknown kind",
    }))
}

/// Files that the kernel makes up on reading may block, have side effects or have no end.
#[cfg(target_os = "linux")]
fn refuse_made_up(file: &OwnedFd) -> Result<(), OpenError> {
    // The numbers of statfs(2): proc, sysfs, debugfs, tracefs, securityfs, cgroup, cgroup2, configfs, pstore, bpf.
    const MADE_UP: [u32; 10] = [
        0x9fa0,
        0x6265_6572,
        0x6462_6720,
        0x7472_6163,
        0x7363_6673,
        0x0027_e0eb,
        0x6367_7270,
        0x6265_6570,
        0x6165_676c,
        0xcafe_4a11,
    ];
    let kind = rustix::fs::fstatfs(file)?.f_type;
    #[expect(clippy::cast_possible_truncation, reason = "all the numbers have 32 bits; the field's type differs")]
    if MADE_UP.contains(&(kind as u32)) {
        return Err(OpenError::Special("made up by the kernel (procfs, sysfs or the like; a command can read it)"));
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn refuse_made_up(_: &OwnedFd) -> Result<(), OpenError> {
    Ok(())
}

/// How folders on the way are opened: to be passed through, not to be listed.
#[cfg(target_os = "linux")]
const PASS_THROUGH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const PASS_THROUGH: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

fn open_folder(folder: &Path, create: bool) -> Result<OwnedFd, OpenError> {
    match open_whole(folder) {
        Ok(fd) => Ok(fd),
        Err(Errno::NOENT) if create => walk(folder, true),
        // An old kernel, or a filter of system calls that does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => walk(folder, create),
        Err(Errno::NOTDIR) => Err(OpenError::Special("below something that is not a folder")),
        Err(error) => Err(error.into()),
    }
}

#[cfg(target_os = "linux")]
fn open_whole(folder: &Path) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::io::retry_on_intr(|| rustix::fs::openat2(CWD, folder, PASS_THROUGH, Mode::empty(), resolve))
}

#[cfg(not(target_os = "linux"))]
fn open_whole(_: &Path) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Opens a folder name by name, following no link, and makes what is missing if told to.
fn walk(folder: &Path, create: bool) -> Result<OwnedFd, OpenError> {
    let mut at = rustix::fs::openat(CWD, "/", PASS_THROUGH, Mode::empty())?;
    for component in folder.components() {
        if let Component::Normal(name) = component {
            at = step(&at, name, create)?;
        }
    }
    Ok(at)
}

fn step(at: &OwnedFd, name: &OsStr, create: bool) -> Result<OwnedFd, OpenError> {
    let flags = PASS_THROUGH | OFlags::NOFOLLOW;
    let open = || rustix::io::retry_on_intr(|| rustix::fs::openat(at, name, flags, Mode::empty()));
    let opened = match open() {
        Err(Errno::NOENT) if create => {
            match rustix::fs::mkdirat(at, name, Mode::from_raw_mode(0o777)) {
                // Somebody else made it first: fine, if it is a folder.
                Ok(()) | Err(Errno::EXIST) => open(),
                Err(error) => return Err(error.into()),
            }
        }
        other => other,
    };
    match opened {
        Ok(fd) => Ok(fd),
        // A symbolic link is no folder to this call, and so is a file.
        Err(Errno::NOTDIR) => match rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => Err(OpenError::Moved),
            _ => Err(OpenError::Special("below something that is not a folder")),
        },
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn walking_follows_no_link_and_makes_what_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::fs::write(root.join("file"), "x").unwrap();
        symlink("real", root.join("link")).unwrap();
        for open in [walk, open_folder] {
            assert!(open(&root.join("real"), false).is_ok());
            assert!(matches!(open(&root.join("link"), false), Err(OpenError::Moved)));
            assert!(matches!(open(&root.join("link/new"), true), Err(OpenError::Moved)));
            assert!(matches!(open(&root.join("file"), false), Err(OpenError::Special(_))));
            assert!(matches!(open(&root.join("none"), false), Err(OpenError::Missing)));
        }
        assert!(walk(&root.join("a/b/c"), true).is_ok());
        assert!(open_folder(&root.join("d/e"), true).is_ok());
        assert!(root.join("a/b/c").is_dir() && root.join("d/e").is_dir());
        assert!(!root.join("real/new").exists());
    }
}
