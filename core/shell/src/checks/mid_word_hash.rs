//! Check 19, `MID_WORD_HASH`: a `#` inside of a word, where some readers start a comment and the shell does not. Bad: `echo a#b`. Good:
//! `echo a # b`, `echo "a#b"`, `echo $#`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 19, name: "MID_WORD_HASH", find };

static HASH: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"[^\s;&|()<>$\{\\]#"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    let view = &subject.views.unquoted_keep_quote_chars;
    let found = HASH.as_ref()?.find(&view.text)?;
    // Inside of a comment it means nothing.
    let line = view.text[..found.start()].rsplit('\n').next().unwrap_or("");
    if line.starts_with('#')
        || line.contains(" #")
        || line.contains("\t#")
        || view.text[found.start()..].starts_with("##") && line.is_empty()
    {
        return None;
    }
    let at = view.offset(found.end() - 1);
    Some(Hit::doubtful("a # stands inside of a word", Span::new(at, at + 1)))
}
