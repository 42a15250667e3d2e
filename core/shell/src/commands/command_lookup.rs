//! `command -v` looks up a name. Any other use runs something and is looked through.

use super::{Operands, Program};

pub(super) const PROGRAM: Program =
    Program { names: &["command"], options: "-v -V -p!", operands: Operands::Text, ..Program::READER };
