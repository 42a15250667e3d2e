//! `go` builds and runs; `version`, `env` without `-w` and `doc` only read.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::flags::Order;
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["go"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "";

const FORMS: [Form; 4] = [
    alone("version", "-m -v"),
    with("env", "-json -changed"),
    with("doc", "-all -c -cmd -short -src -u"),
    with("help", ""),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects_in_order("go", words, GLOBAL, &FORMS, context, Order::OneDash)
}
