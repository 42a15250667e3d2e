//! `test` and `[` look at files and text. What they could evaluate is refused with the builtins.

use super::{Operands, Program};

pub(super) const PROGRAM: Program =
    Program { names: &["test", "["], operands: Operands::Text, any_option: true, ..Program::READER };
