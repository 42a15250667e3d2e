//! Build programs run what their files say, even with `-n`; only their version and help are reading.

use super::forms::{self, Form, alone};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program {
    names: &["make", "gmake", "ninja", "cmake", "ctest", "meson", "bazel"],
    custom: Some(effects),
    ..Program::READER
};

const GLOBAL: &str = "";

const FORMS: [Form; 1] = [alone("-v", "")];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("make", words, GLOBAL, &FORMS, context)
}
