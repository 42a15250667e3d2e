//! Check 9, `DANGEROUS_PATTERNS_INPUT_REDIRECTION`: a file read past the arguments. Bad: `wc < secret`. Good:
//! `grep "<a>" x.html`, `cat <<< text`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 9, name: "DANGEROUS_PATTERNS_INPUT_REDIRECTION", find };

static INPUT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?:^|[^<\\])<(?:[^<(&#]|$)"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    let view = &subject.views.unquoted_keep_quote_chars;
    let found = INPUT.as_ref()?.find(&view.text)?;
    let at = view.offset(found.start() + found.as_str().find('<').unwrap_or(0));
    if view.text[found.start()..].trim_start_matches(['<', ' ', '0']).starts_with("/dev/null") {
        return None;
    }
    Some(Hit::doubtful("input is taken from a file", Span::new(at, at + 1)))
}
