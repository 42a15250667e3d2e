//! `pip` installs packages; listing them only reads. `--log` writes a file.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["pip", "pip3"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "";

const FORMS: [Form; 6] = [
    with(
        "list",
        "-o --outdated -u --uptodate -e --editable -l --local --user --format= --not-required --exclude-editable --exclude= --pre -v -q --disable-pip-version-check",
    ),
    with("show", "-f --files -v -q"),
    alone("freeze", "-l --local --user --all --exclude-editable --exclude= -q"),
    alone("check", "-v -q"),
    with("index versions", "--pre"),
    alone("-V", ""),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("pip", words, GLOBAL, &FORMS, context)
}
