//! `paste` joins lines of files.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["paste"],
    options: "-d= --delimiters= -s --serial -z --zero-terminated",
    any_option: true,
    ..Program::READER
};
