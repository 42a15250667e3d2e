//! `gpg` signs and encrypts; nothing of it is taken for reading but its version.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program { names: &["gpg", "gpg2"], operands: Operands::Text, ..Program::CHANGER };
