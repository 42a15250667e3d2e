//! `mktemp`, `mkfifo` and `mknod` make files.

use super::{Operands, Program};
use crate::analysis::Access;

pub(super) const PROGRAM: Program = Program {
    names: &["mktemp", "mkfifo", "mknod"],
    options: "-d --directory -u --dry-run -q --quiet -t -p< --tmpdir? --suffix= -m= --mode= -Z",
    operands: Operands::Paths(Access::Create),
    ..Program::CHANGER
};
