//! `patch` changes the files that a patch names.

use super::{Operands, Program};
use crate::analysis::Access;

pub(super) const PROGRAM: Program = Program {
    names: &["patch"],
    options: "-b -c -E -e -f -l -N -n -R -s -t -u -v -p= -i< -o> -r> -d= -D= -F= -B= -V= -Y= -z= --input< \
        --output> --reject-file> --directory= --strip= --dry-run --reverse --forward --backup --batch \
        --force --silent --quiet --unified --context --ed --normal --binary --merge? --verbose --posix",
    operands: Operands::Paths(Access::Write),
    ..Program::CHANGER
};
