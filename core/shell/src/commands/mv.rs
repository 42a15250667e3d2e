//! `mv` moves: it changes all of its operands.

use super::{Operands, Program};
use crate::analysis::Access;

pub(super) const PROGRAM: Program = Program {
    names: &["mv"],
    options: "-b -f -i -n -S= -t> -T -u -v -Z -h --backup? --debug --exchange --force --interactive --no-clobber \
        --no-copy --strip-trailing-slashes --suffix= --target-directory> --no-target-directory --update? \
        --verbose --context",
    operands: Operands::Paths(Access::Write),
    ..Program::CHANGER
};
