//! Check 7, `NEWLINES`: a newline outside of quotes, which starts another command. Bad: `ls`, newline, `rm x`. Good: `echo "a`,
//! newline, `b"`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 7, name: "NEWLINES", find };

static NEWLINE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?:^|[^\\])\n\s*[^\s#]"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    let trimmed = subject.views.fully_unquoted.text.trim_end();
    let found = NEWLINE.as_ref()?.find(trimmed)?;
    let at = subject.views.fully_unquoted.offset(found.start() + found.as_str().find('\n').unwrap_or(0));
    Some(Hit::doubtful("a newline separates commands", Span::new(at, at + 1)))
}
