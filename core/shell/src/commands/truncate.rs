//! `truncate` sets the size of files.

use super::{Operands, Program};
use crate::analysis::Access;

pub(super) const PROGRAM: Program = Program {
    names: &["truncate"],
    options: "-c --no-create -o --io-blocks -r< --reference< -s= --size=",
    operands: Operands::Paths(Access::Write),
    ..Program::CHANGER
};
