//! `ls` lists folders. No option of it writes or runs anything.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["ls", "dir", "vdir"],
    options: "-# -a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T= \
        -u -U -v -w= -x -X -Z -1 -@ -e -O --all --almost-all --author --block-size= --color? --directory \
        --escape --file-type --format= --full-time --group-directories-first --human-readable --si --hide= \
        --hyperlink? --indicator-style= --inode --ignore= --ignore-backups --dereference --no-group \
        --numeric-uid-gid --literal --classify? --quote-name --quoting-style= --reverse --recursive --size \
        --sort= --time= --time-style= --tabsize= --width= --zero",
    operands: Operands::PathsOrHere,
    any_option: true,
    ..Program::READER
};
