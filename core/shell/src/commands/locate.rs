//! `locate` searches a database of names, all of the machine.

use super::{Context, Effects, Operands, Program};
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["locate", "mlocate", "plocate"],
    options: "-A -b -c -d< -e -i -l= -n= -p -P -q -r= -w -0 -S -L -H -N --all --basename --count --database< \
        --existing --ignore-case --limit= --null --quiet --regexp= --regex --statistics --wholename",
    operands: Operands::Custom(everywhere),
    ..Program::READER
};

fn everywhere(_parsed: &Parsed<'_>, _context: &Context, effects: &mut Effects) {
    // It names files of the whole machine, but reads none of them.
    effects.complete = true;
}
