//! The checksum programs read files; `-c` reads a list of them.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &[
        "md5sum",
        "sha1sum",
        "sha224sum",
        "sha256sum",
        "sha384sum",
        "sha512sum",
        "b2sum",
        "cksum",
        "sum",
        "shasum",
        "md5",
    ],
    options: "-b --binary -c --check -t --text -z --zero --tag --ignore-missing --quiet --status --strict -w \
        --warn -a= --algorithm= -l= --length= -r -s -U -0 -q",
    any_option: true,
    ..Program::READER
};
