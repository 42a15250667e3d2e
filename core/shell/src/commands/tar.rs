//! `tar` packs and unpacks. `--to-command`, `--checkpoint-action`, `-I`, `-F`, `--rsh-command` and
//! `--use-compress-program` run programs. Its options may be given without a dash as the first word; listing with known
//! options is the only form that reads.

use super::{Context, Effects, Program};
use crate::analysis::{Access, Follows};
use crate::flags::{self, Order};
use crate::paths::Place;
use crate::syntax::{Piece, Word};

pub(super) const PROGRAM: Program =
    Program { names: &["tar", "bsdtar", "gtar"], custom: Some(effects), ..Program::READER };

const OPTIONS: &str = "-t -x -c -r -u -A -d -f< -v -z -j -J -Z -a -k -O -p -P -h -l -m -n -o -q -s= -S -w -W -B -i -R -N= -b= -C= -T< -X< -I% \
    -F% -g> -K= -L= -M -V= -H= -G -U --list --extract --get --create --append --update --catenate --concatenate --diff --compare \
    --file< --verbose --gzip --gunzip --bzip2 --xz --zstd --lzip --lzma --auto-compress --directory= --exclude= --exclude-from< \
    --strip-components= --wildcards --no-wildcards --to-stdout --keep-old-files --overwrite --no-same-owner --same-owner \
    --no-same-permissions --preserve-permissions --numeric-owner --owner= --group= --mode= --mtime= --sort= --transform= \
    --files-from< --null --dereference --one-file-system --absolute-names --full-time --utc --remove-files! --to-command% \
    --checkpoint? --checkpoint-action% --use-compress-program% --rsh-command% --rmt-command% --info-script% --new-volume-script% \
    --listed-incremental> --index-file> --delete!";

fn effects(words: &[Word], context: &Context) -> Effects {
    let mut words = words.to_vec();
    // `tar tf x` is `tar -tf x`; only a first word of letters is read like that.
    if let Some(first) = words.first_mut()
        && let Some(text) = first.known()
        && text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphabetic())
    {
        first.pieces = vec![Piece::Literal { value: format!("-{text}"), quoted: false }];
    }
    let parsed = flags::parse(&words, OPTIONS, Order::Anywhere);
    let mut effects = Effects { complete: !parsed.unlisted && !parsed.uncertain, ..Effects::default() };
    let lists = parsed.has(&["-t", "--list"]);
    let unpacks = parsed.has(&["-x", "--extract", "--get"]);
    let writes =
        parsed.has(&["-c", "-r", "-u", "-A", "--create", "--append", "--update", "--catenate", "--concatenate"]);
    for given in &parsed.options {
        if let (Some(value), "-f" | "--file") = (&given.value, given.name) {
            effects.add(value, if writes { Access::Write } else { Access::Read }, context);
        }
    }
    let folder = parsed
        .value(&["-C", "--directory"])
        .map_or_else(|| Place { shown: ".".to_owned(), ..Place::start() }, |word| context.place(word));
    if unpacks && !parsed.has(&["-O", "--to-stdout"]) {
        effects.paths.push((folder, Access::Write));
    } else if writes {
        for word in &parsed.operands {
            effects.add(word, Access::Read, context);
        }
        if parsed.has(&["-h", "--dereference", "-L"]) {
            effects.follow(Follows::ByOption);
        }
    }
    // `host:file` makes tar start a remote shell.
    let is_local = parsed.options.iter().all(|given| match (&given.value, given.name) {
        (Some(value), "-f" | "--file") => value.known().is_some_and(|text| !text.contains(':')),
        _ => true,
    });
    effects.read_only = lists && !unpacks && !writes && is_local && parsed.is_plain();
    effects
}
