//! Output in files: the file is the program's standard output, so memory does not grow with it and nothing has to be
//! copied. The files have no name and vanish with the last process that has them open.
//!
//! A program that opens `/dev/stdout` anew truncates such a file, as it does with any redirection to a file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::text::{decode, is_continuation};

/// How much is read at once to be shown while the program runs; of more only the end is shown.
const MAX_PIECE_BYTES: u64 = 32 * 1024;

/// A file for output, in `dir` or else where temporary files go: the first may be on a disk where the second is in
/// memory.
pub(super) fn file_for_output(dir: &Path) -> io::Result<(File, Stdio)> {
    let file =
        std::fs::create_dir_all(dir).and_then(|()| tempfile::tempfile_in(dir)).or_else(|_| tempfile::tempfile())?;
    // Several writers, and one that truncates, must not leave holes.
    fcntl_setfl(&file, fcntl_getfl(&file)? | OFlags::APPEND)?;
    let child_side = file.try_clone()?;
    Ok((file, Stdio::from(child_side)))
}

/// The end of a growing file, piece by piece.
pub(super) struct Tail {
    file: File,
    position: u64,
    pending: Vec<u8>,
}

/// A piece of output.
pub(super) struct Piece {
    pub(super) text: String,
    /// How many bytes were left out in front of it.
    pub(super) skipped: u64,
}

impl Tail {
    pub(super) fn new(file: File) -> Self {
        Self { file, position: 0, pending: Vec::new() }
    }

    /// The size of the file.
    pub(super) fn len(&self) -> io::Result<u64> {
        self.file.metadata().map(|meta| meta.len())
    }

    /// What was written since the last time. `is_last` also gives a character that is not complete.
    pub(super) fn next(&mut self, is_last: bool) -> io::Result<Option<Piece>> {
        let len = self.len()?;
        if len < self.position {
            // Truncated: what is there now is new.
            self.position = 0;
            self.pending.clear();
        }
        let mut skipped = 0;
        if len - self.position > MAX_PIECE_BYTES {
            skipped = len - self.position - MAX_PIECE_BYTES + self.pending.len() as u64;
            self.position = len - MAX_PIECE_BYTES;
            self.pending.clear();
        }
        let start = self.pending.len();
        let wanted = usize::try_from(len - self.position).unwrap_or(0);
        self.pending.resize(start + wanted, 0);
        let read = read_full_at(&self.file, &mut self.pending[start..], self.position);
        self.pending.truncate(start + *read.as_ref().unwrap_or(&0));
        self.position += read? as u64;
        if skipped > 0 {
            let cut_off = self.pending.iter().take(3).take_while(|byte| is_continuation(**byte)).count();
            self.pending.drain(..cut_off);
            skipped += cut_off as u64;
        }
        let (text, used) = decode(&self.pending, is_last);
        self.pending.drain(..used);
        Ok((!text.is_empty()).then_some(Piece { text, skipped }))
    }

    /// Takes away what is behind `max_bytes`.
    pub(super) fn cut(&self, max_bytes: u64) -> io::Result<()> {
        match self.len()? > max_bytes {
            true => self.file.set_len(max_bytes),
            false => Ok(()),
        }
    }

    /// The file as it is now.
    pub(super) fn finish(self) -> io::Result<Captured> {
        let len = self.len()?;
        Ok(Captured { file: self.file, len })
    }
}

/// Reads until the buffer is full or the file ends.
fn read_full_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read_at(&mut buffer[read..], at + read as u64) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

/// The whole output of a program, in its file.
#[derive(Debug)]
pub(crate) struct Captured {
    file: File,
    len: u64,
}

impl Captured {
    /// The size in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The whole text, if it has at most `max_chars` characters.
    pub(crate) fn text_within(&self, max_chars: usize) -> io::Result<Option<String>> {
        // No character has more than four bytes.
        if self.len > max_chars as u64 * 4 {
            return Ok(None);
        }
        let (text, _) = decode(&self.bytes(0, self.len)?, true);
        Ok((text.len() <= max_chars || text.chars().count() <= max_chars).then_some(text))
    }

    /// The first characters, at most `max_bytes` of them.
    pub(crate) fn head(&self, max_bytes: u64) -> io::Result<String> {
        let bytes = self.bytes(0, max_bytes.min(self.len))?;
        Ok(decode(&bytes, max_bytes >= self.len).0)
    }

