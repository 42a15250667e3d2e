//! `wc` counts. `--files0-from` reads a list of file names, whose files it then reads too.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["wc"],
    options: "-c -m -l -L -w --bytes --chars --lines --words --max-line-length --total= --files0-from<",
    any_option: true,
    ..Program::READER
};
