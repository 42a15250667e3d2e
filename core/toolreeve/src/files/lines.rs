//! Reads a range of lines of a file of any size with bounded memory. Works on UTF-8 and what agrees with it on
//! newlines; other encodings are handed over decoded. Opens no file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use memchr::{memchr, memchr_iter};
use toolreeve_engine::CancelToken;

use super::line_index::LineIndex;
use super::state::ContentHasher;
use super::text::quarter_tokens;

/// How much is read at a time, and the distance between the entries of an index.
pub const CHUNK_BYTES: usize = 256 * 1024;

/// How far past a range the rest of a file is still read to count its lines, so that all but huge files get a total.
const COUNT_REST_BYTES: u64 = 64 * 1024 * 1024;

/// The mark of a line that was cut.
pub const CUT_MARK: &str = "… [the rest of this line was cut]";

/// Where bytes come from: a file, or a text that had to be decoded first.
pub trait Source {
    /// Fills the buffer from an offset; less than the whole buffer means the end.
    ///
    /// # Errors
    /// If the operating system refuses.
    fn fill(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Where the next stored byte is, if a hole may begin at `offset`; `None` if there is none or nobody knows.
    fn after_hole(&self, offset: u64) -> Option<u64>;
}

impl Source for File {
    fn fill(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.read_at(rest, offset + filled as u64) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn after_hole(&self, offset: u64) -> Option<u64> {
        match rustix::fs::seek(self, rustix::fs::SeekFrom::Data(offset)) {
            Ok(next) => Some(next),
            // Nothing but a hole up to the end.
            Err(rustix::io::Errno::NXIO) => Some(u64::MAX),
            Err(_) => None,
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    fn after_hole(&self, _: u64) -> Option<u64> {
        None
    }
}

impl Source for &[u8] {
    fn fill(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|at| self.get(at..)).unwrap_or_default();
        let n = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..n), rest.get(..n)) {
            to.copy_from_slice(from);
        }
        Ok(n)
    }

    fn after_hole(&self, _: u64) -> Option<u64> {
        None
    }
}

/// What is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The first line, from 1.
    pub first: u64,
    /// How many lines at most.
    pub lines: u64,
    /// How many characters of a line at most; the rest is cut and [`CUT_MARK`] takes its place.
    pub line_chars: usize,
    /// How many tokens at most, estimated; the line that would pass this is left out and reading stops.
    pub tokens: usize,
}

/// Why a range ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The file did.
    AtEnd,
    /// All the lines wanted are there.
    AtLine,
    /// The next line would have been too much.
    AtTokens,
}

/// A range of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The lines, joined by `\n`, without the one that ends the last.
    pub text: String,
    /// How many there are.
    pub count: u64,
    /// Why they end.
    pub ended: Ended,
    /// How many lines the file has, if that is known.
    pub total: Option<u64>,
    /// How many lines were cut.
    pub cut: u64,
    /// How many lines hold bytes that are no characters.
    pub broken: u64,
    /// The hash of the content, if the range is the whole file.
    pub hash: Option<u64>,
}

/// Reads a range of lines of a source of `size` bytes; `index` is used and completed.
///
/// # Errors
/// If the source cannot be read. A cancel is an error of the kind [`io::ErrorKind::Interrupted`].
pub fn read_lines(
    source: &impl Source,
    size: u64,
    wanted: Wanted,
    index: &mut LineIndex,
    cancel: &CancelToken,
) -> io::Result<Lines> {
    let (mut chunk, mut newlines_before) = index.start_of(wanted.first);
    let mut collector = Collector::new(wanted);
    let mut hasher = ContentHasher::default();
    let mut whole = wanted.first <= 1;
    let mut started = whole;
    let mut last_byte = b'\n';
    // One byte more than a small file has, so that its end is seen at once.
    let mut buffer =
        vec![0_u8; usize::try_from(size).map_or(CHUNK_BYTES, |size| CHUNK_BYTES.min(size.saturating_add(1)))];
    loop {
        if cancel.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        index.note(chunk, newlines_before);
        let filled = source.fill(&mut buffer, offset_of(chunk))?;
        let bytes = buffer.get(..filled).unwrap_or_default();
        let newlines = memchr_iter(b'\n', bytes).count() as u64;
        if started {
            collector.take(bytes);
        } else if newlines_before + newlines + 1 >= wanted.first {
            let skip = usize::try_from(wanted.first - 2 - newlines_before).unwrap_or(usize::MAX);
            let newline = memchr_iter(b'\n', bytes).nth(skip);
            collector.take(newline.and_then(|at| bytes.get(at + 1..)).unwrap_or_default());
            started = true;
        }
        whole &= !collector.left_something;
        if whole {
            hasher.chunk(bytes);
        }
        newlines_before += newlines;
        last_byte = bytes.last().copied().unwrap_or(last_byte);
        if filled < CHUNK_BYTES {
            break;
        }
        chunk += 1;
        let is_enough = index.total().is_some() || size.saturating_sub(offset_of(chunk)) > COUNT_REST_BYTES;
        if collector.is_done() && is_enough {
            index.note(chunk, newlines_before);
            return Ok(collector.finish(wanted, index.total(), None));
        }
        if newlines == 0
            && bytes.iter().all(|&byte| byte == 0)
            && let Some(after) = hole_end(source, chunk, size)
        {
            chunk = after;
            index.note_hole(chunk, newlines_before);
            whole = false;
        }
    }
    collector.end_of_file();
    let total = index.set_total(newlines_before + u64::from(last_byte != b'\n'));
    Ok(collector.finish(wanted, Some(total), whole.then(|| hasher.finish())))
}

