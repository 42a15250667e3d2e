//! `split` and `csplit` write pieces next to each other; `--filter` runs a program.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["split", "csplit"],
    options: "-# -a= -b= -C= -d -e -l= -n= -t= -u -x -k -q -s -z -f= --suffix-length= --bytes= --lines= --number= \
        --numeric-suffixes? --additional-suffix= --elide-empty-files --verbose --filter% --prefix= --digits= \
        --keep-files --suppress-matched",
    operands: Operands::Custom(input_then_prefix),
    ..Program::CHANGER
};

fn input_then_prefix(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    for (place, word) in parsed.operands.iter().enumerate() {
        effects.add(word, if place == 0 { Access::Read } else { Access::Write }, context);
    }
    effects.complete = false;
}
