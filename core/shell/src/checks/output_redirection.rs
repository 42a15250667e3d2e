//! Check 10, `DANGEROUS_PATTERNS_OUTPUT_REDIRECTION`: a file written past the arguments. Bad: `echo x > ~/.bashrc`.
//! Good: `ls 2>/dev/null`, `cargo build 2>&1`, `grep "a > b" x`.

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 10, name: "DANGEROUS_PATTERNS_OUTPUT_REDIRECTION", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has(b'>') {
        return None;
    }
    let view = &subject.views().unquoted_keep_quote_chars;
    let bytes = view.text.as_bytes();
    let mut seen = 0;
    for at in memchr::memchr_iter(b'>', bytes) {
        // The second character of `>>` belongs to the first, and so do all of a longer run.
        let escaped = at > 0 && bytes[at - 1] == b'\\';
        if at < seen || escaped {
            continue;
        }
        let after = view.text[at + 1..].trim_start_matches(['>', '|']);
        seen = bytes.len() - after.len();
        if goes_into_file(after) {
            let at = view.offset(at);
            return Some(Hit::doubtful("output goes into a file", Span::new(at, at + 1)));
        }
    }
    None
}

/// Whether what follows an operator is neither the null device nor a descriptor nor a substitution.
fn goes_into_file(after: &str) -> bool {
    let target = after.trim_start_matches([' ', '\t']);
    let null = target.strip_prefix("/dev/null").is_some_and(|rest| {
        rest.chars().next().is_none_or(|next| matches!(next, ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' | '<' | '>'))
    });
    let descriptor =
        after.strip_prefix('&').is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit() || next == '-'));
    !null && !descriptor && !after.starts_with('(')
}
