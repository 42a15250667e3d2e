//! `fold` and `fmt` wrap lines.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["fold", "fmt"],
    options: "-# -b --bytes -s --spaces -w= --width= -c -t -u -p= -g=",
    any_option: true,
    ..Program::READER
};
