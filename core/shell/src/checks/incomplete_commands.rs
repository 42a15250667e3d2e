//! Check 1, `INCOMPLETE_COMMANDS`: a text that looks cut off, so that what runs may not be what was
//! meant. Bad: `-rf src`, `&& ls`, `ls |`. Good: `ls | wc`.

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 1, name: "INCOMPLETE_COMMANDS", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    let text = subject.text.trim_end_matches([' ', '\n']);
    let body = text.trim_start_matches([' ', '\n']);
    let start = text.len() - body.len();
    let mut first = body.chars();
    let message = match first.next()? {
        '\t' => "the command starts with a tab",
        '-' => "the command starts with an option",
        '|' | ';' | ')' => "the command starts with an operator",
        '&' if !body.starts_with("&>") => "the command starts with an operator",
        _ => return ending(subject, text),
    };
    Some(Hit::decisive(message, Span::new(start, start + 1)))
}

fn ending(subject: &Subject<'_>, text: &str) -> Option<Hit> {
    let end = Span::new(text.len().saturating_sub(1), text.len());
    if subject.unclosed {
        return Some(Hit::doubtful("a quote is not closed", end));
    }
    if !text.ends_with(['|', '<', '>', '\\', '(', '&']) {
        return None;
    }
    let view = &subject.views().fully_unquoted;
    let unquoted = view.text.trim_end_matches([' ', '\t', '\n']);
    let last_is_code = view.offset(unquoted.len().saturating_sub(1)) + 1 == text.len();
    let open = unquoted.ends_with(['|', '<', '>', '\\', '(']) || unquoted.ends_with("&&");
    let mut backwards = unquoted.chars().rev().skip(1);
    let escaped = backwards.next() == Some('\\');
    (last_is_code && open && !escaped).then(|| Hit::doubtful("the command ends in an operator", end))
}
