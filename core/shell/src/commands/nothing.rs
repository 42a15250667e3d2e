//! `true`, `false` and `:` do nothing, whatever their arguments; `exit`, `return`, `break`, `continue` and `shift` only
//! choose what of the text runs next.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["true", "false", ":", "exit", "return", "break", "continue", "shift"],
    operands: Operands::Text,
    any_option: true,
    ..Program::READER
};
