//! `jq` filters JSON. The filter can read the environment and load modules; options read files by name.

use super::{Context, Effects, Program};
use crate::analysis::Access;
use crate::flags::{self, Order};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["jq", "gojq", "jaq"], custom: Some(effects), ..Program::READER };

const OPTIONS: &str = "-n --null-input -R --raw-input -s --slurp -c --compact-output -C --color-output -M --monochrome-output \
    -a --ascii-output -S --sort-keys -r --raw-output -j --join-output -e --exit-status --tab --indent= --unbuffered --stream \
    --seq --stream-errors --raw-output0 -f< --from-file< -L% --args --jsonargs -h --help -V --version --build-configuration -b --binary";
/// Words of the language that read the environment, other files or code.
const REACHING: [&str; 8] =
    ["env", "ENV", "import", "include", "system", "input_line_number", "modulemeta", "get_search_list"];

fn effects(words: &[Word], context: &Context) -> Effects {
    let mut effects = Effects::reading();
    let mut kept = Vec::new();
    let mut rest = words.iter();
    // Options with two values.
    while let Some(word) = rest.next() {
        match word.known().as_deref() {
            Some("--arg" | "--argjson") => {
                let split = rest.by_ref().take(2).any(Word::splits_freely);
                effects.read_only &= !split;
            }
            Some("--slurpfile" | "--rawfile") => {
                rest.next();
                if let Some(file) = rest.next() {
                    effects.add(file, Access::Read, context);
                }
            }
            _ => kept.push(word.clone()),
        }
    }
    let parsed = flags::parse(&kept, OPTIONS, Order::Anywhere);
    effects.add_options(&parsed, context);
    effects.complete &= !parsed.unlisted && !parsed.uncertain;
    effects.read_only &= parsed.is_plain();
    let mut files = parsed.operands.as_slice();
    if parsed.has(&["-f", "--from-file"]) {
        effects.read_only = false;
    } else if let Some((filter, others)) = files.split_first() {
        effects.read_only &= filter.known().is_some_and(|text| only_filters(&text));
        files = others;
    }
    if !parsed.has(&["--args", "--jsonargs"]) {
        for word in files {
            effects.add(word, Access::Read, context);
        }
    }
    effects
}

/// Whether a filter has no word that reaches outside of its input. Field names after a dot do not count.
fn only_filters(filter: &str) -> bool {
    let mut before = ' ';
    let mut rest = filter;
    while let Some(ch) = rest.chars().next() {
        if ch == '_' || ch.is_ascii_alphabetic() {
            let end = rest.find(|next: char| next != '_' && !next.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let word = &rest[..end];
            if before != '.' && REACHING.contains(&word) {
                return false;
            }
            before = 'a';
            rest = &rest[end..];
            continue;
        }
        before = ch;
        rest = &rest[ch.len_utf8()..];
    }
    true
}
