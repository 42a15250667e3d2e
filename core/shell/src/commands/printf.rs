//! `printf` prints its arguments. `-v`, which assigns, is refused with the builtins.

use super::{Operands, Program};

pub(super) const PROGRAM: Program =
    Program { names: &["printf"], operands: Operands::Text, any_option: true, ..Program::READER };
