//! `toolreeve hook`: answers the question that an agent asks before it runs a tool. Owns the options, the order of work
//! and the exit codes. It fails closed: whatever goes wrong blocks the call, by the exit code 2, which every one of the
//! agents takes for that. The agents' shapes are in `shapes`, the tools in `tools`, the judgement in `judge`.

mod judge;
mod shapes;
mod tools;

use std::io::{Read, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;

use self::shapes::{Agent, Call};
use super::complain;
use super::rules::RuleArgs;
use super::style::excerpt;
use crate::check::{Problem, guarded};

/// What blocks a call, for every agent.
pub(super) const EXIT_BLOCK: u8 = 2;
/// The largest input; a file to write may be in it.
const MAX_INPUT_BYTES: u64 = 64 << 20;

/// The arguments of `toolreeve hook`.
#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 with an answer on the standard output, 2 to block the call (bad input, wrong options, an \
    error). For Claude Code, in settings.json:\n\n  {\"hooks\": {\"PreToolUse\": [{\"matcher\": \"*\", \"hooks\": [{\"type\": \
    \"command\", \"command\": \"toolreeve hook\"}]}]}}"
)]
pub(super) struct HookArgs {
    /// Whose hook this is. Auto tells it from the input
    #[arg(long, value_enum, default_value_t)]
    agent: AgentChoice,
    /// What to do about a call that may run: say so, which skips the agent's own prompt, or stay silent, so that the
    /// agent decides
    #[arg(long, value_enum, default_value_t)]
    on_allow: OnAllow,
    /// What to do about a call that a person must approve: ask, deny it, or stay silent. The default is ask where the agent
    /// can be told to ask, else deny
    #[arg(long, value_enum)]
    on_ask: Option<OnAsk>,
    /// Read no settings files but those given with --settings
    #[arg(long)]
    no_settings: bool,
    /// Trust the project: let the allow rules, directories and mode of its settings files count. Its deny and ask rules
    /// always do
    #[arg(long)]
    trust_project: bool,
    /// The home directory. The default is that of the caller
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    #[command(flatten)]
    rules: RuleArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum AgentChoice {
    #[default]
    Auto,
    Claude,
    Codex,
    Gemini,
    Cursor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum OnAllow {
    #[default]
    Say,
    Silent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnAsk {
    Ask,
    Deny,
    Silent,
}

impl AgentChoice {
    fn agent(self) -> Option<Agent> {
        match self {
            Self::Auto => None,
            Self::Claude => Some(Agent::Claude),
            Self::Codex => Some(Agent::Codex),
            Self::Gemini => Some(Agent::Gemini),
            Self::Cursor => Some(Agent::Cursor),
        }
    }
}

/// What is made of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    /// It may run.
    Allow(String),
    /// A person must approve it.
    Ask(String),
    /// It must not run.
    Deny(String),
    /// Nothing is said about it; the agent decides.
    Silent,
}

/// Runs the command. Returns the exit code.
pub(super) fn run(args: &HookArgs, stdin: impl Read, mut stdout: impl Write) -> u8 {
    let answer = guarded(|| answer(args, stdin).map_err(|message| Problem::new("invalid-input", None, message)));
    let written = match answer {
        Ok(answer) => writeln!(stdout, "{answer}")
            .and_then(|()| stdout.flush())
            .map_err(|error| format!("the answer could not be written ({error})")),
        Err(problem) => Err(problem.message),
    };
    match written {
        Ok(()) => 0,
        Err(message) => {
            complain(format!("the call is blocked: {}", excerpt(&message, 1000)));
            EXIT_BLOCK
        }
    }
}

/// The answer to print; the error says why there is none.
fn answer(args: &HookArgs, stdin: impl Read) -> Result<Value, String> {
    let mut bytes = Vec::new();
    stdin
        .take(MAX_INPUT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("the standard input could not be read: {error}"))?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(format!("the input has more than {MAX_INPUT_BYTES} bytes"));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("the input is empty; an agent writes a JSON object about its call".to_owned());
    }
    let input: Value = serde_json::from_slice(&bytes).map_err(|error| format!("the input is not JSON: {error}"))?;
    let Some(call) = Call::read(&input, args.agent.agent())? else {
        // An event that asks nothing.
        return Ok(Value::Object(serde_json::Map::new()));
    };
    let verdict = judge::judge(args, &call)?;
    let verdict = match verdict {
        Verdict::Allow(_) if args.on_allow == OnAllow::Silent => Verdict::Silent,
        Verdict::Ask(why) => match args.on_ask {
            None if call.can_ask() => Verdict::Ask(why),
            None => Verdict::Deny(format!("a person must approve this, and the agent cannot be told to ask: {why}")),
            Some(OnAsk::Ask) => Verdict::Ask(why),
            Some(OnAsk::Deny) => Verdict::Deny(why),
            Some(OnAsk::Silent) => Verdict::Silent,
        },
        other => other,
    };
    Ok(call.answer(&verdict))
}
