//! `dpkg` installs packages; its queries only read. Their pager gets no terminal from the executor.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program =
    Program { names: &["dpkg", "dpkg-query"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "";

const FORMS: [Form; 12] = [
    with("-l", "--no-pager"),
    with("--list", "--no-pager"),
    with("-L", ""),
    with("--listfiles", ""),
    with("-s", ""),
    with("--status", ""),
    with("-S", ""),
    with("--search", ""),
    with("-p", ""),
    with("-W", "-f= --showformat="),
    alone("--print-architecture", ""),
    alone("--get-selections", ""),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("dpkg", words, GLOBAL, &FORMS, context)
}
