//! Check 15, `BACKSLASH_ESCAPED_WHITESPACE`: a blank behind a backslash, which is part of a word for the shell
//! and a gap for a careless reader. Bad: `cat a\ b`. Good: `cat "a b"`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 15, name: "BACKSLASH_ESCAPED_WHITESPACE", find };

static ESCAPED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?:^|[^\\])(?:\\\\)*\\[ \t]"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    let view = &subject.views.fully_unquoted;
    let found = ESCAPED.as_ref()?.find(&view.text)?;
    let end = view.offset(found.end() - 1) + 1;
    Some(Hit::doubtful("a blank stands behind a backslash", Span::new(end.saturating_sub(2), end)))
}
