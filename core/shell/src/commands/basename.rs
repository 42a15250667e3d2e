//! `basename` and `dirname` take names apart; they touch no file.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["basename", "dirname"],
    options: "-a --multiple -s= --suffix= -z --zero",
    operands: Operands::Text,
    any_option: true,
    ..Program::READER
};
