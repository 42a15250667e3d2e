//! The `toolreeve` command. One implementation: the cargo binary and the script of the Python wheel both end here.
//!
//! Exit codes: 0 done, 1 the work failed, 64 wrong usage, 65 bad input. `check` says its verdict: 0 allow, 1 ask, 2 deny,
//! 70 for an internal error. `hook` obeys the agents: 0 with an answer, 2 to block.

mod check;
mod hook;
mod rules;
mod run;
mod style;
mod timeline;

use std::ffi::OsString;
use std::io::Write;
use std::panic::catch_unwind;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "toolreeve", version, about = "The tool system of a coding agent.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run recorded answers of a model against a folder and show what happens
    Run(Box<run::RunArgs>),
    /// Judge a shell command: may it run, and why
    Check(Box<check::CheckArgs>),
    /// Answer the question of a coding agent before it runs a tool: its JSON on the standard input, the answer on the output
    Hook(Box<hook::HookArgs>),
}

/// What `check` returns for a command that a person must approve.
const EXIT_ASK: u8 = 1;
/// What `check` returns for a command that must not run.
const EXIT_DENY: u8 = 2;
/// What a command returns for wrong usage (sysexits EX_USAGE).
const EXIT_USAGE: u8 = 64;
/// What a command returns for input that cannot be used (sysexits EX_DATAERR).
const EXIT_DATA: u8 = 65;
/// What a command returns for a fault of its own (sysexits EX_SOFTWARE).
const EXIT_INTERNAL: u8 = 70;

/// Runs the command with its arguments, the program's name first. Returns the exit code. Nothing panics.
pub fn main(args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    catch_unwind(|| dispatch(&args)).unwrap_or_else(|_| {
        complain("an internal error; please report what was given");
        // A hook that ends with any other code would let the agent go on.
        if is_hook(&args) { hook::EXIT_BLOCK } else { EXIT_INTERNAL }
    })
}

fn is_hook(args: &[OsString]) -> bool {
    args.get(1).is_some_and(|name| name == "hook")
}

fn dispatch(args: &[OsString]) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return not_parsed(&error, args),
    };
    match cli.command {
        Command::Run(args) => run::run(*args),
        Command::Hook(args) => hook::run(&args, std::io::stdin().lock(), std::io::stdout().lock()),
        Command::Check(args) => check::run(*args, std::io::stdin().lock(), std::io::stdout().lock()),
    }
}

/// Prints what the parser of the arguments says, and what else helps.
fn not_parsed(error: &clap::Error, args: &[OsString]) -> u8 {
    let _ = error.print();
    // Help and version are "errors" of the parser too; they go to the standard output.
    if !error.use_stderr() {
        return 0;
    }
    if is_hook(args) {
        // Any other code would let the agent go on.
        return hook::EXIT_BLOCK;
    }
    if error.kind() == ErrorKind::UnknownArgument && args.get(1).is_some_and(|name| name == "check") {
        complain(
            "a command is one argument in quotes: toolreeve check 'rm -r build'; one that begins with - comes after --",
        );
    }
    EXIT_USAGE
}

/// Says what is wrong.
fn complain(error: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "toolreeve: {error}");
}
