//! Check 15, `BACKSLASH_ESCAPED_WHITESPACE`: a blank behind a backslash, which is part of a word for the shell
//! and a gap for a careless reader. Bad: `cat a\ b`. Good: `cat "a b"`.

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 15, name: "BACKSLASH_ESCAPED_WHITESPACE", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has(b'\\') {
        return None;
    }
    let view = &subject.views().fully_unquoted;
    let at = view.escaped(|byte| matches!(byte, b' ' | b'\t'))?;
    let end = view.offset(at) + 1;
    Some(Hit::doubtful("a blank stands behind a backslash", Span::new(end.saturating_sub(2), end)))
}
