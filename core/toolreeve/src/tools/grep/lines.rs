//! What becomes of the matches of a file: one is enough, or they are counted, or their lines are written in the form
//! of ripgrep: `path:number:text`, context `path-number-text`, `--` between parts that do not touch.

use std::io;
use std::path::Path;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::file::Plan;
use super::window::Block;
use crate::search::Stop;

/// Longer lines are cut to this many characters, around their first match.
const MAX_LINE_CHARS: usize = 500;
/// How much of a long line is shown in front of its match.
const CHARS_BEFORE_MATCH: usize = 100;

/// Stops at the first match.
#[derive(Default)]
pub(super) struct FirstSink {
    pub(super) found: bool,
}

impl Sink for &mut FirstSink {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> io::Result<bool> {
        self.found = true;
        Ok(false)
    }

    fn binary_data(&mut self, searcher: &Searcher, _: u64) -> io::Result<bool> {
        Ok(searcher.binary_detection().quit_byte().is_none())
    }
}

/// Counts lines, or matches where they may span lines.
pub(super) struct CountSink<'a> {
    pub(super) matcher: Option<&'a RegexMatcher>,
    pub(super) count: u64,
}

impl Sink for &mut CountSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        match self.matcher {
            None => self.count += 1,
            Some(matcher) => {
                let count = &mut self.count;
                let counted = matcher.find_iter(found.bytes(), |_| {
                    *count += 1;
                    true
                });
                counted.map_err(io::Error::other)?;
            }
        }
        Ok(true)
    }

    fn binary_data(&mut self, searcher: &Searcher, _: u64) -> io::Result<bool> {
        Ok(searcher.binary_detection().quit_byte().is_none())
    }
}

/// Writes lines.
pub(super) struct LineSink<'a> {
    pub(super) block: Block,
    plan: &'a Plan,
    matcher: &'a RegexMatcher,
    stop: &'a Stop,
    path: &'a Path,
    /// The path as shown; made when the first line needs it.
    shown: String,
    is_binary: bool,
}

impl<'a> LineSink<'a> {
    pub(super) fn new(plan: &'a Plan, matcher: &'a RegexMatcher, stop: &'a Stop, path: &'a Path) -> Self {
        Self { block: Block::default(), plan, matcher, stop, path, shown: String::new(), is_binary: false }
    }

    /// Writes one line. `focus` is where in it the match is, `is_match` tells a match from context.
    fn line(&mut self, number: Option<u64>, mark: char, text: &[u8], focus: impl FnOnce() -> usize) {
        if self.shown.is_empty() {
            self.shown = self.plan.shown.path(self.path);
        }
        let shown = &self.shown;
        self.block.push(self.plan.room, |out| {
            out.push_str(shown);
            out.push(mark);
            if let Some(number) = number {
                out.push_str(&number.to_string());
                out.push(mark);
            }
            write_text(out, text, focus);
        });
    }

    fn matched_parts(&mut self, mut number: Option<u64>, bytes: &[u8]) -> io::Result<()> {
        let matcher = self.matcher;
        let mut counted_to = 0;
        let found = matcher.find_iter(bytes, |found| {
            if found.is_empty() {
                return true;
            }
            if let Some(number) = &mut number {
                *number += newlines(&bytes[counted_to..found.start()]);
            }
            counted_to = found.start();
            let mut at = number;
            for part in bytes[found].split_inclusive(|&byte| byte == b'\n') {
                self.line(at, ':', without_end(part), || 0);
                at = at.map(|number| number + 1);
            }
            true
        });
        found.map_err(io::Error::other)
    }
}

impl Sink for &mut LineSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.stop.is_due() {
            return Err(io::Error::other("the search was stopped"));
        }
        if self.is_binary {
            self.line(None, ':', b" binary file matches", || 0);
            return Ok(false);
        }
        self.block.matches += 1;
        if self.plan.only_matching {
            // A match cannot reach the line end unless it may span lines.
            let spans = searcher.multi_line_with_matcher(self.matcher);
            let bytes = if spans { found.bytes() } else { without_end(found.bytes()) };
            self.matched_parts(found.line_number(), bytes)?;
            return Ok(true);
        }
        let mut number = found.line_number();
        for line in found.lines() {
            let line = without_end(line);
            let matcher = self.matcher;
            self.line(number, ':', line, || matcher.find(line).ok().flatten().map_or(0, |found| found.start()));
            number = number.map(|number| number + 1);
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if !self.is_binary {
            self.line(context.line_number(), '-', without_end(context.bytes()), || 0);
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.block.push(self.plan.room, |out| out.push_str("--"));
        Ok(true)
    }

    fn binary_data(&mut self, searcher: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(searcher.binary_detection().quit_byte().is_none())
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Writes a line as text; of a long one the part around byte `focus`.
fn write_text(out: &mut String, bytes: &[u8], focus: impl FnOnce() -> usize) {
    // No text has more characters than bytes.
    if bytes.len() <= MAX_LINE_CHARS {
        out.push_str(&String::from_utf8_lossy(bytes));
        return;
    }
    // Characters are counted on a part that is large enough, since a line may be as long as a file.
    let focus = focus().min(bytes.len());
    let mut start = focus.saturating_sub(CHARS_BEFORE_MATCH);
    // Near the end of the line the part is moved to the front, so that it is full.
    start = start.min(bytes.len() - MAX_LINE_CHARS);
    while start > 0 && is_continuation(bytes[start]) {
        start -= 1;
    }
    let mut end = bytes.len().min(start + MAX_LINE_CHARS);
    while end < bytes.len() && is_continuation(bytes[end]) {
        end += 1;
    }
    if start > 0 {
        out.push_str("[…]");
    }
    out.push_str(&String::from_utf8_lossy(&bytes[start..end]));
    if end < bytes.len() {
        out.push_str("[…]");
    }
    out.push_str(&format!(" [line of {} bytes]", bytes.len()));
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, focus: usize) -> String {
        let mut out = String::new();
        write_text(&mut out, text.as_bytes(), || focus);
        out
    }

    #[test]
    fn long_lines_are_cut_around_their_match() {
        assert_eq!(cut(&"a".repeat(500), 0), "a".repeat(500));
        assert_eq!(cut(&"a".repeat(501), 0), format!("{}[…] [line of 501 bytes]", "a".repeat(500)));
        let line = format!("{}MATCH{}", "a".repeat(10_000), "b".repeat(10_000));
        let text = cut(&line, 10_000);
        assert!(text.starts_with("[…]aaa") && text.contains("aMATCHb") && text.ends_with("b[…] [line of 20005 bytes]"));
        assert!(cut(&line, 20_000).ends_with("bbb [line of 20005 bytes]"));
        for focus in 0..40 {
            assert!(!cut(&"é".repeat(1000), focus + 300).contains('\u{fffd}'), "{focus}");
        }
    }
}
