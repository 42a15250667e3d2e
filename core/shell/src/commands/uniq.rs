//! `uniq` drops repeated lines. Its second operand is written.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["uniq"],
    options: "-# -c --count -d --repeated -D --all-repeated? -f= --skip-fields= --group? -i --ignore-case -s= \
        --skip-chars= -u --unique -w= --check-chars= -z --zero-terminated",
    operands: Operands::Custom(second_is_written),
    ..Program::READER
};

pub(super) fn second_is_written(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    for (place, word) in parsed.operands.iter().enumerate() {
        let access = if place == 0 { Access::Read } else { Access::Write };
        effects.add(word, access, context);
    }
    effects.read_only &= parsed.operands.len() < 2 && !parsed.operands.iter().any(|word| word.may_split());
}
