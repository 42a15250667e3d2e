//! `rustc` compiles and `rustup` installs; versions and lists only read.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["rustc", "rustup"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "";

const FORMS: [Form; 9] = [
    alone("-V", ""),
    alone("-vV", ""),
    alone("--version", " --verbose -v"),
    alone("show", "-v"),
    with("show active-toolchain", "-v"),
    with("toolchain list", "-v"),
    with("target list", "--installed --toolchain="),
    with("component list", "--installed --toolchain="),
    with("which", "--toolchain="),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("rustc", words, GLOBAL, &FORMS, context)
}
