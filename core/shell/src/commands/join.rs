//! `join` joins lines of two files on a field.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["join"],
    options: "-a= -e= -i -j= -o= -t= -v= -1= -2= --check-order --nocheck-order --header -z",
    any_option: true,
    ..Program::READER
};
