//! Remembers where the lines of large files are, sparsely, so that a second range of an unchanged file is found at
//! once. Reads no file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::lines::CHUNK_BYTES;
use super::open::Identity;

/// The most entries of one index: 32 GiB of file in 1 MiB of memory.
const MAX_ENTRIES: usize = 128 * 1024;

/// How many files keep their index per session.
const MAX_FILES: usize = 32;

/// How many lines begin before each chunk of a file, as far as the file was read.
#[derive(Debug, Clone, Default)]
pub struct LineIndex {
    /// The number of newlines before chunk `i`.
    before: Vec<u64>,
    /// How many lines the file has.
    total: Option<u64>,
}

impl LineIndex {
    /// How many lines the file has, if it was once read to its end.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    pub(super) fn set_total(&mut self, total: u64) -> u64 {
        *self.total.get_or_insert(total)
    }

    /// The last known chunk that holds, or comes before, the newline that line `first` (from 1) follows; with the
    /// number of newlines before the chunk.
    pub(super) fn start_of(&self, first: u64) -> (usize, u64) {
        let chunk = self.before.partition_point(|&newlines| newlines.saturating_add(1) < first).saturating_sub(1);
        (chunk, self.before.get(chunk).copied().unwrap_or(0))
    }

    /// Notes how many newlines come before a chunk, if it is the next one that is not known.
    pub(super) fn note(&mut self, chunk: usize, newlines: u64) {
        if self.before.len() == chunk && chunk < MAX_ENTRIES {
            self.before.push(newlines);
        }
    }

    /// Notes the same number for all chunks up to and including `chunk`: a hole lies between.
    pub(super) fn note_hole(&mut self, chunk: usize, newlines: u64) {
        let len = (chunk + 1).min(MAX_ENTRIES);
        if self.before.len() < len {
            self.before.resize(len, newlines);
        }
    }
}

/// The indexes of the files that were read in parts; state of a session.
#[derive(Debug, Default)]
pub struct LineIndexes(Mutex<HashMap<PathBuf, (Identity, LineIndex)>>);

impl LineIndexes {
    /// The index of a file, if the file is still the same; else an empty one.
    pub fn get(&self, real: &Path, identity: Identity) -> LineIndex {
        let map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match map.get(real) {
            Some((known, index)) if *known == identity => index.clone(),
            _ => LineIndex::default(),
        }
    }

    /// Keeps an index, unless a longer one of the same file is there. Those of small files are not worth it.
    pub fn put(&self, real: &Path, identity: Identity, index: LineIndex) {
        if identity.size <= CHUNK_BYTES as u64 {
            return;
        }
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match map.get(real) {
            Some((known, longer)) if *known == identity && longer.before.len() > index.before.len() => return,
            Some(_) => {}
            None if map.len() >= MAX_FILES => map.clear(),
            None => {}
        }
        map.insert(real.to_path_buf(), (identity, index));
    }
}
