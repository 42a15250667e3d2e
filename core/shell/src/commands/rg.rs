//! `rg` searches files. `--pre` and `--hostname-bin` run programs; `-z` runs decompressors.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["rg"],
    options: "-# -A= -B= -C= -E= -F -H -I -L -M= -N -P -S -T= -U -V -a -b -c -d= -e= -f< -g= -h -i -j= -l -m= -n \
        -o -p -q -r= -s -t= -u -v -w -x -. -0 --after-context= --before-context= --context= --encoding= \
        --fixed-strings --with-filename --no-filename --follow --max-columns= --no-line-number --pcre2 \
        --smart-case --type-not= --multiline --multiline-dotall --text --byte-offset --count --count-matches \
        --max-depth= --maxdepth= --regexp= --file< --glob= --iglob= --glob-case-insensitive --ignore-case \
        --threads= --files-with-matches --files-without-match --max-count= --line-number --only-matching \
        --pretty --quiet --replace= --case-sensitive --type= --unrestricted --invert-match --word-regexp \
        --line-regexp --hidden --no-hidden --null --null-data --files --stats --sort= --sortr= --sort-files \
        --color= --colors= --column --no-column --heading --no-heading --json --no-ignore --no-ignore-vcs \
        --no-ignore-parent --no-ignore-global --no-ignore-dot --no-ignore-files --ignore-file< --no-messages \
        --no-config --no-mmap --mmap --crlf --trim --vimgrep --passthru --include-zero --type-list \
        --type-add= --type-clear= --max-filesize= --one-file-system --block-buffered --line-buffered \
        --context-separator= --field-context-separator= --field-match-separator= --path-separator= --engine= \
        --auto-hybrid-regex --regex-size-limit= --dfa-size-limit= --binary --no-binary --debug --trace \
        --no-unicode --no-pcre2-unicode --max-columns-preview --hyperlink-format= --generate= \
        --stop-on-nonmatch --no-require-git --pre% --pre-glob= --hostname-bin% -z! --search-zip!",
    follows: &["-L", "--follow"],
    operands: Operands::Custom(pattern_then_paths),
    ..Program::READER
};

fn pattern_then_paths(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    let given = parsed.has(&["-e", "--regexp", "-f", "--file", "--files", "--type-list", "--generate"]);
    let paths = parsed.operands.get(usize::from(!given)..).unwrap_or_default();
    for word in paths {
        effects.add(word, Access::Read, context);
    }
    if paths.is_empty() && !parsed.has(&["--type-list", "--generate", "-V"]) {
        effects.add_here();
    }
}
