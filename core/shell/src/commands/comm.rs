//! `comm` compares sorted files.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["comm"],
    options: "-1 -2 -3 --check-order --nocheck-order --output-delimiter= --total -z --zero-terminated",
    any_option: true,
    ..Program::READER
};
