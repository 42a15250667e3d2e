//! `touch` makes files or sets their times.

use super::{Operands, Program};
use crate::analysis::Access;

pub(super) const PROGRAM: Program = Program {
    names: &["touch"],
    options: "-a -c --no-create -d= --date= -f -h --no-dereference -m -r< --reference< -t= --time=",
    operands: Operands::Paths(Access::Create),
    ..Program::CHANGER
};
