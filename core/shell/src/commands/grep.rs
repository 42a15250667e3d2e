//! `grep` searches text. With `-r` and no operand it searches the current directory. `-f` and `--exclude-from` read files.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["grep", "egrep", "fgrep"],
    options: "-# -A= -B= -C= -D= -E -F -G -H -I -L -P -R -T -U -V -Z -a -b -c -d= -e= -f< -h -i -l -m= -n -o -q -r \
        -s -u -v -w -x -y -z --after-context= --before-context= --context= --binary-files= --byte-offset \
        --color? --colour? --count --dereference-recursive --devices= --directories= --exclude= \
        --exclude-dir= --exclude-from< --extended-regexp --file< --files-with-matches --files-without-match \
        --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --include= --initial-tab \
        --invert-match --label= --line-buffered --line-number --line-regexp --max-count= --no-filename \
        --no-messages --null --null-data --only-matching --quiet --silent --recursive --regexp= --text \
        --with-filename --word-regexp --binary --group-separator= --no-group-separator --null",
    follows: &["-R", "--dereference-recursive"],
    operands: Operands::Custom(pattern_then_paths),
    any_option: true,
    ..Program::READER
};

fn pattern_then_paths(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    let skip = usize::from(!parsed.has(&["-e", "--regexp", "-f", "--file"]));
    let paths = parsed.operands.get(skip..).unwrap_or_default();
    for word in paths {
        effects.add(word, Access::Read, context);
    }
    if paths.is_empty() && parsed.has(&["-r", "-R", "--recursive", "--dereference-recursive"]) {
        effects.add_here();
    }
}
