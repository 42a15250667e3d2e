//! `df` shows free space.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["df"],
    options: "-a --all -B= --block-size= -h --human-readable -H --si -i --inodes -k -l --local -P --portability \
        -t= --type= -T --print-type -x= --exclude-type= --output? --total -m --no-sync -b -g -n -Y",
    any_option: true,
    ..Program::READER
};
