//! `apt` installs packages; lists and information only read.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program =
    Program { names: &["apt", "apt-cache", "apt-get"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "-q -qq";

const FORMS: [Form; 10] = [
    with("list", "--installed --upgradable --manual-installed -a --all-versions -v --verbose"),
    with("show", "-a --all-versions"),
    with("search", "-n --names-only -f --full"),
    with("policy", ""),
    with("depends", ""),
    with("rdepends", ""),
    with("madison", ""),
    with("showpkg", ""),
    alone("pkgnames", ""),
    alone("stats", ""),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("apt", words, GLOBAL, &FORMS, context)
}
