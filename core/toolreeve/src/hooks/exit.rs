//! What a finished program means: its exit code, its stdout and its stderr against the table of the contract. Pure.
//!
//! | exit | stdout | meaning |
//! |---|---|---|
//! | 0 | begins with `{` | the JSON decides; JSON that is none, or not in the public shape, is a failure that decides nothing |
//! | 0 | anything else | no decision; at UserPromptSubmit, UserPromptExpansion and SessionStart it is text for the model |
//! | 2 | | it blocks, whatever the JSON says; the message is the JSON's reason, else stderr; what else the JSON says holds |
//! | other | JSON object | the JSON decides |
//! | other | anything else | a failure that decides nothing |
//!
//! The contract says nothing of a program that is ended by a signal or whose output had to be cut: there a guard counts
//! as broken, and PreToolUse asks.

use serde_json::Value;
use toolreeve_engine::host::HookOutcome;
use toolreeve_permission::{Behavior, HookVerdict};

use super::answer::{Reading, read_answer};

/// A finished program.
pub(crate) struct Ended<'a> {
    /// Its exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: &'a str,
    pub(crate) stderr: &'a str,
    /// Whether the end of its output is missing.
    pub(crate) is_cut: bool,
}

/// What it means for this event.
pub(crate) fn interpret(event: &str, ended: &Ended<'_>) -> HookOutcome {
    let stdout = behind_async(ended.stdout);
    let json = stdout.trim_start().starts_with('{').then(|| read_json(event, stdout));
    match (ended.code, json) {
        (Some(2), json) => blocks(ended, json),
        (_, Some(Ok(outcome))) => outcome,
        (_, Some(Err(_))) if ended.is_cut => broken(event, "its output was too large and was cut".to_owned()),
        (Some(0), Some(Err(problem))) => failure(problem),
        (Some(0), None) => plain_text(event, stdout),
        (Some(code), _) => failure(with_words(&format!("it failed with exit code {code}"), ended)),
        (None, _) => broken(event, with_words("it was ended by a signal", ended)),
    }
}

/// A hook that failed without deciding anything.
pub(crate) fn failure(message: String) -> HookOutcome {
    HookOutcome { failure: Some(message), ..HookOutcome::default() }
}

/// A hook that broke in a way for which the contract has no answer: the careful one holds.
pub(crate) fn broken(event: &str, message: String) -> HookOutcome {
    match event {
        "PreToolUse" => {
            let message = format!("a PreToolUse hook failed: {message}");
            HookOutcome { verdict: Some(HookVerdict { behavior: Behavior::Ask, message }), ..HookOutcome::default() }
        }
        _ => failure(message),
    }
}

fn read_json(event: &str, stdout: &str) -> Result<HookOutcome, String> {
    let value: Value = serde_json::from_str(stdout).map_err(|error| format!("its output is not JSON: {error}"))?;
    read_answer(value, Reading::Program { event })
}

/// What comes behind a first line that says that the hook goes on in the background.
fn behind_async(stdout: &str) -> &str {
    let (first, rest) = stdout.split_once('\n').unwrap_or((stdout, ""));
    if says_async(first).is_some() { rest } else { stdout }
}

/// Reads a line that says that a hook goes on in the background: the value, which may name a time limit.
pub(crate) fn says_async(line: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(line).ok()?;
    (value.get("async") == Some(&Value::Bool(true))).then_some(value)
}

fn blocks(ended: &Ended<'_>, json: Option<Result<HookOutcome, String>>) -> HookOutcome {
    let said = json.and_then(Result::ok).unwrap_or_default();
    let reason = said.verdict.as_ref().map(|verdict| verdict.message.trim()).unwrap_or_default();
    let message = if reason.is_empty() { ended.stderr.trim() } else { reason }.to_owned();
    HookOutcome {
        verdict: Some(HookVerdict { behavior: Behavior::Deny, message }),
        defers: false,
        // What it would have changed is not to happen.
        updated_input: None,
        permission: None,
        ..said
    }
}

fn plain_text(event: &str, stdout: &str) -> HookOutcome {
    let is_context = matches!(event, "UserPromptSubmit" | "UserPromptExpansion" | "SessionStart");
    let text = stdout.trim();
    let mut outcome = HookOutcome::default();
    if is_context && !text.is_empty() {
        outcome.additional_context = Some(text.to_owned());
    }
    if event == "WorktreeCreate"
        && let Some(path) = text.lines().last()
    {
        outcome.extra.insert("worktreePath".to_owned(), Value::from(path.trim()));
    }
    outcome
}

fn with_words(what: &str, ended: &Ended<'_>) -> String {
    match ended.stderr.trim() {
        "" => what.to_owned(),
        words => format!("{what}: {words}"),
    }
}
