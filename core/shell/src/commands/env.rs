//! `env` alone shows the environment, where secrets live; with arguments it runs a program, which is looked at by itself.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program { names: &["env"], operands: Operands::Text, ..Program::CHANGER };
