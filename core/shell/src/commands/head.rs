//! `head` prints the start of files.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["head"],
    options: "-# -n= --lines= -c= --bytes= -q --quiet --silent -v --verbose -z --zero-terminated",
    any_option: true,
    ..Program::READER
};
