//! `tee` writes its input to files.

use super::{Operands, Program};
use crate::analysis::Access;

pub(super) const PROGRAM: Program = Program {
    names: &["tee"],
    options: "-a --append -i --ignore-interrupts -p --output-error?",
    operands: Operands::Paths(Access::Write),
    ..Program::CHANGER
};
