//! `sleep` waits.

use super::{Operands, Program};

pub(super) const PROGRAM: Program =
    Program { names: &["sleep"], operands: Operands::Text, any_option: true, ..Program::READER };
