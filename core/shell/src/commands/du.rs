//! `du` sums up sizes. `--files0-from` and `-X` read lists.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["du"],
    options: "-0 --null -a --all --apparent-size -B= --block-size= -b --bytes -c --total -D -d= --max-depth= -h \
        --human-readable -H --inodes -k -l -L -m -P -S -s --summarize --si -t= --threshold= --time? \
        --time-style= -x --one-file-system --exclude= --separate-dirs --dereference --count-links -I= -A -n \
        -g -r --files0-from< -X< --exclude-from<",
    follows: &["-L", "--dereference"],
    operands: Operands::PathsOrHere,
    ..Program::READER
};
