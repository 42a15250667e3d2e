//! `rev` turns lines round.

use super::Program;

pub(super) const PROGRAM: Program =
    Program { names: &["rev"], options: "-0 --zero", any_option: true, ..Program::READER };