fn offset_of(chunk: usize) -> u64 {
    chunk as u64 * CHUNK_BYTES as u64
}

/// The chunk in which a hole that begins at `chunk` ends, if it spans whole chunks.
fn hole_end(source: &impl Source, chunk: usize, size: u64) -> Option<usize> {
    let end = source.after_hole(offset_of(chunk))?.min(size.saturating_sub(1));
    usize::try_from(end / CHUNK_BYTES as u64).ok().filter(|after| *after > chunk)
}

/// Takes the bytes from the first wanted line on and keeps as much of them as is wanted.
struct Collector {
    lines: u64,
    line_chars: usize,
    quarter_tokens_left: usize,
    out: Lines,
    /// The line that is not complete yet, up to what can be kept of it.
    line: Vec<u8>,
    /// Whether a line has begun: it may be empty so far but for dropped bytes.
    in_line: bool,
    /// Whether bytes of the line were dropped.
    overflowed: bool,
    /// Whether bytes came after everything wanted was there.
    left_something: bool,
    is_first_of_file: bool,
}

impl Collector {
    fn new(wanted: Wanted) -> Self {
        let out =
            Lines { text: String::new(), count: 0, ended: Ended::AtEnd, total: None, cut: 0, broken: 0, hash: None };
        Self {
            lines: wanted.lines,
            line_chars: wanted.line_chars,
            quarter_tokens_left: wanted.tokens.saturating_mul(4),
            out,
            line: Vec::new(),
            in_line: false,
            overflowed: false,
            left_something: false,
            is_first_of_file: wanted.first <= 1,
        }
    }

