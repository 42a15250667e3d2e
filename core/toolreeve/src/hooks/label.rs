//! Which hook said something, in words: a person who is asked because of a hook, or told that one failed, must be able to
//! find it.

use toolreeve_engine::host::HookOutcome;
use toolreeve_permission::{Behavior, RuleSource};

use super::config::{Handler, HookDeclaration};

/// A name is cut at this many characters.
const MAX_NAME_CHARS: usize = 80;

/// Names the hook in what only people read: its questions and its failures. What the model reads stays as the hook wrote
/// it.
pub(super) fn put_on(mut outcome: HookOutcome, hook: &HookDeclaration) -> HookOutcome {
    if let Some(failure) = &mut outcome.failure {
        *failure = format!("{} ({})", failure, name(hook));
    }
    if let Some(verdict) = outcome.verdict.as_mut().filter(|verdict| verdict.behavior == Behavior::Ask) {
        let said = match verdict.message.trim() {
            "" => format!("a {} hook asks for an answer of a person", hook.event),
            said => said.to_owned(),
        };
        verdict.message = format!("{said} ({})", name(hook));
    }
    outcome
}

/// For example ``hook `./guard.sh` of the project's settings``.
fn name(hook: &HookDeclaration) -> String {
    let what = match &hook.handler {
        Handler::Command { command, args, .. } => match args {
            Some(args) => format!("{command} {}", args.join(" ")),
            None => command.clone(),
        },
        Handler::Http { url, .. } => url.clone(),
        Handler::McpTool { server, tool, .. } => format!("{server}: {tool}"),
        Handler::Prompt { prompt, .. } | Handler::Agent { prompt, .. } => prompt.clone(),
    };
    let first_line = what.lines().next().unwrap_or_default();
    let shown: String = first_line.chars().take(MAX_NAME_CHARS).collect();
    let dots = if shown.len() < what.len() { "…" } else { "" };
    let whose = match hook.source {
        RuleSource::UserSettings => "the user's settings",
        RuleSource::ProjectSettings => "the project's settings",
        RuleSource::LocalSettings => "the local settings",
        RuleSource::FlagSettings => "the settings given at start",
        RuleSource::PolicySettings => "the organisation's settings",
        RuleSource::CliArg | RuleSource::Command | RuleSource::Session => "this session",
    };
    format!("hook `{shown}{dots}` of {whose}")
}
