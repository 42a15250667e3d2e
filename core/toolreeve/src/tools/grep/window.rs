//! Which of all found lines will be listed: the first `offset + limit` in the order of the paths, in whatever order
//! the threads find them and in bounded memory. Counts the rest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The largest offset.
pub(super) const MAX_OFFSET: usize = 100_000_000;

/// How much text is kept where the limit is high or missing. A result this large goes to a file anyway.
const MAX_KEPT_BYTES: usize = 16 * 1024 * 1024;

/// The lines of one file, each with its line end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// The first of them.
    pub(super) text: String,
    /// How many are in `text`.
    pub(super) kept: usize,
    /// How many there are.
    pub(super) total: usize,
    /// The number of matches.
    pub(super) matches: u64,
}

impl Block {
    /// Adds a line, if it may still be listed; counts it in any case.
    pub(super) fn push(&mut self, room: usize, write: impl FnOnce(&mut String)) {
        self.total += 1;
        if self.kept < room && self.text.len() < MAX_KEPT_BYTES {
            write(&mut self.text);
            self.text.push('\n');
            self.kept += 1;
        }
    }
}

/// The blocks with the smallest paths.
#[derive(Debug)]
pub(super) struct Window {
    /// How many lines may be listed at most, those before the offset included.
    room: usize,
    /// Whether a separator stands between two blocks.
    separated: bool,
    blocks: BTreeMap<PathBuf, Block>,
    kept_lines: usize,
    kept_bytes: usize,
    /// Blocks from here on were dropped.
    ceiling: Option<PathBuf>,
    files: usize,
    lines: usize,
    matches: u64,
}

/// What a window shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// The lines, without a line end behind the last.
    pub(super) text: String,
    /// How many lines.
    pub(super) lines: usize,
    /// The files they are from.
    pub(super) files: Vec<PathBuf>,
    /// Whether something behind them was left out.
    pub(super) is_cut: bool,
    /// The number of all files.
    pub(super) total_files: usize,
    /// The number of all lines.
    pub(super) total_lines: usize,
    /// The number of all matches.
    pub(super) total_matches: u64,
}

impl Window {
    /// An empty one.
    pub(super) fn new(room: usize, separated: bool) -> Self {
        Self {
            room,
            separated,
            blocks: BTreeMap::new(),
            kept_lines: 0,
            kept_bytes: 0,
            ceiling: None,
            files: 0,
            lines: 0,
            matches: 0,
        }
    }

    /// Takes the lines of a file.
    pub(super) fn add(&mut self, path: &Path, block: Block) {
        self.files += 1;
        self.lines += block.total + usize::from(self.separated && self.files > 1);
        self.matches += block.matches;
        if self.ceiling.as_deref().is_some_and(|ceiling| path >= ceiling) {
            return;
        }
        self.kept_lines += block.kept;
        self.kept_bytes += block.text.len();
        self.blocks.insert(path.to_path_buf(), block);
        while let Some(last) = self.blocks.last_entry() {
            let is_unseen = self.kept_lines - last.get().kept >= self.room;
            let is_too_much = self.kept_bytes > MAX_KEPT_BYTES && self.kept_bytes > last.get().text.len();
            if !is_unseen && !is_too_much {
                break;
            }
            let (path, block) = last.remove_entry();
            self.kept_lines -= block.kept;
            self.kept_bytes -= block.text.len();
            self.ceiling = Some(path);
        }
    }

    /// The lines from `offset` on, at most `limit`.
    pub(super) fn page(self, offset: usize, limit: usize) -> Page {
        let mut page = Page {
            text: String::new(),
            lines: 0,
            files: Vec::new(),
            is_cut: false,
            total_files: self.files,
            total_lines: self.lines,
            total_matches: self.matches,
        };
        let mut at = 0;
        for (index, (path, block)) in self.blocks.into_iter().enumerate() {
            let separator = (self.separated && index > 0).then_some("--");
            let mut is_listed = false;
            for line in separator.into_iter().chain(block.text.split_terminator('\n')) {
                if at >= offset && page.lines < limit {
                    page.text.push_str(line);
                    page.text.push('\n');
                    page.lines += 1;
                    is_listed = true;
                }
                at += 1;
            }
            if is_listed {
                page.files.push(path);
            }
            // What this block lost is missing here, so nothing behind it may follow.
            if block.kept < block.total || page.lines >= limit {
                break;
            }
        }
        page.text.pop();
        page.is_cut = offset.saturating_add(page.lines) < page.total_lines;
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(path: &str, lines: usize, room: usize) -> Block {
        let mut block = Block::default();
        for line in 0..lines {
            block.matches += 1;
            block.push(room, |text| text.push_str(&format!("{path}{line}")));
        }
        block
    }

    #[test]
    fn the_first_lines_by_path_are_listed_whatever_the_order() {
        let files = [("d", 2), ("a", 3), ("c", 1), ("b", 4), ("e", 9)];
        for (offset, limit, expected) in [
            (0, 2, "a0 a1"),
            (0, 5, "a0 a1 a2 b0 b1"),
            (2, 6, "a2 b0 b1 b2 b3 c0"),
            (7, 100, "c0 d0 d1 e0 e1 e2 e3 e4 e5 e6 e7 e8"),
            (19, 5, ""),
            (50, 5, ""),
        ] {
            for shift in 0..files.len() {
                let room = offset + limit;
                let mut window = Window::new(room, false);
                for index in 0..files.len() {
                    let (path, lines) = files[(index + shift) % files.len()];
                    window.add(Path::new(path), block(path, lines, room));
                }
                let page = window.page(offset, limit);
                assert_eq!(page.text.replace('\n', " "), expected, "{offset} {limit} {shift}");
                assert_eq!((page.total_files, page.total_lines, page.total_matches), (5, 19, 19));
                assert_eq!(page.is_cut, offset + page.lines < 19);
            }
        }
    }

    #[test]
    fn separators_stand_between_files_and_count_as_lines() {
        let mut window = Window::new(4, true);
        for path in ["c", "b", "a"] {
            window.add(Path::new(path), block(path, 1, 4));
        }
        let page = window.page(0, 4);
        assert_eq!((page.text.as_str(), page.total_lines, page.is_cut), ("a0\n--\nb0\n--", 5, true));
    }

    #[test]
    fn memory_is_bounded_and_the_listed_part_has_no_gaps() {
        let line = "x".repeat(1000);
        let mut window = Window::new(usize::MAX, false);
        for index in (0..400).rev() {
            let mut block = Block::default();
            for _ in 0..100 {
                block.push(usize::MAX, |text| text.push_str(&line));
            }
            window.add(Path::new(&format!("{index:03}")), block);
            assert!(window.kept_bytes <= MAX_KEPT_BYTES);
        }
        let page = window.page(0, usize::MAX);
        assert!(page.is_cut && page.lines > 10_000);
        let names: Vec<PathBuf> = (0..page.files.len()).map(|index| format!("{index:03}").into()).collect();
        assert_eq!(page.files, names);
    }
}
