//! Check 6, `DANGEROUS_VARIABLES`: a variable next to a pipe or redirection, where its value may be a program
//! or a file. Bad: `echo x > $f`, `cat a | $p`. Good: `echo "$f" > out`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};

pub(super) const CHECK: Check = Check { id: 6, name: "DANGEROUS_VARIABLES", find };

static NEXT_TO: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"[<>|]\s*\$\{?[A-Za-z_]|\$\{?[A-Za-z_]\w*\}?\s*(?:[<>]|\|[^|])"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    let span = subject.first(&subject.views.with_double_quotes, NEXT_TO.as_ref()?)?;
    Some(Hit::doubtful("a variable stands next to a pipe or redirection", span))
}
