//! Check 17, `CONTROL_CHARACTERS`: bytes that a terminal does not show, or that move what it shows. Bad: `ls` followed by a carriage
//! return. Good: tabs and newlines.

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 17, name: "CONTROL_CHARACTERS", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has_control() && !subject.has_non_ascii() {
        return None;
    }
    let (at, ch) = subject.text.char_indices().find(|(_, ch)| ch.is_control() && !matches!(ch, '\n' | '\t'))?;
    Some(Hit::decisive(format!("the control character U+{:04X}", u32::from(ch)), Span::new(at, at + ch.len_utf8())))
}