    /// The text with its middle left out, so that about `max_chars` characters remain.
    pub(crate) fn head_and_tail(&self, max_chars: usize) -> io::Result<String> {
        if let Some(text) = self.text_within(max_chars)? {
            return Ok(text);
        }
        let half = max_chars / 2;
        // Each half has at most as many characters as bytes.
        let reach = (half as u64 * 4).min(self.len);
        let (front, _) = decode(&self.bytes(0, reach)?, reach == self.len);
        let (mut back, mut back_start) = (self.bytes(self.len - reach, reach)?, self.len - reach);
        let cut_off = back.iter().take(3).take_while(|byte| is_continuation(**byte)).count();
        if back_start > 0 {
            back.drain(..cut_off);
            back_start += cut_off as u64;
        }
        let (back, _) = decode(&back, true);
        let front_end = front.char_indices().nth(half).map_or(front.len(), |(at, _)| at);
        let back_at = back.char_indices().rev().nth(half.saturating_sub(1)).map_or(0, |(at, _)| at);
        let left_out = (back_start + back_at as u64).saturating_sub(front_end as u64);
        Ok(format!("{}\n\n[… {left_out} bytes left out …]\n\n{}", &front[..front_end], &back[back_at..]))
    }

    /// Copies the first `max_bytes` into a new file `stem.txt` in `dir`, for this user only. Never overwrites.
    pub(crate) fn save(&self, dir: &Path, stem: &str, max_bytes: u64) -> io::Result<PathBuf> {
        std::fs::create_dir_all(dir)?;
        let (path, mut target) = new_file(dir, stem)?;
        let source = ReadAt { file: &self.file, position: 0 };
        let copied = io::copy(&mut source.take(max_bytes), &mut target).and_then(|_| target.flush());
        match copied {
            Ok(()) => Ok(path),
            Err(error) => {
                // Half a file would be taken for the whole output.
                let _ = std::fs::remove_file(&path);
                Err(error)
            }
        }
    }

    fn bytes(&self, at: u64, len: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        let read = read_full_at(&self.file, &mut bytes, at)?;
        bytes.truncate(read);
        Ok(bytes)
    }
}

fn new_file(dir: &Path, stem: &str) -> io::Result<(PathBuf, File)> {
    for attempt in 0..10_000_u32 {
        let name = if attempt == 0 { format!("{stem}.txt") } else { format!("{stem}-{attempt}.txt") };
        let path = dir.join(name);
        let mut options = File::options();
        options.write(true).create_new(true);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many files of one name"))
}

/// Reads without moving the position that is shared with the program.
struct ReadAt<'a> {
    file: &'a File,
    position: u64,
}

impl Read for ReadAt<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(bytes: &[u8]) -> Captured {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Captured { file, len: bytes.len() as u64 }
    }

    #[test]
    fn the_middle_is_left_out_and_counted() {
        assert_eq!(captured(b"abc").head_and_tail(10).unwrap(), "abc");
        let text: String = (0..100).map(|n| format!("{n:02}")).collect();
        assert_eq!(
            captured(text.as_bytes()).head_and_tail(20).unwrap(),
            "0001020304\n\n[… 180 bytes left out …]\n\n9596979899"
        );
        let long = "é".repeat(100_000);
        let cut = captured(long.as_bytes()).head_and_tail(10).unwrap();
        assert_eq!(cut, "ééééé\n\n[… 199980 bytes left out …]\n\nééééé");
        assert!(!captured(long.as_bytes()).head(3).unwrap().contains('\u{fffd}'));
    }

    #[test]
    fn a_text_within_the_limit_is_whole() {
        assert_eq!(captured("éé".as_bytes()).text_within(2).unwrap().as_deref(), Some("éé"));
        assert_eq!(captured("ééé".as_bytes()).text_within(2).unwrap(), None);
        assert_eq!(captured(&[b'a', 0xff]).text_within(2).unwrap().as_deref(), Some("a\u{fffd}"));
    }

    #[test]
    fn a_growing_file_is_read_in_pieces() {
        let (file, _) = file_for_output(Path::new("/nonexistent")).unwrap();
        let mut writer = file.try_clone().unwrap();
        let mut tail = Tail::new(file);
        let mut next = |bytes: &[u8], is_last| {
            writer.write_all(bytes).unwrap();
            tail.next(is_last).unwrap().map(|piece| (piece.text, piece.skipped))
        };
        assert_eq!(next(b"a\xe2\x82", false), Some(("a".into(), 0)));
        assert_eq!(next(b"", false), None);
        assert_eq!(next(b"\xac", false), Some(("€".into(), 0)));
        let much = "€".repeat(50_000);
        let (text, skipped) = next(much.as_bytes(), false).unwrap();
        assert_eq!(text.len() as u64 + skipped, much.len() as u64);
        assert!(text.chars().all(|c| c == '€'));
        assert_eq!(next(b"\xe2", false), None);
        assert_eq!(next(b"", true), Some(("\u{fffd}".into(), 0)));
        writer.set_len(0).unwrap();
        writer.write_all(b"new").unwrap();
        assert_eq!(tail.next(false).unwrap().map(|piece| piece.text), Some("new".into()));
    }

    #[test]
    fn saved_files_are_cut_and_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let output = captured(b"0123456789");
        for (name, limit, text) in [("x.txt", 4, "0123"), ("x-1.txt", 100, "0123456789")] {
            let path = output.save(dir.path(), "x", limit).unwrap();
            assert_eq!(path, dir.path().join(name));
            assert_eq!(std::fs::read_to_string(path).unwrap(), text);
        }
    }
}
