//! `more` pages text. It runs an editor or shell only from a keyboard, which the executor does not give it.

use super::Program;

pub(super) const PROGRAM: Program =
    Program { names: &["more"], options: "-# -d -l -e -f -p -c -s -u -n=", ..Program::READER };
