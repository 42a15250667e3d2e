//! `expand` and `unexpand` turn tabs into blanks and back.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["expand", "unexpand"],
    options: "-i --initial -t= --tabs= -a --all --first-only",
    any_option: true,
    ..Program::READER
};
