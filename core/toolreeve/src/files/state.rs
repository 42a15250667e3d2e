//! What the model has read in this session: the ground on which files may be changed. Owned per session; written after
//! reads and successful changes, read before changes. Changes no file.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use toolreeve_engine::{Session, ToolError};

use super::lines::{CHUNK_BYTES, Source};
use super::open::{Identity, OpenError, Place};
use super::path::ResolvedPath;

/// One random key per process: nobody can prepare two contents with the same hash.
static HASH_KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Hashes content in chunks of [`CHUNK_BYTES`], so that reading in pieces and hashing at once agree.
#[derive(Debug, Clone)]
pub struct ContentHasher(<RandomState as BuildHasher>::Hasher);

impl Default for ContentHasher {
    fn default() -> Self {
        Self(HASH_KEY.build_hasher())
    }
}

impl ContentHasher {
    /// Takes the next chunk; all but the last must have [`CHUNK_BYTES`].
    pub fn chunk(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.0.write(bytes);
        }
    }

    /// The hash of all chunks. Means nothing in another process.
    pub fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// The hash of content that is all there.
pub fn content_hash(bytes: &[u8]) -> u64 {
    let mut hasher = ContentHasher::default();
    bytes.chunks(CHUNK_BYTES).for_each(|chunk| hasher.chunk(chunk));
    hasher.finish()
}

/// How much of a file the model has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum View {
    /// All of it.
    Whole,
    /// These lines, from 1, in order and apart from each other.
    Ranges(Vec<Range<u64>>),
    /// The first page of a file that was too large: not what was asked for, so it does not count as reading.
    FirstPage,
}

impl View {
    /// A view of one range of lines.
    pub fn range(lines: Range<u64>) -> Self {
        Self::Ranges(vec![lines])
    }

    /// Whether every line of a range was seen.
    pub fn covers(&self, lines: &Range<u64>) -> bool {
        match self {
            Self::Whole => true,
            Self::Ranges(ranges) => ranges.iter().any(|seen| seen.start <= lines.start && lines.end <= seen.end),
            Self::FirstPage => false,
        }
    }

    /// The view after lines were replaced by others: what was seen moves with the lines.
    #[must_use]
    pub fn after(self, replaced: &[ReplacedLines]) -> Self {
        let Self::Ranges(mut ranges) = self else { return self };
        let moved = |line: u64, is_before: &dyn Fn(&ReplacedLines) -> bool| {
            let (gone, come) = replaced
                .iter()
                .filter(|it| is_before(it))
                .fold((0, 0), |(gone, come), it| (gone + (it.old.end - it.old.start), come + it.new_count));
            (line + come).saturating_sub(gone)
        };
        for range in &mut ranges {
            let (start, end) = (range.start, range.end);
            *range = moved(start, &|it| it.old.end <= start)..moved(end, &|it| it.old.start < end);
        }
        Self::Ranges(ranges)
    }

    /// Both views together, of the same content.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Whole, _) | (_, Self::Whole) => Self::Whole,
            (Self::FirstPage, view) | (view, Self::FirstPage) => view,
            (Self::Ranges(mut all), Self::Ranges(more)) => {
                all.extend(more);
                Self::Ranges(merge(all))
            }
        }
    }
}

/// Lines that were replaced by others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedLines {
    /// Their numbers, from 1.
    pub old: Range<u64>,
    /// How many took their place.
    pub new_count: u64,
}

fn merge(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// What is known of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The file as it was.
    pub identity: Identity,
    /// The hash of all its content, where all of it was read.
    pub hash: Option<u64>,
    /// What of it the model saw.
    pub view: View,
}

impl Seen {
    /// Whether content read now is the content that was seen.
    pub fn is_unchanged(&self, identity: Identity, bytes: &[u8]) -> bool {
        match self.hash {
            Some(hash) => hash == content_hash(bytes),
            None => self.identity == identity,
        }
    }
}

