//! `stat` shows the facts of files.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["stat"],
    options: "-L --dereference -f --file-system --cached= -c= --format= --printf= -t --terse -x -s -q -r -n -l -F",
    any_option: true,
    ..Program::READER
};
