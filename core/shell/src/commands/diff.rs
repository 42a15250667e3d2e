//! `diff` compares files and folders. `--to-file` and `--from-file` name files too.

use super::{Context, Effects, Operands, Program};
use crate::analysis::{Access, Follows};
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["diff"],
    options: "-# -u -U= --unified? -c -C= --context? -n --rcs -y --side-by-side -W= --width= -q --brief -s \
        --report-identical-files -r --recursive -N --new-file -a --text -b -B -w -i -Z -E -t -T -p -F= -l \
        --color? -x= --exclude= -I= -L= --label= --strip-trailing-cr --no-dereference -d --minimal \
        --suppress-common-lines --left-column --ignore-all-space --ignore-space-change --ignore-blank-lines \
        --ignore-case --show-c-function --normal -e --ed --speed-large-files --tabsize= --palette= \
        --line-format= --old-line-format= --new-line-format= --unchanged-line-format= --horizon-lines= -X< \
        --exclude-from< --from-file< --to-file< -S=",
    operands: Operands::Custom(both_sides),
    ..Program::READER
};

fn both_sides(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    for word in &parsed.operands {
        effects.add(word, Access::Read, context);
    }
    // Of two folders it compares what links in them point at.
    if !parsed.has(&["--no-dereference"]) {
        effects.follow(Follows::Links);
    }
}
