//! `rm` removes files and folders.

use super::{Operands, Program};
use crate::analysis::Access;

pub(super) const PROGRAM: Program = Program {
    names: &["rm", "unlink", "shred"],
    options: "-f -i -I -r -R -d -v -x -P -W --force --interactive? --one-file-system --no-preserve-root \
        --preserve-root? --recursive --dir --verbose -n= -s= -u -z --iterations= --size= --remove? --zero \
        --exact --random-source<",
    operands: Operands::Paths(Access::Remove),
    ..Program::CHANGER
};
