//! `tr` maps characters of its input; its operands are sets, not files.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["tr"],
    options: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1",
    operands: Operands::Text,
    any_option: true,
    ..Program::READER
};
