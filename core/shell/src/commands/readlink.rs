//! `readlink` and `realpath` print where links lead.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["readlink", "realpath"],
    options: "-f -e -m -n -q -s -v -z -L -P --canonicalize --canonicalize-existing --canonicalize-missing \
        --no-newline --quiet --silent --verbose --zero --relative-to< --relative-base< --strip --no-symlinks \
        --logical --physical",
    any_option: true,
    ..Program::READER
};
