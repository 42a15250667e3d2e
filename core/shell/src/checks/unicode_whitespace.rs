//! Check 18, `UNICODE_WHITESPACE`: characters that look like a blank or like nothing, so that a word is not where it seems. Bad: a no-break
//! space after `git`. Good: letters of any script.

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 18, name: "UNICODE_WHITESPACE", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has_non_ascii() {
        return None;
    }
    let odd = |ch: char| !ch.is_ascii() && !ch.is_control() && (ch.is_whitespace() || crate::read::is_invisible(ch));
    let (at, ch) = subject.text.char_indices().find(|(_, ch)| odd(*ch))?;
    Some(Hit::decisive(format!("the invisible character U+{:04X}", u32::from(ch)), Span::new(at, at + ch.len_utf8())))
}
