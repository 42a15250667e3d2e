//! Exact replacement in the body of a text file: finds the one place (or all), builds the new body, and keeps the
//! offsets, from which the patch is made. `\n` stands for the line ending that the file has. Opens no file.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem::{self, Finder};
use memchr::{memchr, memrchr};

use super::text::LineEnding;

/// One replaced place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Its bytes in the old body.
    pub old: Range<usize>,
    /// What took their place, as bytes of the new body.
    pub new: Range<usize>,
}

/// A body after a replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The new body.
    pub body: Vec<u8>,
    /// The replaced places, in order.
    pub edits: Vec<Edit>,
}

/// Why nothing was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// The text is not there.
    NotFound,
    /// The text is there more than once, and only one place was meant.
    Ambiguous {
        /// How often it is there.
        count: usize,
    },
}

/// Replaces `old` by `new`: in its only place, or in all with `all`. `old` must not be empty.
///
/// # Errors
/// If `old` is not there, or more than once without `all`.
pub fn replace(body: &[u8], old: &str, new: &str, all: bool) -> Result<Replaced, Mismatch> {
    let spans_lines = |text: &str| text.contains(['\n', '\r']);
    // How lines end does not matter to an edit inside of a line, and looking at all of them would cost as much as it.
    let ending = if spans_lines(old) || spans_lines(new) { LineEnding::of(body) } else { LineEnding::Lf };
    match ending {
        LineEnding::Lf => {
            // A file without `\r\n` can only be meant by `\n`.
            let old = lf(old);
            let places = find(body, old.as_bytes(), all)?;
            Ok(build(body, places, |_| new.as_bytes()))
        }
        LineEnding::CrLf => {
            let (old, new) = (crlf(old), crlf(new));
            let places = find(body, old.as_bytes(), all)?;
            Ok(build(body, places, |_| new.as_bytes()))
        }
        LineEnding::Mixed => {
            let plain = Plain::of(body);
            let places = find(&plain.text, lf(old).as_bytes(), all)?;
            let places =
                places.into_iter().map(|place| plain.original(place.start)..plain.original(place.end)).collect();
            let (new_lf, new_crlf) = (lf(new), crlf(new));
            Ok(build(
                body,
                places,
                |place| {
                    if ends_in_crlf(body, place) { new_crlf.as_bytes() } else { new_lf.as_bytes() }
                },
            ))
        }
    }
}

/// The text with every `\r\n` as `\n`.
pub fn lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// The text with every line ending as `\r\n`.
fn crlf(text: &str) -> Cow<'_, str> {
    if text.contains('\n') { Cow::Owned(lf(text).replace('\n', "\r\n")) } else { Cow::Borrowed(text) }
}

fn find(body: &[u8], needle: &[u8], all: bool) -> Result<Vec<Range<usize>>, Mismatch> {
    let finder = Finder::new(needle);
    let first = finder.find(body).ok_or(Mismatch::NotFound)?;
    if all {
        return Ok(finder.find_iter(body).map(|at| at..at + needle.len()).collect());
    }
    // Places that overlap are ambiguous too, so the search goes on one byte further.
    if body.get(first + 1..).is_some_and(|rest| finder.find(rest).is_some()) {
        return Err(Mismatch::Ambiguous { count: finder.find_iter(body).count().max(2) });
    }
    let place = first..first + needle.len();
    Ok(Vec::from([place]))
}

/// The lines (from 0) on which the text is found, at most `max` of them, for the error message.
pub fn lines_of_matches(body: &[u8], old: &str, max: usize) -> Vec<usize> {
    let plain = Plain::of(body);
    let needle = lf(old);
    let (mut line, mut counted) = (0, 0);
    memmem::find_iter(&plain.text, needle.as_bytes())
        .take(max)
        .map(|at| {
            line += memchr::memchr_iter(b'\n', plain.text.get(counted..at).unwrap_or_default()).count();
            counted = at;
            line
        })
        .collect()
}

fn build<'a>(body: &[u8], places: Vec<Range<usize>>, new: impl Fn(&Range<usize>) -> &'a [u8]) -> Replaced {
    let gone: usize = places.iter().map(ExactSizeIterator::len).sum();
    let come: usize = places.iter().map(|place| new(place).len()).sum();
    let mut out = Vec::with_capacity(body.len() - gone + come);
    let mut edits = Vec::with_capacity(places.len());
    let mut copied = 0;
    for place in places {
        out.extend_from_slice(body.get(copied..place.start).unwrap_or_default());
        let start = out.len();
        out.extend_from_slice(new(&place));
        copied = place.end;
        edits.push(Edit { old: place, new: start..out.len() });
    }
    out.extend_from_slice(body.get(copied..).unwrap_or_default());
    Replaced { body: out, edits }
}

