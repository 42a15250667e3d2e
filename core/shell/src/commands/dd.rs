//! `dd` copies bytes from `if=` to `of=`.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::{Parsed, word_after};

pub(super) const PROGRAM: Program = Program { names: &["dd"], operands: Operands::Custom(by_name), ..Program::CHANGER };

fn by_name(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    for word in &parsed.operands {
        let text = word.fixed_prefix();
        if text.starts_with("if=") {
            effects.add(&word_after(word, 3), Access::Read, context);
        } else if text.starts_with("of=") {
            effects.add(&word_after(word, 3), Access::Write, context);
        }
    }
}
