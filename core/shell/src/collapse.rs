//! Whether a command may be shown folded, and as what: searching, reading or listing. For the screen only; it decides
//! nothing about permissions.

use crate::analysis::{Collapse, CommandFacts};

const SEARCH: [&str; 11] = ["find", "grep", "rg", "ag", "ack", "locate", "which", "whereis", "egrep", "fgrep", "fd"];
const READ: [&str; 15] =
    ["cat", "head", "tail", "less", "more", "wc", "stat", "file", "jq", "awk", "cut", "sort", "uniq", "tr", "strings"];
const LIST: [&str; 3] = ["ls", "tree", "du"];
const NEUTRAL: [&str; 5] = ["echo", "printf", "true", "false", ":"];

/// The classes of the commands; none where any of them is something else or writes.
pub(crate) fn classify(commands: &[CommandFacts]) -> Collapse {
    let mut found = Collapse::default();
    for command in commands {
        if command.redirects.iter().any(|redirect| redirect.writes) {
            return Collapse::default();
        }
        let Some(program) = command.program.as_deref() else { return Collapse::default() };
        if NEUTRAL.contains(&program) {
            continue;
        }
        let slot = if SEARCH.contains(&program) {
            &mut found.search
        } else if READ.contains(&program) {
            &mut found.read
        } else if LIST.contains(&program) {
            &mut found.list
        } else {
            return Collapse::default();
        };
        *slot = true;
    }
    found
}
