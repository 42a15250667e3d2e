//! `lsof` lists open files; `-D` and `+m` write, `-r` repeats.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["lsof"],
    options: "-a -b -C -d= -F? -g? -i? -l -L -n -N -o? -O -p= -P -R -s? -S= -t -T? -u= -U -v -V -w -x= -X -z -Z \
        -c= -K -Q -E",
    operands: Operands::Custom(no_plus),
    ..Program::READER
};

fn no_plus(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    for word in &parsed.operands {
        effects.read_only &= !word.fixed_prefix().starts_with('+');
        effects.add(word, Access::Read, context);
    }
}
