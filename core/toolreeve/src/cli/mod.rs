//! The `toolreeve` command. One implementation: the cargo binary and the script of the Python wheel both end here.
//!
//! Exit codes: 0 done, 1 the work failed, 64 wrong usage, 65 bad input.

mod check;
mod run;
mod timeline;

use std::ffi::OsString;
use std::io::Write;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "toolreeve", version, about = "The tool system of a coding agent.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run recorded answers of a model against a folder and show what happens.
    Run(Box<run::RunArgs>),
    /// Judge commands: JSON lines in, JSON lines out.
    Check(check::CheckArgs),
}

/// What a command returns for wrong usage (sysexits EX_USAGE).
const EXIT_USAGE: u8 = 64;
/// What a command returns for input that cannot be used (sysexits EX_DATAERR).
const EXIT_DATA: u8 = 65;

/// Runs the command with its arguments, the program's name first. Returns the exit code.
pub fn main(args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are "errors" of the parser too; they go to the standard output.
            let code = if error.use_stderr() { EXIT_USAGE } else { 0 };
            let _ = error.print();
            return code;
        }
    };
    match cli.command {
        Command::Run(args) => run::run(*args),
        Command::Check(args) => check::run(&args, std::io::stdin().lock(), std::io::stdout().lock()),
    }
}

/// Says what is wrong.
fn complain(error: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "toolreeve: {error}");
}
