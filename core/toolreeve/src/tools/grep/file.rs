//! Searching one file: opened so that nothing can block, read in bounded memory, given up when the search must stop.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use rustix::fs::{Mode, OFlags};

use super::lines::{CountSink, FirstSink, LineSink};
use super::schema::OutputMode;
use super::window::Block;
use crate::search::{Shown, Stop};

/// Files up to this size are searched where they were read, without another copy. ripgrep looks for NUL bytes in as
/// much before it begins.
const BUFFER_BYTES: usize = 64 * 1024;
/// The longest line.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
/// The largest file whose matches may span lines.
const MAX_MULTILINE_BYTES: usize = 64 * 1024 * 1024;

/// What all threads of a search share.
pub(super) struct Plan {
    pub(super) matcher: RegexMatcher,
    pub(super) mode: OutputMode,
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) line_numbers: bool,
    pub(super) only_matching: bool,
    pub(super) multiline: bool,
    /// How many lines or files may be listed, those before the offset included.
    pub(super) room: usize,
    /// Whether the file itself was named, so that it is searched even if it is binary.
    pub(super) named_file: bool,
    pub(super) shown: Shown,
}

/// What was found in a file.
pub(super) enum Found {
    Nothing,
    /// A match; the file was modified then.
    Match(SystemTime),
    Lines(Block),
}

/// One thread's means to search files one after the other.
pub(super) struct FileSearcher<'a> {
    plan: &'a Plan,
    stop: &'a Stop,
    // A clone of its own for each thread: threads that share one contend for its scratch memory.
    matcher: RegexMatcher,
    searcher: Searcher,
    buffer: Vec<u8>,
    spans_lines: bool,
}

impl<'a> FileSearcher<'a> {
    pub(super) fn new(plan: &'a Plan, stop: &'a Stop) -> Self {
        let lists_lines = plan.mode == OutputMode::Content;
        let binary = if plan.named_file { BinaryDetection::convert(0) } else { BinaryDetection::quit(0) };
        let searcher = SearcherBuilder::new()
            .binary_detection(binary)
            .multi_line(plan.multiline)
            .line_number(lists_lines && plan.line_numbers)
            .before_context(if lists_lines { plan.before } else { 0 })
            .after_context(if lists_lines { plan.after } else { 0 })
            .heap_limit(Some(if plan.multiline { MAX_MULTILINE_BYTES } else { MAX_LINE_BYTES }))
            .build();
        let matcher = plan.matcher.clone();
        let spans_lines = searcher.multi_line_with_matcher(&matcher);
        Self { plan, stop, matcher, searcher, buffer: vec![0; BUFFER_BYTES], spans_lines }
    }

    /// Searches a file.
    pub(super) fn search(&mut self, path: &Path) -> io::Result<Found> {
        let mut flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        if !self.plan.named_file {
            // The walk saw a file here; a link that took its place since is not followed.
            flags |= OFlags::NOFOLLOW;
        }
        let mut file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        let (read, at_end) = read_front(&mut file, &mut self.buffer)?;
        let front = &self.buffer[..read];
        if at_end && !self.plan.named_file && !has_utf16_mark(front) && memchr::memchr(0, front).is_some() {
            return Ok(Found::Nothing);
        }
        let rest = if at_end { None } else { Some(&mut file) };
        let input = Input { front, rest, stop: self.stop };
        match self.plan.mode {
            OutputMode::FilesWithMatches => {
                let mut sink = FirstSink::default();
                input.search(&mut self.searcher, &self.matcher, &mut sink)?;
                if !sink.found {
                    return Ok(Found::Nothing);
                }
                let modified = file.metadata().and_then(|meta| meta.modified());
                Ok(Found::Match(modified.unwrap_or(SystemTime::UNIX_EPOCH)))
            }
            OutputMode::Count => {
                let mut sink = CountSink { matcher: self.spans_lines.then_some(&self.matcher), count: 0 };
                input.search(&mut self.searcher, &self.matcher, &mut sink)?;
                let count = sink.count;
                if count == 0 {
                    return Ok(Found::Nothing);
                }
                let mut block = Block { matches: count, ..Block::default() };
                block.push(self.plan.room, |text| text.push_str(&format!("{}:{count}", self.plan.shown.path(path))));
                Ok(Found::Lines(block))
            }
            OutputMode::Content => {
                let mut sink = LineSink::new(self.plan, &self.matcher, self.stop, path);
                input.search(&mut self.searcher, &self.matcher, &mut sink)?;
                Ok(if sink.block.total == 0 { Found::Nothing } else { Found::Lines(sink.block) })
            }
        }
    }
}

/// What is searched: the front of a file, and the file behind it if it goes on.
struct Input<'a> {
    front: &'a [u8],
    rest: Option<&'a mut File>,
    stop: &'a Stop,
}

impl Input<'_> {
    fn search<S>(self, searcher: &mut Searcher, matcher: impl Matcher, sink: S) -> io::Result<()>
    where
        S: grep_searcher::Sink<Error = io::Error>,
    {
        match self.rest {
            None => searcher.search_slice(matcher, self.front, sink),
            Some(rest) => {
                searcher.search_reader(matcher, self.front.chain(Stoppable { file: rest, stop: self.stop }), sink)
            }
        }
    }
}

/// A file that cannot be read any more once the search must stop.
struct Stoppable<'a> {
    file: &'a mut File,
    stop: &'a Stop,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_due() {
            return Err(io::Error::other("the search was stopped"));
        }
        self.file.read(buffer)
    }
}

/// Fills the buffer; says how much was read and whether that was all.
fn read_front(file: &mut File, buffer: &mut [u8]) -> io::Result<(usize, bool)> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read(&mut buffer[read..]) {
            Ok(0) => return Ok((read, true)),
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok((read, false))
}

/// Text in UTF-16 is full of NUL bytes and is no binary file for that.
fn has_utf16_mark(front: &[u8]) -> bool {
    front.starts_with(&[0xff, 0xfe]) || front.starts_with(&[0xfe, 0xff])
}
