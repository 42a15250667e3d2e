//! `strings` prints readable parts of files. An operand `@file` is not a file to read but one with more arguments.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["strings"],
    options: "-# -a --all -d --data -f --print-file-name -n= --bytes= -t= --radix= -e= --encoding= -s= \
        --output-separator= -w --include-all-whitespace -o -U= -T=",
    operands: Operands::Custom(files_or_arguments),
    ..Program::READER
};

fn files_or_arguments(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    for word in &parsed.operands {
        if word.known().is_some_and(|text| text.starts_with('@')) {
            effects.read_only = false;
            effects.complete = false;
        }
        effects.add(word, Access::Read, context);
    }
}
