//! `cmp` compares files byte for byte.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["cmp"],
    options: "-b --print-bytes -i= --ignore-initial= -l --verbose -n= --bytes= -s --quiet --silent",
    any_option: true,
    ..Program::READER
};