    fn is_done(&self) -> bool {
        self.out.ended != Ended::AtEnd
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.is_done() {
                self.left_something = true;
                return;
            }
            match memchr(b'\n', bytes) {
                Some(at) => {
                    self.extend(bytes.get(..at).unwrap_or_default());
                    bytes = bytes.get(at + 1..).unwrap_or_default();
                    self.end_line(true);
                }
                None => {
                    self.extend(bytes);
                    return;
                }
            }
        }
    }

    fn extend(&mut self, piece: &[u8]) {
        self.in_line = true;
        // Four bytes a character, and room for a byte order mark and a character that is cut in two.
        let room = (self.line_chars * 4 + 8).saturating_sub(self.line.len());
        let kept = piece.get(..room).unwrap_or(piece);
        self.overflowed |= kept.len() < piece.len();
        self.line.extend_from_slice(kept);
    }

    fn end_line(&mut self, has_newline: bool) {
        let mut line = self.line.as_slice();
        if self.is_first_of_file {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
            self.is_first_of_file = false;
        }
        if has_newline && !self.overflowed {
            line = line.strip_suffix(b"\r").unwrap_or(line);
        }
        let text = String::from_utf8_lossy(line);
        let is_broken = matches!(text, std::borrow::Cow::Owned(_)) && !self.overflowed;
        let end = text.char_indices().nth(self.line_chars).map(|(at, _)| at);
        let is_cut = end.is_some() || self.overflowed;
        let text = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
        // A line number and a tab cost about two tokens more, the newline none.
        let cost = quarter_tokens(text) + 8;
        if cost > self.quarter_tokens_left {
            self.out.ended = Ended::AtTokens;
            self.left_something = true;
        } else {
            self.quarter_tokens_left -= cost;
            if self.out.count > 0 {
                self.out.text.push('\n');
            }
            self.out.text.push_str(text);
            if is_cut {
                self.out.text.push_str(CUT_MARK);
            }
            self.out.count += 1;
            self.out.cut += u64::from(is_cut);
            self.out.broken += u64::from(is_broken);
            if self.out.count >= self.lines {
                self.out.ended = Ended::AtLine;
            }
        }
        self.line.clear();
        self.in_line = false;
        self.overflowed = false;
    }

    fn end_of_file(&mut self) {
        if self.in_line && !self.is_done() {
            self.end_line(false);
        }
    }

    fn finish(mut self, wanted: Wanted, total: Option<u64>, hash: Option<u64>) -> Lines {
        let last = wanted.first.saturating_sub(1).saturating_add(self.out.count);
        if self.out.ended == Ended::AtLine && total.is_some_and(|total| last >= total) {
            self.out.ended = Ended::AtEnd;
        }
        self.out.total = total;
        self.out.hash = hash.filter(|_| self.out.ended == Ended::AtEnd);
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(first: u64, lines: u64) -> Wanted {
        Wanted { first, lines, line_chars: 2000, tokens: 1 << 20 }
    }

    fn read(bytes: &[u8], wanted: Wanted) -> Lines {
        read_lines(&bytes, bytes.len() as u64, wanted, &mut LineIndex::default(), &CancelToken::new()).unwrap()
    }

    #[test]
    fn ranges_of_small_texts() {
        let rows: [(&str, u64, u64, &str, u64, Ended, u64); 14] = [
            ("", 1, 10, "", 0, Ended::AtEnd, 0),
            ("", 5, 10, "", 0, Ended::AtEnd, 0),
            ("\n", 1, 10, "", 1, Ended::AtEnd, 1),
            ("a", 1, 10, "a", 1, Ended::AtEnd, 1),
            ("a\n", 1, 10, "a", 1, Ended::AtEnd, 1),
            ("a\n\nb", 1, 10, "a\n\nb", 3, Ended::AtEnd, 3),
            ("a\nb\nc\n", 1, 2, "a\nb", 2, Ended::AtLine, 3),
            ("a\nb\nc\n", 2, 2, "b\nc", 2, Ended::AtEnd, 3),
            ("a\nb\nc\n", 3, 1, "c", 1, Ended::AtEnd, 3),
            ("a\nb\nc\n", 4, 1, "", 0, Ended::AtEnd, 3),
            ("a\nb\nc", 4, 1, "", 0, Ended::AtEnd, 3),
            ("a\nb\nc", u64::MAX, 1, "", 0, Ended::AtEnd, 3),
            ("\u{feff}a\r\nb\rc\r\n", 1, 9, "a\nb\rc", 2, Ended::AtEnd, 2),
            ("a\r\nb\r", 1, 9, "a\nb\r", 2, Ended::AtEnd, 2),
        ];
        for (text, first, lines, expected, count, ended, total) in rows {
            let got = read(text.as_bytes(), wanted(first, lines));
            assert_eq!(
                (got.text.as_str(), got.count, got.ended, got.total),
                (expected, count, ended, Some(total)),
                "{text:?} {first}"
            );
            assert_eq!(got.hash.is_some(), first == 1 && ended == Ended::AtEnd, "{text:?} {first}");
        }
    }

    #[test]
    fn every_range_agrees_with_splitting_at_every_index_state() {
        // Lines of uneven lengths, some across chunk borders, one of more than two chunks.
        let mut text = String::new();
        for n in 0..9000 {
            text.push_str(&format!("{n} {}\n", "x".repeat(n * 37 % 211)));
        }
        text.push_str(&"y".repeat(CHUNK_BYTES * 2 + 5));
        text.push_str("\nlast");
        let lines: Vec<&str> = text.split('\n').collect();
        let mut index = LineIndex::default();
        for first in [8990, 1, 5000, 5001, 9001, 9002, 9003, 4096, 2, 7777] {
            let cancel = CancelToken::new();
            let source = text.as_bytes();
            let got = read_lines(&source, source.len() as u64, wanted(first, 5), &mut index, &cancel).unwrap();
            let at = usize::try_from(first).unwrap() - 1;
            let expected: Vec<String> = lines
                .iter()
                .skip(at)
                .take(5)
                .map(|line| if line.len() > 2000 { format!("{}{CUT_MARK}", &line[..2000]) } else { (*line).to_owned() })
                .collect();
            assert_eq!(got.text, expected.join("\n"), "{first}");
            assert_eq!(got.total, Some(lines.len() as u64));
        }
    }

    #[test]
    fn a_text_of_exactly_one_chunk_counts_its_lines() {
        for last in ["\n", "x"] {
            let text = format!("{}{last}", "a\n".repeat(CHUNK_BYTES / 2 - 1) + "b");
            assert_eq!(text.len(), CHUNK_BYTES);
            assert_eq!(read(text.as_bytes(), wanted(1, 1)).total, Some(CHUNK_BYTES as u64 / 2));
            assert_eq!(read(text.as_bytes(), wanted(CHUNK_BYTES as u64, 1)).count, 0);
        }
    }

    #[test]
    fn long_lines_are_cut_between_characters_and_tokens_stop_the_range() {
        let text = format!("{}\nb\n", "\u{1f600}".repeat(2001));
        let got = read(text.as_bytes(), wanted(1, 10));
        assert_eq!(got.text, format!("{}{CUT_MARK}\nb", "\u{1f600}".repeat(2000)));
        assert_eq!((got.cut, got.broken), (1, 0));
        let got = read(b"aaaa\nbbbb\ncccc\n", Wanted { tokens: 7, ..wanted(1, 10) });
        assert_eq!((got.text.as_str(), got.ended, got.hash), ("aaaa\nbbbb", Ended::AtTokens, None));
    }

    #[test]
    fn broken_bytes_are_shown_and_counted() {
        let got = read(b"ok\nb\xffad\n", wanted(1, 10));
        assert_eq!((got.text.as_str(), got.broken), ("ok\nb\u{fffd}ad", 1));
    }

    #[test]
    fn a_cancel_stops_the_scan() {
        let cancel = CancelToken::new();
        cancel.cancel(toolreeve_engine::CancelReason::User);
        let error = read_lines(&b"a".as_slice(), 1, wanted(1, 1), &mut LineIndex::default(), &cancel).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }
}
