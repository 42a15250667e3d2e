//! `pgrep` and `pidof` look for processes. `--signal` of pgrep sends nothing.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["pgrep", "pidof"],
    options: "-a -c -d= -f -g= -G= -i -l -n -o -O= -P= -s= -t= -u= -U= -v -w -x -r= -A -q -S -z -m --list-name \
        --list-full --full --exact --newest --oldest --count --delimiter= --parent= --pgroup= --group= \
        --session= --terminal= --euid= --uid= --inverse --ignore-case --lightweight --runstates= --older= \
        --ns= --nslist= --single-shot --separator= --omit-pid=",
    operands: Operands::Text,
    ..Program::READER
};
