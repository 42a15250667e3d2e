//! `jobs` lists background jobs of the shell.

use super::{Operands, Program};

pub(super) const PROGRAM: Program =
    Program { names: &["jobs"], options: "-l -n -p -r -s", operands: Operands::Nothing, ..Program::READER };
