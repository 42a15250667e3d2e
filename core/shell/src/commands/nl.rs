//! `nl` numbers lines.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["nl"],
    options: "-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --number-format= --number-width= \
        --number-separator= --starting-line-number= --line-increment=",
    any_option: true,
    ..Program::READER
};
