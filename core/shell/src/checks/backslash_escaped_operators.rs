//! Check 21, `BACKSLASH_ESCAPED_OPERATORS`: an operator behind a backslash, which is text for the shell and an
//! operator for a careless reader. Bad: `echo a \; rm x`. Good: `echo "a;b"`.

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 21, name: "BACKSLASH_ESCAPED_OPERATORS", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has(b'\\') {
        return None;
    }
    let view = &subject.views().fully_unquoted;
    let at = view.escaped(|byte| matches!(byte, b';' | b'&' | b'|' | b'<' | b'>'))?;
    let end = view.offset(at) + 1;
    Some(Hit::doubtful("an operator stands behind a backslash", Span::new(end.saturating_sub(2), end)))
}
