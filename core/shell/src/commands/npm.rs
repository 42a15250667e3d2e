//! `npm` runs scripts of packages; listing and asking the registry only read.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["npm"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "";

const FORMS: [Form; 11] = [
    with("ls", "-a --all --depth= --json --long -l --parseable -p --prod --dev --omit= -g --global"),
    with("list", "-a --all --depth= --json --long -l --parseable -p --prod --dev --omit= -g --global"),
    with("view", "--json"),
    with("info", "--json"),
    with("show", "--json"),
    alone("root", "-g"),
    alone("prefix", "-g"),
    with("outdated", "--json --long -l --depth= -g --global"),
    alone("-v", ""),
    with("why", "--json"),
    with("explain", "--json"),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("npm", words, GLOBAL, &FORMS, context)
}
