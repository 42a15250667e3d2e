//! `strings` prints readable parts of files.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["strings"],
    options: "-# -a --all -d --data -f --print-file-name -n= --bytes= -t= --radix= -e= --encoding= -s= \
        --output-separator= -w --include-all-whitespace -o -U= -T=",
    ..Program::READER
};
