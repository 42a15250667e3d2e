//! Reads a settings file from disk: only stored files, only up to a size, without waiting. Owns no meaning.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::files::open::{Identity, identity};

/// A larger file is refused before it is read: 10,000 rules are less than one of these.
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What a path holds.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing at all.
    Missing,
    /// A file that is in the state that is known already.
    Unchanged,
    /// A text.
    Text(String, Identity),
    /// Something that cannot be read, and what would help.
    Unreadable(String),
}

/// Looks at a path, and reads it unless it is in the known state.
pub(super) fn read(path: &Path, known: Option<Identity>) -> Found {
    match open(path) {
        Ok(file) => read_open(file, known).unwrap_or_else(Found::Unreadable),
        // A link to nothing was put there to lead to settings.
        Err(Errno::NOENT) if std::fs::symlink_metadata(path).is_ok() => {
            Found::Unreadable("it is a symbolic link to a file that does not exist; mend or remove the link".to_owned())
        }
        Err(Errno::NOENT | Errno::NOTDIR) => Found::Missing,
        Err(error) => Found::Unreadable(format!("it cannot be read ({error}); mend its rights, or remove it")),
    }
}

fn open(path: &Path) -> Result<OwnedFd, Errno> {
    // A pipe in the place of the file must not hold anybody up.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::io::retry_on_intr(|| rustix::fs::open(path, flags, Mode::empty()))
}

fn read_open(file: OwnedFd, known: Option<Identity>) -> Result<Found, String> {
    let failed = |error: std::io::Error| format!("it cannot be read ({error}); mend it, or remove it");
    let stat = rustix::fs::fstat(&file).map_err(|error| failed(error.into()))?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Err("it is a directory; a file with settings belongs there".to_owned()),
        _ => return Err("it is no stored file; a file with settings belongs there".to_owned()),
    }
    let file = File::from(file);
    let before = identity(&file).map_err(failed)?;
    if known == Some(before) {
        return Ok(Found::Unchanged);
    }
    let too_large = || format!("it is larger than {} MB, which no settings file is; make it smaller", MAX_BYTES >> 20);
    if before.size > MAX_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let read = (&file).take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if read as u64 > MAX_BYTES {
        return Err(too_large());
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| format!("it is not UTF-8 at byte {}; save it as UTF-8", error.utf8_error().valid_up_to()))?;
    Ok(Found::Text(text, before))
}
