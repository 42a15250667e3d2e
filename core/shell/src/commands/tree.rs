//! `tree` lists folders as a tree. `-o` writes a file, `-R` with `-H` and `-o` writes more.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["tree"],
    options: "-# -a -d -l -f -x -L= -P= -I= --gitignore --gitfile< --ignore-case --matchdirs --metafirst --prune \
        --info --noreport --charset= --filelimit= -q -N -Q -p -u -g -s -h --si -D -F -v -t -c -U -r \
        --dirsfirst --filesfirst --sort= -i -A -S -n -C -X -J -H= -T= --nolinks --inodes --device --du \
        --timefmt= -o> -R! --fromfile!",
    follows: &["-l"],
    operands: Operands::PathsOrHere,
    ..Program::READER
};
