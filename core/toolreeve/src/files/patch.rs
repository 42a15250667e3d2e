//! Structured patches. An exact replacement knows its offsets, so its patch needs no search for differences in the
//! whole text; a whole-file write is trimmed to what differs first. Both then share one way to make hunks.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use memchr::{memchr, memchr_iter, memrchr};
use toolreeve_engine::Hunk;

use super::replace::Edit;

/// How many unchanged lines stand around a change.
const CONTEXT_LINES: usize = 3;

const NO_NEWLINE: &str = "\\ No newline at end of file";

/// The patch of a replacement: `edits` are in order, apart from each other, and all that differs.
pub fn of_edits(old: &[u8], new: &[u8], edits: &[Edit]) -> Vec<Hunk> {
    let changes = changes(old, new, &blocks(old, edits));
    hunks(old, new, &changes)
}

/// The patch between any two texts.
pub fn between(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    let start = common_prefix(old, new);
    let (old_rest, new_rest) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let end = common_suffix(old_rest, new_rest);
    let edit = Edit { old: start..old.len() - end, new: start..new.len() - end };
    if edit.old.is_empty() && edit.new.is_empty() {
        return Vec::new();
    }
    of_edits(old, new, &[edit])
}

/// How many bytes two texts share at their start.
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 4096;
    // Whole blocks are compared by the fast path of slices first.
    let blocks = a.chunks_exact(STEP).zip(b.chunks_exact(STEP)).take_while(|(a, b)| a == b).count() * STEP;
    let rest = |text| <[u8]>::iter(text).skip(blocks);
    blocks + rest(a).zip(rest(b)).take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 4096;
    let blocks = a.rchunks_exact(STEP).zip(b.rchunks_exact(STEP)).take_while(|(a, b)| a == b).count() * STEP;
    let rest = |text| <[u8]>::iter(text).rev().skip(blocks);
    blocks + rest(a).zip(rest(b)).take_while(|(a, b)| a == b).count()
}

/// Whole lines of both texts in which all of one or more edits lie.
#[derive(Debug)]
struct Block {
    old: Range<usize>,
    new: Range<usize>,
}

fn blocks(old: &[u8], edits: &[Edit]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::with_capacity(edits.len());
    for edit in edits {
        let line_start = memrchr(b'\n', old.get(..edit.old.start).unwrap_or_default()).map_or(0, |at| at + 1);
        let line_end =
            memchr(b'\n', old.get(edit.old.end..).unwrap_or_default()).map_or(old.len(), |at| edit.old.end + at + 1);
        let new_end = edit.new.end + (line_end - edit.old.end);
        match blocks.last_mut() {
            // Lines that touch make one change, the old ones first.
            Some(last) if line_start <= last.old.end => {
                last.old.end = line_end;
                last.new.end = new_end;
            }
            _ => {
                let new_start = edit.new.start - (edit.old.start - line_start);
                blocks.push(Block { old: line_start..line_end, new: new_start..new_end });
            }
        }
    }
    blocks
}

/// Lines that differ, as line numbers (from 0) and bytes of both texts.
#[derive(Debug)]
struct Change {
    old_line: usize,
    new_line: usize,
    old_count: usize,
    new_count: usize,
    old: Range<usize>,
    new: Range<usize>,
}

fn changes(old: &[u8], new: &[u8], blocks: &[Block]) -> Vec<Change> {
    let mut changes = Vec::with_capacity(blocks.len());
    let (mut old_line, mut new_line, mut counted) = (0, 0, 0);
    for block in blocks {
        let between = memchr_iter(b'\n', old.get(counted..block.old.start).unwrap_or_default()).count();
        old_line += between;
        new_line += between;
        let old_lines = split(old, &block.old);
        let new_lines = split(new, &block.new);
        refine(&old_lines, &new_lines, |old_range, new_range| {
            changes.push(Change {
                old_line: old_line + old_range.start,
                new_line: new_line + new_range.start,
                old_count: old_range.len(),
                new_count: new_range.len(),
                old: bytes_of(&old_lines, &old_range, block.old.start),
                new: bytes_of(&new_lines, &new_range, block.new.start),
            });
        });
        old_line += old_lines.len();
        new_line += new_lines.len();
        counted = block.old.end;
    }
    changes
}

fn split<'a>(text: &'a [u8], range: &Range<usize>) -> Vec<&'a [u8]> {
    text.get(range.clone()).unwrap_or_default().split_inclusive(|byte| *byte == b'\n').collect()
}

