//! `brew` installs packages; lists and information only read.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["brew"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "";

const FORMS: [Form; 13] = [
    with("info", "--json? --formula --cask --analytics --installed -v"),
    with("list", "-1 -l -r -t --formula --formulae --cask --casks --versions --pinned --full-name --multiple"),
    with("ls", "-1 -l --versions"),
    with("search", "--formula --cask --desc"),
    with("deps", "--tree --installed -n --include-build --direct --declared --formula --cask"),
    with("uses", "--installed --recursive"),
    alone("leaves", "-r -p"),
    alone("outdated", "--json? -v -q --formula --cask"),
    alone("config", ""),
    with("desc", "-s -n -d"),
    alone("--prefix", ""),
    alone("--cellar", ""),
    alone("doctor", ""),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("brew", words, GLOBAL, &FORMS, context)
}
