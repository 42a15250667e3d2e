//! `printenv` shows the environment, where secrets live: only single named harmless variables are reading.

use super::{Context, Effects, Operands, Program};
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["printenv"],
    options: "-0 --null",
    operands: Operands::Custom(harmless_names),
    ..Program::READER
};

/// Variables whose values are no secrets.
const HARMLESS: [&str; 12] =
    ["HOME", "PATH", "PWD", "SHELL", "USER", "LOGNAME", "LANG", "TERM", "TZ", "EDITOR", "HOSTNAME", "OLDPWD"];

fn harmless_names(parsed: &Parsed<'_>, _context: &Context, effects: &mut Effects) {
    effects.read_only &= !parsed.operands.is_empty()
        && parsed.operands.iter().all(|word| word.known().is_some_and(|name| HARMLESS.contains(&&*name)));
}
