//! `iconv` changes encodings. `-o` writes a file.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["iconv"],
    options: "-f= --from-code= -t= --to-code= -l --list -c -s --silent --verbose --byte-subst= -o> --output>",
    ..Program::READER
};
