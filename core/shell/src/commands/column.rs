//! `column` aligns text.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["column"],
    options: "-t --table -s= --separator= -o= --output-separator= -c= --output-width= -x --fillrows -n= \
        --table-name= -N= --table-columns= -R= --table-right= -l= --table-columns-limit= -H= -E= -e -L -J \
        --json -r= -W= -T= -d",
    any_option: true,
    ..Program::READER
};
