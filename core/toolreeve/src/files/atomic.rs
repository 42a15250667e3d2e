//! Writes a file so that a crash at any moment leaves the old content or the new, never a part: a temporary file in the
//! same folder, synced, then renamed over the name. Keeps mode and owner. Follows no link: it gets a [`Place`].

use std::ffi::OsString;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::fs::{Access, AtFlags, FlockOperation, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;
use toolreeve_engine::{CancelToken, ToolError};

use super::background;
use super::open::{Identity, OpenError, Place, identity};
use super::path::ResolvedPath;

/// How long another writer in the same folder is waited for.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// How much is written between two looks at the cancel token.
const WRITE_STEP: usize = 8 * 1024 * 1024;

/// What must be at the place for the write to happen.
#[derive(Debug, Clone, Copy)]
pub enum Expected {
    /// Nothing.
    Absent,
    /// The file in this very state.
    Unchanged(Identity),
}

/// Keeps other writers of this library, in this process and others, out of a folder until dropped.
#[derive(Debug)]
pub struct FolderLock {
    /// The folder, open for syncing; missing where it may not be listed, and then nothing is locked.
    folder: Option<File>,
}

impl FolderLock {
    /// Waits for the lock of the folder of a place.
    ///
    /// # Errors
    /// If another program holds it for too long, or the call is cancelled.
    pub fn acquire(place: &Place, cancel: &CancelToken) -> Result<Self, ToolError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(folder) = rustix::fs::openat(&place.folder, ".", flags, Mode::empty()) else {
            return Ok(Self { folder: None });
        };
        let started = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) if started.elapsed() > LOCK_WAIT => {
                    return Err(ToolError::failed(
                        "The file was not changed: another program keeps a lock on its folder. Try again later.",
                    ));
                }
                Err(Errno::WOULDBLOCK | Errno::INTR) => {
                    background::check(cancel)?;
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                // A file system without locks: the check right before the rename has to do.
                Ok(()) | Err(_) => return Ok(Self { folder: Some(File::from(folder)) }),
            }
        }
    }

    /// Makes a rename in the folder outlive a power cut. It has happened by then, so a failure changes no answer.
    fn sync(&self) {
        if let Some(folder) = &self.folder {
            let _ = folder.sync_all();
        }
    }
}

