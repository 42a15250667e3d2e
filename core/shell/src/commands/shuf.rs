//! `shuf` mixes lines. `-o` writes a file.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["shuf"],
    options: "-e --echo -i= --input-range= -n= --head-count= -r --repeat -z --zero-terminated -o> --output> \
        --random-source<",
    ..Program::READER
};
