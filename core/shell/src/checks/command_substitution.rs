//! Check 8, `DANGEROUS_PATTERNS_COMMAND_SUBSTITUTION`: everything that makes a shell run a command to build a word:
//! the twelve patterns of bash, zsh and PowerShell, and backticks. Bad: `echo $(id)`. Good: `echo '$(id)'`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 8, name: "DANGEROUS_PATTERNS_COMMAND_SUBSTITUTION", find };

/// The patterns with what they are.
const PATTERNS: [(&str, &str); 12] = [
    (r"<\(", "process substitution <()"),
    (r">\(", "process substitution >()"),
    (r"=\(", "Zsh process substitution =()"),
    (r"(?:^|[\s;&|])=[a-zA-Z_]", "Zsh equals expansion (=cmd)"),
    (r"\$\(", "$() command substitution"),
    (r"\$\{", "${} parameter substitution"),
    (r"\$\[", "$[] legacy arithmetic expansion"),
    (r"~\[", "Zsh-style parameter expansion"),
    (r"\(e:", "Zsh-style glob qualifiers"),
    (r"\(\+", "Zsh glob qualifier with command execution"),
    (r"\}\s*always\s*\{", "Zsh always block (try/always construct)"),
    (r"<#", "PowerShell comment syntax"),
];

static COMPILED: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    PATTERNS.iter().filter_map(|(pattern, message)| Some((Regex::new(pattern).ok()?, *message))).collect()
});

fn find(subject: &Subject<'_>) -> Option<Hit> {
    let view = &subject.views.with_double_quotes;
    let bytes = view.text.as_bytes();
    let backtick = (0..bytes.len()).find(|at| bytes[*at] == b'`' && !is_escaped(bytes, *at));
    if let Some(at) = backtick {
        let at = view.offset(at);
        return Some(Hit::doubtful("backtick command substitution", Span::new(at, at + 1)));
    }
    COMPILED.iter().find_map(|(pattern, message)| {
        let found = pattern.find_iter(&view.text).find(|found| !is_escaped(bytes, found.start()))?;
        let span = Span::new(view.offset(found.start()), view.offset(found.end() - 1) + 1);
        Some(Hit::doubtful(*message, span))
    })
}

/// Whether an odd number of backslashes stands before a byte.
fn is_escaped(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}
