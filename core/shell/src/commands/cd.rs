//! `cd` changes the directory of what follows; by itself it changes nothing.

use super::{Operands, Program};

pub(super) const PROGRAM: Program =
    Program { names: &["cd"], options: "-L -P -e -@", operands: Operands::Text, any_option: true, ..Program::READER };
