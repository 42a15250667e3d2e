//! `xxd` prints bytes. Its second operand is written, and `-r` turns text into bytes.

use super::{Context, Effects, Operands, Program};
use crate::flags::Order;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["xxd"],
    options: "-a -b -c= -C -d -e -E -g= -i -l= -len= -n= -name= -o= -p -ps -plain -postscript -q -s= -seek= -u -t \
        -v -r! -revert! -R=",
    order: Order::OneDash,
    operands: Operands::Custom(second_is_written),
    ..Program::READER
};

fn second_is_written(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    super::uniq::second_is_written(parsed, context, effects);
}
