//! `cargo` builds and runs; even `metadata` and `tree` start the compiler that a configuration file of the folder names. Only what needs no project reads.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["cargo"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "-v -q --quiet --verbose --offline --locked --frozen --color= -Z% --config% -C%";

const FORMS: [Form; 5] = [
    alone("version", "-v --verbose"),
    alone("--list", ""),
    alone("-V", ""),
    with("help", ""),
    alone("locate-project", "--workspace --message-format="),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("cargo", words, GLOBAL, &FORMS, context)
}
