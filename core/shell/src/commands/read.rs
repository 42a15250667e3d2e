//! `read` puts a line of its input into variables. The names and options that could evaluate or matter are refused with the builtins; here lower-case names only read.

use super::{Context, Effects, Operands, Program};
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["read"],
    options: "-r -s -p= -d= -n= -N= -t=",
    operands: Operands::Custom(own_names),
    ..Program::READER
};

fn own_names(parsed: &Parsed<'_>, _context: &Context, effects: &mut Effects) {
    // Upper-case names may be variables of the environment that programs after it look at.
    effects.read_only &= !parsed.operands.is_empty()
        && parsed.operands.iter().all(|word| {
            word.known().is_some_and(|name| {
                name.len() <= 24
                    && !name.contains("proxy")
                    && !name.starts_with("npm_")
                    && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit())
            })
        });
}
