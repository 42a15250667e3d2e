//! Check 6, `DANGEROUS_VARIABLES`: a variable next to a pipe or redirection, where its value may be a program
//! or a file. Bad: `echo x > $f`, `cat a | $p`. Good: `echo "$f" > out`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};

pub(super) const CHECK: Check = Check { id: 6, name: "DANGEROUS_VARIABLES", find };

static NEXT_TO: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"[<>|]\s*\$\{?[A-Za-z_]|\$\{?[A-Za-z_]\w*\}?\s*(?:[<>]|\|[^|])"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has(b'$') || !subject.has_any(b"<>|") || !may_match(subject.views().with_double_quotes.text.as_bytes())
    {
        return None;
    }
    let span = subject.first(&subject.views().with_double_quotes, NEXT_TO.as_ref()?)?;
    Some(Hit::doubtful("a variable stands next to a pipe or redirection", span))
}

/// Whether a variable may stand next to one of the operators: a quick look that takes other characters than ASCII for
/// parts of names.
fn may_match(bytes: &[u8]) -> bool {
    let blank = |byte: &&u8| byte.is_ascii_whitespace() || matches!(byte, 0x0b | 0x80..);
    memchr::memchr_iter(b'$', bytes).any(|at| {
        let before = bytes[..at].iter().rev().find(|byte| !blank(byte));
        if matches!(before, Some(b'<' | b'>' | b'|')) {
            return true;
        }
        let rest = bytes[at + 1..].iter();
        let name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'{' | b'_' | b'}' | 0x80..);
        let after = rest.skip_while(name).find(|byte| !blank(byte));
        matches!(after, Some(b'<' | b'>' | b'|'))
    })
}