fn bytes_of(lines: &[&[u8]], range: &Range<usize>, start: usize) -> Range<usize> {
    let len = |range: Range<usize>| lines.get(range).unwrap_or_default().iter().map(|line| line.len()).sum::<usize>();
    let from = start + len(0..range.start);
    from..from + len(range.clone())
}

/// Reports which lines of a block differ.
fn refine(old: &[&[u8]], new: &[&[u8]], mut report: impl FnMut(Range<usize>, Range<usize>)) {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let old = old.get(..old.len() - tail).unwrap_or_default();
    let new = new.get(..new.len() - tail).unwrap_or_default();
    if old.len() <= 1 || new.len() <= 1 {
        if !old.is_empty() || !new.is_empty() {
            report(head..head + old.len(), head..head + new.len());
        }
        return;
    }
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    for hunk in diff.hunks() {
        let range = |lines: Range<u32>| head + lines.start as usize..head + lines.end as usize;
        report(range(hunk.before), range(hunk.after));
    }
}

fn hunks(old: &[u8], new: &[u8], changes: &[Change]) -> Vec<Hunk> {
    let near = |pair: &[Change]| match pair {
        [a, b] => b.old_line - (a.old_line + a.old_count) <= 2 * CONTEXT_LINES,
        _ => false,
    };
    let mut hunks = Vec::new();
    let mut rest = changes;
    while !rest.is_empty() {
        let len = 1 + rest.windows(2).take_while(|pair| near(pair)).count();
        let (group, others) = rest.split_at(len);
        hunks.extend(hunk(old, new, group));
        rest = others;
    }
    hunks
}

fn hunk(old: &[u8], new: &[u8], group: &[Change]) -> Option<Hunk> {
    let (first, last) = (group.first()?, group.last()?);
    let start = back(old, first.old.start);
    let end = forward(old, last.old.end);
    let mut lines = Vec::new();
    let before = push_lines(&mut lines, ' ', old, start..first.old.start);
    let mut shared = before;
    let mut at = first.old.start;
    for change in group {
        shared += push_lines(&mut lines, ' ', old, at..change.old.start);
        push_lines(&mut lines, '-', old, change.old.clone());
        push_lines(&mut lines, '+', new, change.new.clone());
        at = change.old.end;
    }
    shared += push_lines(&mut lines, ' ', old, at..end);
    Some(Hunk {
        old_start: first.old_line - before + 1,
        old_lines: shared + group.iter().map(|change| change.old_count).sum::<usize>(),
        new_start: first.new_line - before + 1,
        new_lines: shared + group.iter().map(|change| change.new_count).sum::<usize>(),
        lines,
    })
}

/// Where the context before a line start begins.
fn back(text: &[u8], at: usize) -> usize {
    let mut start = at;
    for _ in 0..CONTEXT_LINES {
        // The byte before a line start is the newline of the line above.
        let Some(above) = start.checked_sub(1).and_then(|newline| text.get(..newline)) else { break };
        start = memrchr(b'\n', above).map_or(0, |at| at + 1);
    }
    start
}

/// Where the context after a line start ends.
fn forward(text: &[u8], at: usize) -> usize {
    let mut end = at;
    for _ in 0..CONTEXT_LINES {
        end = memchr(b'\n', text.get(end..).unwrap_or_default()).map_or(text.len(), |at| end + at + 1);
    }
    end
}

