//! `tail` prints the end of files, and may follow them.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["tail"],
    options: "-# -n= --lines= -c= --bytes= -f -F --follow? --retry --pid= -q --quiet --silent -v --verbose -s= \
        --sleep-interval= -z --max-unchanged-stats=",
    any_option: true,
    ..Program::READER
};
