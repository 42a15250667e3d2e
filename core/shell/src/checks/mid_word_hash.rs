//! Check 19, `MID_WORD_HASH`: a `#` inside of a word, where some readers start a comment and the shell does not. Bad: `echo a#b`. Good:
//! `echo a # b`, `echo "a#b"`, `echo $#`.

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 19, name: "MID_WORD_HASH", find };

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has(b'#') {
        return None;
    }
    let view = &subject.views().unquoted_keep_quote_chars;
    let (start, hash) = memchr::memchr_iter(b'#', view.text.as_bytes()).find_map(|at| {
        let before = view.text[..at].chars().next_back()?;
        let apart =
            before.is_whitespace() || matches!(before, ';' | '&' | '|' | '(' | ')' | '<' | '>' | '$' | '{' | '\\');
        (!apart).then(|| (at - before.len_utf8(), at))
    })?;
    // Inside of a comment it means nothing.
    let line = view.text[..start].rsplit('\n').next().unwrap_or("");
    if line.starts_with('#')
        || line.contains(" #")
        || line.contains("\t#")
        || view.text[start..].starts_with("##") && line.is_empty()
    {
        return None;
    }
    let at = view.offset(hash);
    Some(Hit::doubtful("a # stands inside of a word", Span::new(at, at + 1)))
}
