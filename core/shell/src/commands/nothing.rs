//! `true`, `false` and `:` do nothing, whatever their arguments.

use super::{Operands, Program};

pub(super) const PROGRAM: Program =
    Program { names: &["true", "false", ":"], operands: Operands::Text, any_option: true, ..Program::READER };
