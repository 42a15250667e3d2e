//! The steps that every change of an existing file shares: lock, open, read, check against what was read before, write
//! back in the same encoding, note the new state. Knows no tool; what is changed comes from the caller.

use std::borrow::Cow;
use std::fs::File;
use std::path::Path;

use toolreeve_engine::{CancelToken, ErrorKind, Session, ToolError};

use super::atomic::{self, Expected, FolderLock};
use super::kind::{self, Kind};
use super::lines::Source;
use super::open::{Identity, OpenError, Place};
use super::path::ResolvedPath;
use super::state::{FileState, Seen, View, content_hash};
use super::text::{Codec, Unwritable};
use super::{background, nearest};

/// Files larger than this are not changed.
pub const MAX_CHANGED_BYTES: u64 = 1 << 30;

/// The largest text that is given back as the original of a change.
pub const MAX_ORIGINAL_BYTES: usize = 32 * 1024 * 1024;

/// An existing text file, locked and read, about to be changed.
#[derive(Debug)]
pub struct Changing<'a> {
    path: &'a ResolvedPath,
    place: Place,
    lock: FolderLock,
    identity: Identity,
    bytes: Vec<u8>,
    codec: Codec,
}

impl<'a> Changing<'a> {
    /// Locks and reads the file.
    ///
    /// # Errors
    /// If it does not exist, is no text file, is too large or cannot be read.
    pub fn begin(verb: &str, path: &'a ResolvedPath, cancel: &CancelToken) -> Result<Self, ToolError> {
        let describe = |error| match error {
            OpenError::Missing => nearest::missing(verb, path),
            error => error.into_tool_error(verb, path),
        };
        let place = Place::find(&path.real).map_err(describe)?;
        let lock = FolderLock::acquire(&place, cancel)?;
        let (file, identity) = place.open().map_err(describe)?;
        if identity.size > MAX_CHANGED_BYTES {
            let text =
                format!("Cannot {verb} {}: it is larger than 1 GiB. Change it with a command.", path.path.display());
            return Err(ToolError::failed(text).with_safe_message("file too large"));
        }
        let bytes = read_all(&file, identity, path)?;
        if let Kind::Binary(what) | Kind::Image(what) = kind::kind_of(&bytes) {
            let text = format!("Cannot {verb} {}: it is not a text file but holds {what}.", path.path.display());
            return Err(ToolError::failed(text).with_safe_message("not a text file"));
        }
        let codec = Codec::detect(&bytes);
        background::check(cancel)?;
        Ok(Self { path, place, lock, identity, bytes, codec })
    }

    /// The encoding of the file.
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// What was read of the file in this session, and whether its content is still that.
    ///
    /// # Errors
    /// If it was not read, or only its first page.
    pub fn seen(&self, verb: &str, session: &Session) -> Result<(Seen, bool), ToolError> {
        match session.extension::<FileState>().get(&self.path.real) {
            Some(Seen { view: View::FirstPage, .. }) => Err(rejected(partly_read(verb, &self.path.path))),
            Some(seen) => {
                let is_unchanged = seen.is_unchanged(self.identity, &self.bytes);
                Ok((seen, is_unchanged))
            }
            None => Err(rejected(not_read(verb, &self.path.path))),
        }
    }