/// The files that the model has read, by their real paths; state of a session.
#[derive(Debug, Default)]
pub struct FileState(Mutex<HashMap<PathBuf, Seen>>);

impl FileState {
    /// What is known of a file.
    pub fn get(&self, real: &Path) -> Option<Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(real).cloned()
    }

    /// Notes what was read. Views of the same state of a file add up, to all of it once they reach the last of its
    /// `total` lines; a changed file starts anew.
    pub fn note(&self, real: &Path, seen: Seen, total: Option<u64>) {
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = map.get_mut(real).filter(|known| known.identity == seen.identity) else {
            map.insert(real.to_path_buf(), seen);
            return;
        };
        let view = std::mem::replace(&mut known.view, View::FirstPage);
        known.view = view.join(seen.view);
        known.hash = known.hash.or(seen.hash);
        if total.is_some_and(|total| known.view.covers(&(1..total + 1))) {
            known.view = View::Whole;
        }
    }

    /// Notes the state after a change of our own, in place of all that was known.
    pub fn replace(&self, real: &Path, seen: Seen) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(real.to_path_buf(), seen);
    }
}

/// The most that is hashed when somebody else read a file.
const MAX_HASHED_BYTES: u64 = 64 * 1024 * 1024;

/// Notes that the model has read a file by other means than the Read tool, for example by a command that printed it:
/// all of it, or some lines (from 1).
///
/// # Errors
/// If the file cannot be opened by its real path.
pub fn record_read(session: &Session, path: &ResolvedPath, lines: Option<Range<u64>>) -> Result<(), ToolError> {
    let describe = |error: OpenError| error.into_tool_error("read", path);
    let (file, identity) = Place::find(&path.real).and_then(|place| place.open()).map_err(describe)?;
    let mut hash = None;
    if lines.is_none() && identity.size <= MAX_HASHED_BYTES {
        let failed = |error: std::io::Error| ToolError::io(format!("Cannot read {}", path.path.display()), &error);
        let mut hasher = ContentHasher::default();
        let mut buffer = vec![0; CHUNK_BYTES];
        let mut offset = 0;
        loop {
            let filled = file.fill(&mut buffer, offset).map_err(failed)?;
            hasher.chunk(buffer.get(..filled).unwrap_or_default());
            offset += filled as u64;
            if filled < CHUNK_BYTES {
                break;
            }
        }
        hash = Some(hasher.finish());
    }
    let view = lines.map_or(View::Whole, View::range);
    session.extension::<FileState>().note(&path.real, Seen { identity, hash, view }, None);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashing_in_chunks_agrees_with_hashing_at_once() {
        let bytes: Vec<u8> = (0..CHUNK_BYTES * 2 + 100).map(|n| u8::try_from(n % 251).unwrap()).collect();
        let mut hasher = ContentHasher::default();
        bytes.chunks(CHUNK_BYTES).for_each(|chunk| hasher.chunk(chunk));
        assert_eq!(hasher.finish(), content_hash(&bytes));
        assert_ne!(content_hash(&bytes), content_hash(&bytes[1..]));
    }

    #[test]
    fn views_add_up() {
        let joined = View::range(10..20).join(View::range(1..5)).join(View::range(5..10));
        assert_eq!(joined, View::range(1..20));
        assert!(joined.covers(&(3..20)) && !joined.covers(&(3..21)));
        let apart = View::range(1..3).join(View::range(7..9));
        assert!(!apart.covers(&(1..9)));
        assert!(!View::FirstPage.covers(&(1..2)));
        assert_eq!(View::FirstPage.join(View::range(1..3)), View::range(1..3));
        assert!(apart.join(View::Whole).covers(&(1..100)));
    }

    #[test]
    fn what_was_seen_moves_with_the_lines() {
        let seen = View::range(5..10).join(View::range(20..30));
        let replaced = [ReplacedLines { old: 6..8, new_count: 5 }, ReplacedLines { old: 22..23, new_count: 0 }];
        assert_eq!(seen.after(&replaced), View::range(5..13).join(View::range(23..32)));
    }
}
