//! `python` runs programs; only its own version and help are reading.

use super::forms::{self, Form, alone};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program =
    Program { names: &["python", "python3", "python2", "pypy", "pypy3"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "";

const FORMS: [Form; 1] = [alone("-V", "")];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("python", words, GLOBAL, &FORMS, context)
}
