//! `seq` prints numbers.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["seq"],
    options: "-f= --format= -s= --separator= -w --equal-width",
    operands: Operands::Text,
    any_option: true,
    ..Program::READER
};
