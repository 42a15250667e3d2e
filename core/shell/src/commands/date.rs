//! `date` prints the time. `-s`, or an operand without `+`, sets it.

use super::{Context, Effects, Operands, Program};
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["date"],
    options: "-d= --date= -u --utc --universal -R --rfc-email --rfc-3339= -I? --iso-8601? --debug --resolution -r< \
        --reference< -f< --file< -s% --set% -j! -v% -n! -t!",
    operands: Operands::Custom(format_only),
    ..Program::READER
};

fn format_only(parsed: &Parsed<'_>, _context: &Context, effects: &mut Effects) {
    effects.read_only &= parsed.operands.iter().all(|word| word.fixed_prefix().starts_with('+'));
}
