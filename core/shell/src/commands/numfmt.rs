//! `numfmt` formats numbers.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["numfmt"],
    options: "--from= --to= --from-unit= --to-unit= --field= --format= --header? --padding= --round= --suffix= \
        --invalid= -d= --delimiter= -z --grouping --debug",
    operands: Operands::Text,
    any_option: true,
    ..Program::READER
};