/// Whether the lines at a place of a mixed file end in `\r\n`: those in it, else the next one, else the one before.
fn ends_in_crlf(body: &[u8], place: &Range<usize>) -> bool {
    let is_crlf = |newline: usize| newline > 0 && body.get(newline - 1) == Some(&b'\r');
    let next = memchr(b'\n', body.get(place.start..).unwrap_or_default()).map(|at| place.start + at);
    let previous = || memrchr(b'\n', body.get(..place.start).unwrap_or_default());
    next.or_else(previous).is_some_and(is_crlf)
}

/// A text with `\n` line endings that knows where it had `\r\n`.
struct Plain<'a> {
    text: Cow<'a, [u8]>,
    /// The offsets of the newlines that had a `\r`.
    shortened: Vec<usize>,
}

impl<'a> Plain<'a> {
    fn of(body: &'a [u8]) -> Self {
        let mut text = Vec::new();
        let mut shortened = Vec::new();
        let mut copied = 0;
        for at in memmem::find_iter(body, b"\r\n") {
            text.extend_from_slice(body.get(copied..at).unwrap_or_default());
            shortened.push(text.len());
            copied = at + 1;
        }
        if copied == 0 {
            return Self { text: Cow::Borrowed(body), shortened };
        }
        text.extend_from_slice(body.get(copied..).unwrap_or_default());
        Self { text: Cow::Owned(text), shortened }
    }

    /// The offset in the original. That of a newline is where its `\r` is.
    fn original(&self, at: usize) -> usize {
        at + self.shortened.partition_point(|&newline| newline < at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(body: &str, old: &str, new: &str, all: bool) -> Result<String, Mismatch> {
        replace(body.as_bytes(), old, new, all).map(|done| {
            for edit in &done.edits {
                // Around the edits both bodies are the same, which the patch relies on.
                assert!(edit.old.end <= body.len() && edit.new.end <= done.body.len());
            }
            String::from_utf8(done.body).unwrap()
        })
    }

    #[test]
    fn one_place_all_places_and_none() {
        let several = |count| Err(Mismatch::Ambiguous { count });
        assert_eq!(replaced("a b c", "b", "x", false), Ok("a x c".to_owned()));
        assert_eq!(replaced("a b b", "b", "x", false), several(2));
        assert_eq!(replaced("a b b", "b", "xx", true), Ok("a xx xx".to_owned()));
        assert_eq!(replaced("aaa", "aa", "x", false), several(2));
        assert_eq!(replaced("aaa", "aa", "x", true), Ok("xa".to_owned()));
        assert_eq!(replaced("abc", "x", "y", true), Err(Mismatch::NotFound));
        assert_eq!(replaced("abc", "abcd", "y", false), Err(Mismatch::NotFound));
        assert_eq!(replaced("abc", "abc", "", false), Ok(String::new()));
    }

    #[test]
    fn newlines_stand_for_the_ending_of_the_file() {
        assert_eq!(replaced("a\r\nb\r\n", "a\nb", "x\ny\nz", false), Ok("x\r\ny\r\nz\r\n".to_owned()));
        assert_eq!(replaced("a\r\nb\r\n", "a\r\nb", "x\r\ny", false), Ok("x\r\ny\r\n".to_owned()));
        assert_eq!(replaced("a\nb\n", "a\r\nb", "x", false), Ok("x\n".to_owned()));
        assert_eq!(replaced("a\r\nb", "\n", "", false), Ok("ab".to_owned()));
    }

    #[test]
    fn mixed_endings_keep_those_of_the_place() {
        let body = "a\r\nb\nc\r\nd\n";
        assert_eq!(replaced(body, "a\nb", "1\n2", false), Ok("1\r\n2\nc\r\nd\n".to_owned()));
        assert_eq!(replaced(body, "b\nc", "1\n2", false), Ok("a\r\n1\n2\r\nd\n".to_owned()));
        assert_eq!(replaced(body, "c", "1\n2", false), Ok("a\r\nb\n1\r\n2\r\nd\n".to_owned()));
        assert_eq!(replaced(body, "d", "1\n2", false), Ok("a\r\nb\nc\r\n1\n2\n".to_owned()));
        assert_eq!(replaced(body, "\n", "|", true), Ok("a|b|c|d|".to_owned()));
        assert_eq!(replaced("x\r\ny\nx\r\n", "x\n", "z\n", false), Err(Mismatch::Ambiguous { count: 2 }));
    }

    #[test]
    fn the_lines_of_matches_are_told() {
        assert_eq!(lines_of_matches(b"a\r\nb\na\nc a", "a", 10), [0, 2, 3]);
        assert_eq!(lines_of_matches(b"a\na\na\n", "a", 2), [0, 1]);
    }
}
