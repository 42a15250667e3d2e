//! Check 13, `PROC_ENVIRON_ACCESS`: the environment of a process, where secrets live. Bad: `cat /proc/self/environ`. Good:
//! `grep environ docs/proc.md`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Check, Hit, Subject};
use crate::syntax::{Piece, Span};

pub(super) const CHECK: Check = Check { id: 13, name: "PROC_ENVIRON_ACCESS", find };

static ENVIRON: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"/proc/[^\s/]+(?:/task/[^\s/]+)?/environ"#).ok());

fn find(subject: &Subject<'_>) -> Option<Hit> {
    let environ = ENVIRON.as_ref()?;
    const MESSAGE: &str = "the environment of a process is read";
    for command in &subject.commands {
        let words = command.words.iter().chain(command.redirects.iter().map(|redirect| &redirect.target));
        for word in words {
            // With quotes resolved; what is not known stands for itself.
            let shown: String = word
                .pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Literal { value, .. } => value.as_str(),
                    Piece::Expansion { source, .. } => source.as_str(),
                })
                .collect();
            if environ.is_match(&crate::paths::clean(&shown, shown.starts_with('/'))) || environ.is_match(&shown) {
                return Some(Hit::decisive(MESSAGE, word.span));
            }
        }
    }
    let found = environ.find(subject.text)?;
    Some(Hit::doubtful(MESSAGE, Span::new(found.start(), found.end())))
}
