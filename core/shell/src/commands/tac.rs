//! `tac` prints files backwards.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["tac"],
    options: "-b --before -r --regex -s= --separator=",
    any_option: true,
    ..Program::READER
};
