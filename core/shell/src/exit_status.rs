//! What an exit status means by the convention of the command that gave it. Owns the table; a status of 1 is an answer
//! for some programs and a failure for all others.

use serde::Serialize;

use crate::analysis::{Analysis, CommandFacts};

/// The reading of an exit status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExitMeaning {
    /// Whether the command failed.
    pub is_error: bool,
    /// What the status says, where it says more than success or failure.
    pub meaning: Option<&'static str>,
}

/// Programs for which status 1 is an answer.
const ANSWERS: [(&str, &str); 19] = [
    ("grep", "no match"),
    ("egrep", "no match"),
    ("fgrep", "no match"),
    ("zgrep", "no match"),
    ("rg", "no match"),
    ("ag", "no match"),
    ("ack", "no match"),
    ("git grep", "no match"),
    ("diff", "the files differ"),
    ("git diff", "there are differences"),
    ("cmp", "the files differ"),
    ("test", "the condition is false"),
    ("[", "the condition is false"),
    ("[[", "the condition is false"),
    ("find", "some folders could not be read"),
    ("pgrep", "no process matches"),
    ("pidof", "no process matches"),
    ("which", "not found"),
    ("command -v", "not found"),
];

/// Reads the exit status of a command text: by the convention of the command that runs last.
pub fn interpret_exit(analysis: &Analysis, code: i32) -> ExitMeaning {
    if code == 0 {
        return ExitMeaning { is_error: false, meaning: None };
    }
    let last = analysis.commands.iter().rev().find(|command| !command.nested && !command.argv.is_empty());
    if code == 1
        && analysis.is_simple()
        && let Some(meaning) = last.and_then(answer)
    {
        return ExitMeaning { is_error: false, meaning: Some(meaning) };
    }
    let meaning = match code {
        124 if last.is_some_and(|command| command.text.starts_with("timeout ")) => Some("the time limit was reached"),
        126 => Some("the program cannot be executed"),
        127 => Some("the program was not found"),
        130 => Some("interrupted"),
        137 => Some("killed"),
        139 => Some("crashed by a memory fault"),
        143 => Some("terminated"),
        _ => None,
    };
    ExitMeaning { is_error: true, meaning }
}

fn answer(command: &CommandFacts) -> Option<&'static str> {
    let program = command.program.as_deref()?;
    let name = match program {
        "git" => ["git grep", "git diff"].into_iter().find(|name| {
            command
                .allow_views
                .iter()
                .any(|view| view.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
        })?,
        "command" => "command -v",
        other => other,
    };
    ANSWERS.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning)
}
