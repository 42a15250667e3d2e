//! Check 9, `DANGEROUS_PATTERNS_INPUT_REDIRECTION`: a file read past the arguments. Bad: `wc < secret`. Good:
//! `grep "<a>" x.html`, `cat <<< text`.

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 9, name: "DANGEROUS_PATTERNS_INPUT_REDIRECTION", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has(b'<') {
        return None;
    }
    let view = &subject.views().unquoted_keep_quote_chars;
    let bytes = view.text.as_bytes();
    let at = memchr::memchr_iter(b'<', bytes).find(|at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let after = bytes.get(at + 1);
        !matches!(before, Some(b'<' | b'\\')) && !matches!(after, Some(b'<' | b'(' | b'&' | b'#'))
    })?;
    // A digit in front is the descriptor.
    let descriptor = view.text[..at].chars().next_back();
    let null = matches!(descriptor, None | Some(' ' | '0'))
        && view.text[at..].trim_start_matches(['<', ' ', '0']).starts_with("/dev/null");
    if null {
        return None;
    }
    let at = view.offset(at);
    Some(Hit::doubtful("input is taken from a file", Span::new(at, at + 1)))
}
