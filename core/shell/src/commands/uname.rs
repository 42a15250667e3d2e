//! `uname` names the system.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["uname"],
    options: "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version \
        --machine --processor --hardware-platform --operating-system",
    operands: Operands::Nothing,
    ..Program::READER
};
