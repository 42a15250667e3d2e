//! `base64` and `base32` encode and decode. The BSD `-o` writes a file.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["base64", "base32", "basenc"],
    options: "-d --decode -D -i --ignore-garbage -w= --wrap= -b= --base64 --base64url --base32 --base16 --z85 -o> \
        --output>",
    ..Program::READER
};
