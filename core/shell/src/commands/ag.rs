//! `ag` searches files. `--pager` runs a program; `-z` reads archives.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["ag"],
    options: "-# -A? -B? -C? -D -F -G= -H -L -Q -R -S -U -W= -a -c -f -g= -h -i -l -m= -n -o -p< -r -s -t -u -v -w \
        --after? --before? --context? --ackmate --breakbreak --count --color --nocolor --column --filename \
        --nofilename --heading --noheading --line-numbers --numbers --nonumbers --only-matching \
        --print-long-lines --passthrough --silent --stats --stats-only --vimgrep --all-types --depth= \
        --follow --file-search-regex= --hidden --ignore-case --ignore= --ignore-dir= --path-to-ignore< \
        --literal --max-count= --one-device --case-sensitive --smart-case --search-binary --all-text \
        --unrestricted --skip-vcs-ignores --invert-match --word-regexp --width= --files-with-matches \
        --files-without-matches --python --js --cc --cpp --rust --go --java --ruby --html --css --json --md \
        --pager% -z! --search-zip!",
    follows: &["-f", "--follow"],
    operands: Operands::Custom(pattern_then_paths),
    ..Program::READER
};

fn pattern_then_paths(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    let paths = parsed.operands.get(usize::from(!parsed.has(&["-g"]))..).unwrap_or_default();
    for word in paths {
        effects.add(word, Access::Read, context);
    }
    if paths.is_empty() {
        effects.add_here();
    }
}
