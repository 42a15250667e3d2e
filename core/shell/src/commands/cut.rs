//! `cut` prints columns.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["cut"],
    options: "-b= --bytes= -c= --characters= -d= --delimiter= -f= --fields= -n -s --only-delimited -z \
        --zero-terminated --complement --output-delimiter=",
    any_option: true,
    ..Program::READER
};
