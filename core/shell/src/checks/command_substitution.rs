//! Check 8, `DANGEROUS_PATTERNS_COMMAND_SUBSTITUTION`: everything that makes a shell run a command to build a word:
//! the twelve patterns of bash, zsh and PowerShell, and backticks. Bad: `echo $(id)`. Good: `echo '$(id)'`.

use std::sync::LazyLock;

use memchr::memmem;
use regex::Regex;

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 8, name: "DANGEROUS_PATTERNS_COMMAND_SUBSTITUTION", find };

/// What a pattern looks for.
enum Pattern {
    /// These bytes.
    Text(&'static str),
    /// An `=` in front of a letter, at the start of a word.
    EqualsCommand,
    /// `} always {`
    Always,
}

/// The patterns with what they are.
const PATTERNS: [(Pattern, &str); 12] = [
    (Pattern::Text("<("), "process substitution <()"),
    (Pattern::Text(">("), "process substitution >()"),
    (Pattern::Text("=("), "Zsh process substitution =()"),
    (Pattern::EqualsCommand, "Zsh equals expansion (=cmd)"),
    (Pattern::Text("$("), "$() command substitution"),
    (Pattern::Text("${"), "${} parameter substitution"),
    (Pattern::Text("$["), "$[] legacy arithmetic expansion"),
    (Pattern::Text("~["), "Zsh-style parameter expansion"),
    (Pattern::Text("(e:"), "Zsh-style glob qualifiers"),
    (Pattern::Text("(+"), "Zsh glob qualifier with command execution"),
    (Pattern::Always, "Zsh always block (try/always construct)"),
    (Pattern::Text("<#"), "PowerShell comment syntax"),
];

static ALWAYS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\}\s*always\s*\{").ok());

impl Pattern {
    /// The first match in a text that no backslash escapes: from its first byte to the one after its last.
    fn find(&self, subject: &Subject<'_>, text: &str) -> Option<(usize, usize)> {
        let bytes = text.as_bytes();
        match self {
            Self::Text(wanted) => {
                if !wanted.bytes().all(|byte| subject.has(byte)) {
                    return None;
                }
                let at = memmem::find_iter(bytes, wanted.as_bytes()).find(|at| !is_escaped(bytes, *at))?;
                Some((at, at + wanted.len()))
            }
            Self::EqualsCommand => memchr::memchr_iter(b'=', bytes).find_map(|at| {
                let letter = bytes.get(at + 1).is_some_and(|next| next.is_ascii_alphabetic() || *next == b'_');
                if !letter {
                    return None;
                }
                let Some(before) = text[..at].chars().next_back() else { return Some((0, 2)) };
                let starts = before.is_whitespace() || matches!(before, ';' | '&' | '|');
                let start = at - before.len_utf8();
                (starts && !is_escaped(bytes, start)).then_some((start, at + 2))
            }),
            Self::Always => {
                memmem::find(bytes, b"always")?;
                let found = ALWAYS.as_ref()?.find_iter(text).find(|found| !is_escaped(bytes, found.start()))?;
                Some((found.start(), found.end()))
            }
        }
    }
}

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.has_any(b"`(=[{#") {
        return None;
    }
    let view = &subject.views().with_double_quotes;
    let bytes = view.text.as_bytes();
    let backtick = memchr::memchr_iter(b'`', bytes).find(|at| !is_escaped(bytes, *at));
    if let Some(at) = backtick {
        let at = view.offset(at);
        return Some(Hit::doubtful("backtick command substitution", Span::new(at, at + 1)));
    }
    PATTERNS.iter().find_map(|(pattern, message)| {
        let (start, end) = pattern.find(subject, &view.text)?;
        Some(Hit::doubtful(*message, Span::new(view.offset(start), view.offset(end - 1) + 1)))
    })
}

/// Whether an odd number of backslashes stands before a byte.
fn is_escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}
