//! Check 21, `BACKSLASH_ESCAPED_OPERATORS`: an operator behind a backslash, which is text for the shell and an
//! operator for a careless reader. Bad: `echo a \; rm x`. Good: `echo "a;b"`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 21, name: "BACKSLASH_ESCAPED_OPERATORS", find };

static ESCAPED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?:^|[^\\])(?:\\\\)*\\[;&|<>]"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    let view = &subject.views.fully_unquoted;
    let found = ESCAPED.as_ref()?.find(&view.text)?;
    let end = view.offset(found.end() - 1) + 1;
    Some(Hit::doubtful("an operator stands behind a backslash", Span::new(end.saturating_sub(2), end)))
}
