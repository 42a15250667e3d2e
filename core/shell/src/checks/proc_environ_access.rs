//! Check 13, `PROC_ENVIRON_ACCESS`: the environment of a process, where secrets live. Bad: `cat /proc/self/environ`. Good:
//! `grep environ docs/proc.md`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};
use crate::syntax::Span;

pub(super) const CHECK: Check = Check { id: 13, name: "PROC_ENVIRON_ACCESS", find };

static ENVIRON: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"/proc/[^\s/]+(?:/task/[^\s/]+)?/environ"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    if !subject.may_name("/proc/environ") {
        return None;
    }
    const MESSAGE: &str = "the environment of a process is read";
    let names = |text: &str| memchr::memmem::find(text.as_bytes(), b"environ").is_some();
    for command in subject.commands() {
        let words = command.words.iter().chain(command.redirects.iter().map(|redirect| &redirect.target));
        for word in words {
            // With quotes resolved; what is not known stands for itself.
            let shown = word.shown();
            if names(&shown) {
                let environ = ENVIRON.as_ref()?;
                let cleaned = crate::paths::clean(&shown, shown.starts_with('/'));
                if environ.is_match(&cleaned) || environ.is_match(&shown) {
                    return Some(Hit::decisive(MESSAGE, word.span));
                }
            }
        }
    }
    if !names(subject.text) {
        return None;
    }
    let found = ENVIRON.as_ref()?.find(subject.text)?;
    Some(Hit::doubtful(MESSAGE, Span::new(found.start(), found.end())))
}
