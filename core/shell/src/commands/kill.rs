//! `kill` and its kin end processes; `-l` only lists names.

use super::{Operands, Program};

pub(super) const PROGRAM: Program =
    Program { names: &["kill", "pkill", "killall", "wait"], operands: Operands::Text, ..Program::CHANGER };
