//! `mkdir` makes folders.

use super::{Operands, Program};
use crate::analysis::Access;

pub(super) const PROGRAM: Program = Program {
    names: &["mkdir"],
    options: "-p --parents -m= --mode= -v --verbose -Z --context?",
    operands: Operands::Paths(Access::Create),
    ..Program::CHANGER
};
