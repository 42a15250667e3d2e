//! From what the user gave to judged cases, one at a time. Owns reading, the check for UTF-8 and the first line of
//! scripts; judging is in [`crate::check`].

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, Read};

use serde_json::{Value, json};
use toolreeve_shell::Shell;

use super::lines::{self, Line, MAX_LINE_BYTES};
use crate::check::{Base, Judged, Problem, Request, guarded};

/// The largest text or script that is read. The analysis takes a million bytes; what is longer gets an error that says so.
const MAX_TEXT_BYTES: u64 = MAX_LINE_BYTES as u64;

/// One input with its judgement.
pub(super) struct Case {
    /// What people call it: `a.sh`, `line 3`; empty for the only input there is.
    pub(super) label: String,
    /// What the answer carries as its id.
    pub(super) id: Option<Value>,
    /// The file that the text is in; offsets count from its beginning.
    pub(super) file: Option<String>,
    /// The number of the input, from 1.
    pub(super) number: usize,
    /// What came of it.
    pub(super) outcome: Result<Judged, Problem>,
}

impl Case {
    fn only(outcome: Result<Judged, Problem>) -> Self {
        Self { label: String::new(), id: None, file: None, number: 1, outcome }
    }
}

pub(super) fn of_argument(word: OsString, base: &Base) -> Case {
    let text = word.into_encoded_bytes();
    Case::only(judge_bytes(text, base))
}

pub(super) fn of_stdin(stdin: &mut impl BufRead, base: &Base) -> std::io::Result<Case> {
    let mut bytes = Vec::new();
    stdin.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Ok(Case::only(Err(too_long("the standard input"))));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        let message = "the standard input is empty: pipe a command in, or give it as an argument in quotes";
        return Ok(Case::only(Err(Problem::new("invalid-input", None, message))));
    }
    Ok(Case::only(judge_bytes(bytes, base)))
}

pub(super) fn each_line(
    stdin: &mut impl BufRead,
    base: &Base,
    mut then: impl FnMut(Case) -> std::io::Result<()>,
) -> std::io::Result<()> {
    each(stdin, |number, line| {
        let outcome = match line {
            Ok(line) if line.trim_ascii().is_empty() || line.trim_ascii_start().starts_with(b"#") => return Ok(()),
            Ok(line) => judge_bytes(line.to_vec(), base),
            Err(problem) => Err(problem),
        };
        then(Case { label: format!("line {number}"), id: Some(json!(number)), file: None, number, outcome })
    })
}

pub(super) fn each_request(
    stdin: &mut impl BufRead,
    base: &Base,
    mut then: impl FnMut(Case) -> std::io::Result<()>,
) -> std::io::Result<()> {
    each(stdin, |number, line| {
        let mut id = None;
        let outcome = line.and_then(text).and_then(|line| {
            let request: Value = serde_json::from_str(line).map_err(|error| Problem::not_json(&error))?;
            id = request.get("id").cloned();
            guarded(|| Request::read(&request, base)?.judge())
        });
        then(Case { label: format!("line {number}"), id, file: None, number, outcome })
    })
}

fn each(
    stdin: &mut impl BufRead,
    mut then: impl FnMut(usize, Result<&[u8], Problem>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut line = Vec::new();
    for number in 1.. {
        match lines::next(stdin, &mut line, MAX_LINE_BYTES)? {
            Line::End => break,
            Line::Whole => then(number, Ok(&line))?,
            Line::TooLong => then(number, Err(too_long("the line")))?,
        }
    }
    Ok(())
}

/// A script. `shell` beats what its first line names.
pub(super) fn of_file(name: &OsStr, base: &Base, shell: Option<Shell>) -> Case {
    let shown = name.to_string_lossy().into_owned();
    let outcome = read_file(name).and_then(|bytes| {
        let mut base = base.clone();
        base.shell = match shell {
            Some(shell) => shell,
            None => shell_of_script(&bytes)?,
        };
        judge_bytes(bytes, &base)
    });
    Case { label: shown.clone(), id: Some(json!(shown)), file: Some(shown), number: 1, outcome }
}

fn read_file(name: &OsStr) -> Result<Vec<u8>, Problem> {
    let unreadable =
        |error: std::io::Error| Problem::new("invalid-input", None, format!("the file cannot be read: {error}"));
    let meta = std::fs::metadata(name).map_err(unreadable)?;
    if !meta.is_file() {
        return Err(Problem::new("invalid-input", None, "it is not a file: give names of shell scripts"));
    }
    if meta.len() > MAX_TEXT_BYTES {
        return Err(too_long("the file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(name)
        .and_then(|file| file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    Ok(bytes)
}

/// The shell that the first line of a script names; bash where it names none.
fn shell_of_script(bytes: &[u8]) -> Result<Shell, Problem> {
    let Some(rest) = bytes.strip_prefix(b"#!") else { return Ok(Shell::Bash) };
    let line = String::from_utf8_lossy(rest.split(|byte| *byte == b'\n').next().unwrap_or_default()).into_owned();
    let mut words = line.split_ascii_whitespace();
    let base_name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut program = words.next().map(base_name).unwrap_or_default();
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('=')).map(base_name).unwrap_or_default();
    }
    match program.as_str() {
        "bash" => Ok(Shell::Bash),
        "zsh" => Ok(Shell::Zsh),
        "sh" | "dash" | "ash" => Ok(Shell::Sh),
        other => {
            let message = format!(
                "its first line names {other:?}, which is not a shell that can be judged: give scripts of bash, sh or zsh, or \
                 say which it is with --shell"
            );
            Err(Problem::new("invalid-input", None, message))
        }
    }
}

fn judge_bytes(bytes: Vec<u8>, base: &Base) -> Result<Judged, Problem> {
    let command = String::from_utf8(bytes).map_err(|error| not_utf8(error.utf8_error()))?;
    guarded(|| Request::plain(command, base).judge())
}

fn text(bytes: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|error| {
        Problem::new("invalid-json", None, format!("the line is not UTF-8 at byte {}", error.valid_up_to()))
    })
}

fn not_utf8(error: std::str::Utf8Error) -> Problem {
    Problem::new("invalid-input", None, format!("the command is not UTF-8 at byte {}", error.valid_up_to()))
}

fn too_long(what: &str) -> Problem {
    Problem::new(
        "invalid-input",
        None,
        format!("{what} has more than {MAX_TEXT_BYTES} bytes; a command has at most a million"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_script_names_its_shell() {
        let shell = |text: &str| shell_of_script(text.as_bytes());
        assert_eq!(shell("echo").ok(), Some(Shell::Bash));
        assert_eq!(shell("#!/bin/bash -e\nls").ok(), Some(Shell::Bash));
        assert_eq!(shell("#! /bin/sh\n").ok(), Some(Shell::Sh));
        assert_eq!(shell("#!/usr/bin/env -S A=b zsh -f\n").ok(), Some(Shell::Zsh));
        assert_eq!(shell("#!/usr/bin/dash").ok(), Some(Shell::Sh));
        for other in ["#!/usr/bin/python3\n", "#!/bin/ksh", "#!", "#!/usr/bin/env\n"] {
            assert!(shell(other).is_err_and(|problem| problem.message.contains("--shell")), "{other}");
        }
    }
}
