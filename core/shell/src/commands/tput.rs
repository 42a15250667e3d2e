//! `tput` asks for the abilities of the terminal. `-S` reads more of its requests.

use super::{Context, Effects, Operands, Program};
use crate::flags::Parsed;

pub(super) const PROGRAM: Program =
    Program { names: &["tput"], options: "-T= -S! -x -V", operands: Operands::Custom(capability), ..Program::READER };

/// Capabilities that are only asked for.
const ASKED: [&str; 12] =
    ["cols", "lines", "colors", "bold", "sgr0", "setaf", "setab", "smul", "rmul", "longname", "rev", "dim"];

fn capability(parsed: &Parsed<'_>, _context: &Context, effects: &mut Effects) {
    effects.read_only &=
        parsed.operands.first().and_then(|word| word.known()).is_some_and(|name| ASKED.contains(&&*name));
}
