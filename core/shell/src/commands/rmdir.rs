//! `rmdir` removes empty folders, with `-p` their parents too.

use super::{Operands, Program};
use crate::analysis::Access;

pub(super) const PROGRAM: Program = Program {
    names: &["rmdir"],
    options: "-p --parents -v --verbose --ignore-fail-on-non-empty",
    operands: Operands::Paths(Access::Remove),
    ..Program::CHANGER
};
