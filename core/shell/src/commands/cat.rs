//! `cat` prints files. No option of it writes or runs anything.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["cat"],
    options: "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank \
        --show-tabs --show-nonprinting",
    any_option: true,
    ..Program::READER
};
