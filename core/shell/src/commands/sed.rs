//! `sed` edits a stream. Its script can write files (`w`), read them (`r`) and run programs (`e`), and `-i` changes the
//! files themselves, so it only reads where every script is one of the two shapes of `sed_script`.

use std::borrow::Cow;

use super::{Context, Effects, Program, sed_script};
use crate::analysis::Access;
use crate::flags::{self, Order};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["sed", "gsed"], custom: Some(effects), ..Program::READER };

const OPTIONS: &str = "-n --quiet --silent --debug -e= --expression= -f< --file< -E -r --regexp-extended -i? --in-place? -I? \
    -l= --line-length= --posix -s --separate --sandbox -u --unbuffered -z --null-data --follow-symlinks --help --version";

fn effects(words: &[Word], context: &Context) -> Effects {
    let parsed = flags::parse(words, OPTIONS, Order::Anywhere);
    let mut effects = Effects { complete: !parsed.unlisted && !parsed.uncertain, ..Effects::default() };
    effects.add_options(&parsed, context);
    let mut scripts: Vec<Option<Cow<'_, str>>> = parsed
        .options
        .iter()
        .filter(|given| matches!(given.name, "-e" | "--expression"))
        .map(|given| given.value.as_deref().and_then(Word::known))
        .collect();
    let from_file = parsed.has(&["-f", "--file"]);
    let mut files = parsed.operands.as_slice();
    if scripts.is_empty() && !from_file {
        match files.split_first() {
            Some((script, rest)) => {
                scripts.push(script.known());
                files = rest;
            }
            None => return if words.is_empty() { Effects::unknown() } else { effects },
        }
    }
    let in_place =
        parsed.has(&["-i", "--in-place", "-I"]) || words.iter().any(|word| word.fixed_prefix().starts_with("--in"));
    let quiet = parsed.has(&["-n", "--quiet", "--silent"]);
    for word in files {
        effects.add(word, if in_place { Access::Write } else { Access::Read }, context);
    }
    let sound =
        scripts.iter().all(|script| script.as_deref().is_some_and(|script| sed_script::only_prints(script, quiet)));
    effects.read_only = sound && !from_file && !in_place && parsed.is_plain();
    effects.complete &= sound;
    effects
}