    /// The body of the text without the byte order mark: the bytes themselves for UTF-8, else decoded.
    ///
    /// # Errors
    /// If decoding loses something, so that what is not changed could not be written back as it is.
    pub fn body(&self) -> Result<Cow<'_, [u8]>, ToolError> {
        if let Codec::Utf8 { .. } = self.codec {
            return Ok(Cow::Borrowed(self.bytes.get(self.codec.bom_len()..).unwrap_or_default()));
        }
        let text = self.codec.decode(&self.bytes);
        if self.codec.encode(&text).as_deref() != Ok(self.bytes.as_slice()) {
            let (shown, name) = (self.path.path.display(), self.codec.name());
            return Err(ToolError::failed(format!(
                "{shown} was not changed: it is written in {name} and has bytes that would be lost. Convert it to UTF-8 first."
            )));
        }
        Ok(Cow::Owned(text.into_owned().into_bytes()))
    }

    /// The text as the original of a change, if it is not too large.
    pub fn original(&self) -> Option<String> {
        (self.bytes.len() <= MAX_ORIGINAL_BYTES).then(|| self.codec.decode(&self.bytes).into_owned())
    }

    /// Writes a new body in the encoding of the file and returns the state of the written file.
    ///
    /// # Errors
    /// If the encoding lacks a character, or the write fails; the old content then stays.
    pub fn finish(&self, body: &[u8], cancel: &CancelToken) -> Result<Written, ToolError> {
        let encoded;
        let mark = self.bytes.get(..self.codec.bom_len()).unwrap_or_default();
        let parts: [&[u8]; 2] = match self.codec {
            Codec::Utf8 { .. } => [mark, body],
            codec => {
                encoded = codec.encode(&String::from_utf8_lossy(body)).map_err(|error| self.unwritable(&error))?;
                [b"", &encoded]
            }
        };
        self.write(&parts, cancel)
    }

    /// Writes new content in UTF-8, whatever the encoding was.
    ///
    /// # Errors
    /// If the write fails; the old content then stays.
    pub fn finish_as_utf8(&self, text: &str, cancel: &CancelToken) -> Result<Written, ToolError> {
        self.write(&[text.as_bytes()], cancel)
    }

    fn write(&self, parts: &[&[u8]], cancel: &CancelToken) -> Result<Written, ToolError> {
        let expected = Expected::Unchanged(self.identity);
        let identity = atomic::write(&self.place, &self.lock, parts, expected, cancel)
            .map_err(|error| error.into_tool_error(self.path))?;
        let hash = match parts {
            [part] | [[], part] => content_hash(part),
            parts => content_hash(&parts.concat()),
        };
        Ok(Written { identity, hash })
    }

    fn unwritable(&self, error: &Unwritable) -> ToolError {
        ToolError::failed(format!("{} was not changed: {error}.", self.path.path.display()))
            .with_safe_message("character not in the encoding of the file")
    }
}

/// The state of a file that was just written.
#[derive(Debug, Clone, Copy)]
pub struct Written {
    identity: Identity,
    hash: u64,
}

impl Written {
    /// Notes the state as seen by the model in this view.
    pub fn note(self, session: &Session, real: &Path, view: View) {
        let seen = Seen { identity: self.identity, hash: Some(self.hash), view };
        session.extension::<FileState>().replace(real, seen);
    }
}

/// Makes a new file with its folders and notes it as read.
///
/// # Errors
/// If something is there already, or the system refuses.
pub fn create(path: &ResolvedPath, text: &str, session: &Session, cancel: &CancelToken) -> Result<(), ToolError> {
    let place = Place::find_or_create(&path.real).map_err(|error| error.into_tool_error("create", path))?;
    let lock = FolderLock::acquire(&place, cancel)?;
    let identity = atomic::write(&place, &lock, &[text.as_bytes()], Expected::Absent, cancel)
        .map_err(|error| error.into_tool_error(path))?;
    Written { identity, hash: content_hash(text.as_bytes()) }.note(session, &path.real, View::Whole);
    Ok(())
}

/// Whether there is a file at a path now.
///
/// # Errors
/// If what is there is no stored file, or cannot be looked at.
pub fn exists(verb: &str, path: &ResolvedPath) -> Result<bool, ToolError> {
    match Place::find(&path.real).and_then(|place| place.look()) {
        Ok(found) => Ok(found.is_some()),
        Err(OpenError::Missing) => Ok(false),
        Err(error) => Err(error.into_tool_error(verb, path)),
    }
}

/// What the model is told when it wants to change a file that it has not read.
pub fn not_read(verb: &str, path: &Path) -> String {
    format!("{} has not been read yet: read it with Read before you {verb} it.", path.display())
}

/// What the model is told when it has seen too little of a file.
pub fn partly_read(verb: &str, path: &Path) -> String {
    format!(
        "Only a part of {} has been read: read the rest with Read (offset and limit) before you {verb} it.",
        path.display()
    )
}

/// What the model is told when a file is not what it has read any more.
pub fn changed(verb: &str, path: &Path) -> ToolError {
    rejected(format!(
        "{} was changed since it was read, by the user, a formatter or a command. Read it again before you {verb} it.",
        path.display()
    ))
}

/// A refusal that the tool's own checks make.
pub fn rejected(message: String) -> ToolError {
    ToolError::new(ErrorKind::Rejected, message)
}

fn read_all(file: &File, identity: Identity, path: &ResolvedPath) -> Result<Vec<u8>, ToolError> {
    let failed = |error: &std::io::Error| ToolError::io(format!("Cannot read {}", path.path.display()), error);
    // One byte more tells a file that has grown since it was opened; writing it back would cut it.
    let mut bytes = vec![0; usize::try_from(identity.size).unwrap_or_default() + 1];
    let filled = file.fill(&mut bytes, 0).map_err(|error| failed(&error))?;
    if filled as u64 != identity.size {
        return Err(changed("change", &path.path));
    }
    bytes.truncate(filled);
    Ok(bytes)
}
