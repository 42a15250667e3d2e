//! Check 14, `MALFORMED_TOKEN_INJECTION`: brackets or quotes that do not pair up in a text with several commands: a
//! reader and the shell may split it differently. Bad: `echo {"a":1; ls}`. Good: `echo '{'; ls`.

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 14, name: "MALFORMED_TOKEN_INJECTION", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has_any(b";&|\n") || !(subject.unclosed || subject.has_any(b"(){}")) {
        return None;
    }
    let view = &subject.views().fully_unquoted;
    if !view.text.contains([';', '&', '|', '\n']) {
        return None;
    }
    if subject.unclosed {
        return Some(Hit::doubtful(
            "a quote is not closed",
            Span::new(subject.text.len().saturating_sub(1), subject.text.len()),
        ));
    }
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut escaped = false;
    for (at, ch) in view.text.char_indices() {
        let was = escaped;
        escaped = ch == '\\' && !was;
        if was {
            continue;
        }
        let pair = match ch {
            '(' | '{' => {
                open.push((ch, at));
                continue;
            }
            ')' => '(',
            '}' => '{',
            _ => continue,
        };
        if open.pop().is_none_or(|(found, _)| found != pair) {
            let at = view.offset(at);
            return Some(Hit::doubtful("a bracket closes nothing", Span::new(at, at + 1)));
        }
    }
    let (_, at) = open.first()?;
    let at = view.offset(*at);
    Some(Hit::doubtful("a bracket is not closed", Span::new(at, at + 1)))
}
