//! `which`, `whereis` and `type` look up names; they run nothing.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["which", "whereis", "type"],
    options: "-a -s -f -p -P -t -b -m -u -l -g -S -B= -M= --all --skip-alias --skip-functions --tty-only \
        --show-dot --show-tilde --skip-dot --skip-tilde",
    operands: Operands::Text,
    ..Program::READER
};
