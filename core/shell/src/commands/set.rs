//! `set` chooses options of the shell; those that only make it stricter or louder are as harmless as reading. The others
//! are refused with the builtins.

use super::{Context, Effects, Program};
use crate::builtins;
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["set"], custom: Some(effects), ..Program::READER };

fn effects(words: &[Word], _context: &Context) -> Effects {
    if builtins::sets_only_strictness(words) { Effects::reading() } else { Effects::unknown() }
}