/// Why a write did not happen. The old content is untouched.
#[derive(Debug)]
pub enum WriteError {
    /// The place is not as expected: somebody else changed it meanwhile.
    Changed,
    /// The place cannot be looked at.
    Open(OpenError),
    /// The operating system refused; with what was tried.
    Os(&'static str, std::io::Error),
    /// The call was cancelled.
    Cancelled(ToolError),
}

impl WriteError {
    /// The error in words for the model.
    pub fn into_tool_error(self, path: &ResolvedPath) -> ToolError {
        let shown = path.path.display();
        match self {
            Self::Changed => ToolError::failed(format!(
                "{shown} was changed by somebody else at this moment. Nothing was written: read the file again."
            ))
            .with_safe_message("file changed while it was written"),
            Self::Open(error) => error.into_tool_error("write", path),
            Self::Os(what, error) => {
                ToolError::io(format!("Cannot write {shown} ({what}; nothing was changed)"), &error)
            }
            Self::Cancelled(error) => error,
        }
    }
}

/// Writes the parts, one after the other, as the whole content of the file.
///
/// # Errors
/// If the place is not as expected or the system refuses; the old content is then untouched and nothing is left behind.
pub fn write(
    place: &Place,
    lock: &FolderLock,
    parts: &[&[u8]],
    expected: Expected,
    cancel: &CancelToken,
) -> Result<Identity, WriteError> {
    let old = current(place, expected)?;
    if old.is_some() {
        require_writable(place)?;
    }
    let (mut temporary, mut file) = Temporary::create(place, old.is_some())?;
    for step in parts.iter().flat_map(|part| part.chunks(WRITE_STEP)) {
        background::check(cancel).map_err(WriteError::Cancelled)?;
        file.write_all(step).map_err(|error| WriteError::Os("writing a temporary file beside it", error))?;
    }
    if let Some(old) = &old {
        keep_owner_and_mode(&file, old)?;
    }
    file.sync_all().map_err(|error| WriteError::Os("syncing it to disk", error))?;
    background::check(cancel).map_err(WriteError::Cancelled)?;
    let before = identity(&file).map_err(|error| WriteError::Os("looking at the temporary file", error))?;
    current(place, expected)?;
    temporary.rename(place, old.is_some())?;
    // From here on the new content is there, and no failure may say otherwise.
    lock.sync();
    Ok(identity(&file).unwrap_or(before))
}

/// What is at the place, if that is what is expected.
fn current(place: &Place, expected: Expected) -> Result<Option<Stat>, WriteError> {
    let stat = place.stat().map_err(WriteError::Open)?;
    let identity = stat.as_ref().map(Identity::of);
    match (expected, identity) {
        (Expected::Absent, None) => Ok(None),
        (Expected::Unchanged(then), Some(now)) if then == now => Ok(stat),
        _ => Err(WriteError::Changed),
    }
}

/// A rename needs no right to the old file, so the right to write it is asked for.
fn require_writable(place: &Place) -> Result<(), WriteError> {
    match rustix::fs::accessat(&place.folder, &place.name, Access::WRITE_OK, AtFlags::EACCESS) {
        Err(error @ (Errno::ACCESS | Errno::ROFS | Errno::PERM)) => {
            Err(WriteError::Os("the file is write-protected", error.into()))
        }
        _ => Ok(()),
    }
}

fn keep_owner_and_mode(file: &File, old: &Stat) -> Result<(), WriteError> {
    let failed = |error: Errno| WriteError::Os("keeping its mode", error.into());
    let new = rustix::fs::fstat(file).map_err(failed)?;
    let mut mode = old.st_mode & 0o7777;
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid) {
        let (uid, gid) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
        if rustix::fs::fchown(file, Some(uid), Some(gid)).is_err() {
            // Not ours to give away. The bits that lend the owner's rights must not lend ours.
            mode &= 0o777;
        }
    }
    rustix::fs::fchmod(file, Mode::from_raw_mode(mode)).map_err(failed)
}

/// A file that vanishes unless it was renamed to its place.
struct Temporary<'a> {
    folder: &'a OwnedFd,
    name: OsString,
    is_renamed: bool,
}

impl<'a> Temporary<'a> {
    fn create(place: &'a Place, replaces: bool) -> Result<(Self, File), WriteError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // A new file gets what the umask leaves; one that replaces another is private until it has that one's mode.
        let mode = Mode::from_raw_mode(if replaces { 0o600 } else { 0o666 });
        loop {
            let number = RandomState::new().build_hasher().finish();
            let name = OsString::from(format!(".toolreeve-{number:016x}.tmp"));
            match rustix::fs::openat(&place.folder, &name, flags, mode) {
                Ok(fd) => return Ok((Self { folder: &place.folder, name, is_renamed: false }, File::from(fd))),
                Err(Errno::EXIST | Errno::INTR) => {}
                Err(error) => return Err(WriteError::Os("making a temporary file beside it", error.into())),
            }
        }
    }

    fn rename(&mut self, place: &Place, replaces: bool) -> Result<(), WriteError> {
        let renamed = if replaces {
            rustix::fs::renameat(self.folder, &self.name, &place.folder, &place.name)
        } else {
            self.rename_to_free_name(place)
        };
        match renamed {
            Ok(()) => {
                self.is_renamed = true;
                Ok(())
            }
            Err(Errno::EXIST) => Err(WriteError::Changed),
            Err(error) => Err(WriteError::Os("renaming the temporary file", error.into())),
        }
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn rename_to_free_name(&self, place: &Place) -> Result<(), Errno> {
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(self.folder, &self.name, &place.folder, &place.name, flags) {
            // Not every file system knows the flag. The name was free a moment ago.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                rustix::fs::renameat(self.folder, &self.name, &place.folder, &place.name)
            }
            other => other,
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    fn rename_to_free_name(&self, place: &Place) -> Result<(), Errno> {
        rustix::fs::renameat(self.folder, &self.name, &place.folder, &place.name)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_renamed {
            // The write failed already; a file that cannot even be removed is all that is left to leave.
            let _ = rustix::fs::unlinkat(self.folder, &self.name, AtFlags::empty());
        }
    }
}
