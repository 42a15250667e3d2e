//! `chmod`, `chown` and `chgrp` change rights; the first operand is the mode or owner unless `--reference` gives it.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["chmod", "chown", "chgrp"],
    options: "-c -f -v -R -h -H -L -P --changes --silent --quiet --verbose --recursive --no-preserve-root \
        --preserve-root --reference< --dereference --no-dereference --from= -r -w -x -s -t -X -u -g -o -a",
    follows: &["-L"],
    operands: Operands::Custom(mode_then_paths),
    ..Program::CHANGER
};

fn mode_then_paths(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    let skip = usize::from(!parsed.has(&["--reference"]));
    for word in parsed.operands.iter().skip(skip) {
        effects.add(word, Access::Write, context);
    }
}
