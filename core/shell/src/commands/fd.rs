//! `fd` looks for files by name. `-x` and `-X` run programs, `--ignore-file` reads one.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["fd", "fdfind"],
    options: "-# -H -I -u -s -i -g -F -a -L -p -0 -1 -q -l! -d= -t= -e= -E= -S= -j= -c= -o= -j= --hidden \
        --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive --ignore-case --glob \
        --regex --fixed-strings --and= --absolute-path --list-details! --follow --full-path --print0 \
        --max-depth= --min-depth= --exact-depth= --exclude= --prune --type= --extension= --size= \
        --changed-within= --changed-before= --newer= --older= --owner= --format= --max-results= --quiet \
        --show-errors --threads= --color= --hyperlink? --path-separator= --search-path< --base-directory< \
        --ignore-file< --one-file-system --strip-cwd-prefix? --batch-size% -x! --exec! -X! --exec-batch!",
    follows: &["-L", "--follow"],
    operands: Operands::Custom(pattern_then_paths),
    ..Program::READER
};

fn pattern_then_paths(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    let paths = parsed.operands.get(1..).unwrap_or_default();
    for word in paths {
        effects.add(word, Access::Read, context);
    }
    effects.exact_only = parsed.has(&["-x", "--exec", "-X", "--exec-batch"]);
    if paths.is_empty() && !parsed.has(&["--search-path", "--base-directory"]) {
        effects.add_here();
    }
}
