//! Check 10, `DANGEROUS_PATTERNS_OUTPUT_REDIRECTION`: a file written past the arguments. Bad: `echo x > ~/.bashrc`.
//! Good: `ls 2>/dev/null`, `cargo build 2>&1`, `grep "a > b" x`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 10, name: "DANGEROUS_PATTERNS_OUTPUT_REDIRECTION", find };

static OUTPUT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?:^|[^\\])>"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    let view = &subject.views.unquoted_keep_quote_chars;
    for found in OUTPUT.as_ref()?.find_iter(&view.text) {
        let after = view.text[found.end()..].trim_start_matches(['>', '|']);
        let target = after.trim_start_matches([' ', '\t']);
        let null = target.strip_prefix("/dev/null").is_some_and(|rest| {
            rest.chars().next().is_none_or(|next| matches!(next, ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' | '<' | '>'))
        });
        let descriptor = after
            .strip_prefix('&')
            .is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit() || next == '-'));
        if !null && !descriptor && !after.starts_with('(') {
            let at = view.offset(found.end() - 1);
            return Some(Hit::doubtful("output goes into a file", Span::new(at, at + 1)));
        }
    }
    None
}
