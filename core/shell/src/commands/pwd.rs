//! `pwd` prints the working directory.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["pwd"],
    options: "-L -P --logical --physical",
    operands: Operands::Text,
    any_option: true,
    ..Program::READER
};
