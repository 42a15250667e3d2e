//! `echo` prints its arguments, whatever they are.

use super::{Operands, Program};

pub(super) const PROGRAM: Program =
    Program { names: &["echo"], options: "-n -e -E", operands: Operands::Text, any_option: true, ..Program::READER };
