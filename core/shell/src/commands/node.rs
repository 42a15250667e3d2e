//! `node` runs scripts; only its own version and help are reading.

use super::forms::{self, Form, alone};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["node", "nodejs"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "";

const FORMS: [Form; 2] = [alone("-v", ""), alone("-h", "")];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("node", words, GLOBAL, &FORMS, context)
}
