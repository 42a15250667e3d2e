//! The `toolreeve` command; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(toolreeve::cli::main(std::env::args_os()))
}