/// Appends lines with their mark and without their endings; returns how many.
fn push_lines(out: &mut Vec<String>, mark: char, text: &[u8], range: Range<usize>) -> usize {
    let lines = split(text, &range);
    for line in &lines {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let shown = String::from_utf8_lossy(body.strip_suffix(b"\r").unwrap_or(body));
        let mut with_mark = String::with_capacity(shown.len() + 1);
        with_mark.push(mark);
        with_mark.push_str(&shown);
        out.push(with_mark);
        if body.len() == line.len() {
            out.push(NO_NEWLINE.to_owned());
        }
    }
    lines.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::replace::replace;
    use proptest::prelude::*;

    /// Applies a patch the slow and obvious way, checking every line of the old text.
    fn apply(old: &str, hunks: &[Hunk]) -> String {
        let lines: Vec<&str> = old.split_inclusive('\n').collect();
        let mut out = String::new();
        let mut at = 0;
        for hunk in hunks {
            let start = hunk.old_start - 1;
            assert!(start >= at, "hunks overlap");
            out.extend(lines[at..start].iter().copied());
            at = start;
            assert_eq!(out.split_inclusive('\n').count(), hunk.new_start - 1);
            let (mut olds, mut news) = (0, 0);
            for (n, line) in hunk.lines.iter().enumerate() {
                let ends = hunk.lines.get(n + 1).is_none_or(|next| next != NO_NEWLINE);
                let text = format!("{}{}", &line[1..], if ends { "\n" } else { "" });
                match line.as_bytes()[0] {
                    b' ' | b'-' => {
                        assert_eq!(lines[at], text);
                        at += 1;
                        olds += 1;
                        if line.starts_with(' ') {
                            news += 1;
                            out.push_str(&text);
                        }
                    }
                    b'+' => {
                        news += 1;
                        out.push_str(&text);
                    }
                    _ => assert_eq!(line, NO_NEWLINE),
                }
            }
            assert_eq!((olds, news), (hunk.old_lines, hunk.new_lines));
        }
        out.extend(lines[at..].iter().copied());
        out
    }

    fn lines(text: &str) -> Vec<&str> {
        text.split('\n').collect()
    }

    #[test]
    fn one_changed_line_has_three_lines_around() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let done = replace(old.as_bytes(), "5", "five", false).unwrap();
        let got = of_edits(old.as_bytes(), &done.body, &done.edits);
        assert_eq!(got.len(), 1);
        assert_eq!((got[0].old_start, got[0].old_lines, got[0].new_start, got[0].new_lines), (2, 7, 2, 7));
        assert_eq!(got[0].lines, lines(" 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8"));
    }

    #[test]
    fn near_changes_share_a_hunk_and_far_ones_do_not() {
        let old: String =
            (1..=30).map(|n| format!("{n}{}\n", if [5, 12, 20].contains(&n) { "x" } else { "" })).collect();
        let done = replace(old.as_bytes(), "x", "y\nz", true).unwrap();
        let got = of_edits(old.as_bytes(), &done.body, &done.edits);
        let starts: Vec<_> = got.iter().map(|hunk| (hunk.old_start, hunk.new_start)).collect();
        assert_eq!(starts, [(2, 2), (17, 19)]);
        assert_eq!(apply(&old, &got).as_bytes(), done.body);
    }

    #[test]
    fn a_missing_final_newline_is_marked() {
        let got = between(b"a\nb", b"a\nb\n");
        assert_eq!(got[0].lines, [" a", "-b", NO_NEWLINE, "+b"]);
        let got = between(b"a\nb", b"x\nb");
        assert_eq!(got[0].lines, ["-a", "+x", " b", NO_NEWLINE]);
    }

    #[test]
    fn only_lines_that_differ_are_in_the_patch() {
        let old = "head\nfn a() {\n  1\n}\nfn b() {\n  2\n}\ntail\n";
        let done = replace(old.as_bytes(), "fn a() {\n  1\n}\nfn b() {\n  2", "fn a() {\n  9\n}\nfn b() {\n  8", false)
            .unwrap();
        let got = of_edits(old.as_bytes(), &done.body, &done.edits);
        let changed: Vec<_> = got[0].lines.iter().filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(changed, ["-  1", "+  9", "-  2", "+  8"]);
    }

    #[test]
    fn empty_texts() {
        assert_eq!(between(b"", b""), []);
        assert_eq!(between(b"a\n", b"a\n"), []);
        assert_eq!(between(b"", b"a\n")[0].lines, ["+a"]);
        assert_eq!(between(b"a\n", b"")[0].lines, ["-a"]);
    }

    proptest! {
        #[test]
        fn patches_between_texts_lead_from_one_to_the_other(old in "[ab\n]{0,60}", new in "[ab\n]{0,60}") {
            prop_assert_eq!(apply(&old, &between(old.as_bytes(), new.as_bytes())), new);
        }

        #[test]
        fn patches_of_edits_lead_to_the_result(old in "[abc\n]{0,80}", needle in "[abc\n]{1,3}", new in "[abx\n]{0,4}") {
            if let Ok(done) = replace(old.as_bytes(), &needle, &new, true) {
                let got = of_edits(old.as_bytes(), &done.body, &done.edits);
                prop_assert_eq!(apply(&old, &got).into_bytes(), done.body);
            }
        }
    }
}
