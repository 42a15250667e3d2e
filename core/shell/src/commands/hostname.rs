//! `hostname` prints the name of the machine; an operand sets it.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["hostname"],
    options: "-s --short -f --fqdn --long -d --domain -i --ip-address -I --all-ip-addresses -A --all-fqdns -y --yp \
        --nis -a --alias -F! --file! -b!",
    operands: Operands::Nothing,
    ..Program::READER
};
