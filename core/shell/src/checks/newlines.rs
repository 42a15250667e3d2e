//! Check 7, `NEWLINES`: a newline outside of quotes, which starts another command. Bad: `ls`, newline, `rm x`. Good: `echo "a`,
//! newline, `b"`.

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 7, name: "NEWLINES", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has(b'\n') {
        return None;
    }
    let view = &subject.views().fully_unquoted;
    let trimmed = view.text.trim_end();
    let bytes = trimmed.as_bytes();
    let mut from = 0;
    while let Some(length) = memchr::memchr(b'\n', bytes.get(from..)?) {
        let at = from + length;
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let next = trimmed[at + 1..].trim_start();
        if before != Some(b'\\') && !next.is_empty() && !next.starts_with('#') {
            // Of several newlines the one in front counts.
            let at = view.offset(if before == Some(b'\n') { at - 1 } else { at });
            return Some(Hit::doubtful("a newline separates commands", Span::new(at, at + 1)));
        }
        // What follows an escaped newline may be one that is not; otherwise all up to the next word is the same.
        from = if before == Some(b'\\') { at + 1 } else { trimmed.len() - next.len() };
    }
    None
}
