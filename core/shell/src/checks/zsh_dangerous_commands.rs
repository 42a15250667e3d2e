//! Check 20, `ZSH_DANGEROUS_COMMANDS`: builtins that only zsh has and that load modules, open files and sockets or run text. Bad:
//! `zmodload zsh/system`, `zf_rm x`, `emulate sh -c 'id'`. Good: `man zmodload`.

use super::{Check, Hit, Subject};
use crate::syntax::Word;
use crate::unwrap;

pub(super) const CHECK: Check = Check { id: 20, name: "ZSH_DANGEROUS_COMMANDS", find };

/// The commands and what each can do.
pub(crate) const COMMANDS: [(&str, &str); 18] = [
    ("zmodload", "loads modules of zsh, which bring all of the others"),
    ("emulate", "runs text like eval with -c"),
    ("sysopen", "opens files"),
    ("sysread", "reads descriptors"),
    ("syswrite", "writes descriptors"),
    ("sysseek", "moves in descriptors"),
    ("zpty", "runs commands on a terminal of their own"),
    ("ztcp", "opens network connections"),
    ("zsocket", "opens local sockets"),
    ("mapfile", "reads and writes files by assigning array elements"),
    ("zf_rm", "removes files without a program"),
    ("zf_mv", "moves files without a program"),
    ("zf_ln", "makes links without a program"),
    ("zf_chmod", "changes rights without a program"),
    ("zf_chown", "changes owners without a program"),
    ("zf_mkdir", "makes folders without a program"),
    ("zf_rmdir", "removes folders without a program"),
    ("zf_chgrp", "changes groups without a program"),
];

fn find(subject: &Subject<'_>) -> Option<Hit> {
    subject.commands().find_map(|command| {
        let mut words: &[Word] = &command.words;
        for _ in 0..unwrap::MAX_LAYERS {
            let name = words.first().and_then(Word::known);
            if let Some((name, what)) = name.and_then(|name| COMMANDS.iter().find(|(known, _)| *known == name)) {
                return Some(Hit::decisive(format!("{name} {what}"), command.span));
            }
            words = unwrap::inner(words)?.words;
        }
        None
    })
}
