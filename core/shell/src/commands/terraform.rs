//! `terraform` changes infrastructure and runs the providers of the folder even to show something; only its version reads.

use super::forms::{self, Form, alone};
use super::{Context, Effects, Program};
use crate::flags::Order;
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["terraform", "tofu"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "";

const FORMS: [Form; 1] = [alone("version", "-json")];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects_in_order("terraform", words, GLOBAL, &FORMS, context, Order::OneDash)
}
