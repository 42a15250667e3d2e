//! `ls` lists folders. No option of it writes or runs anything.

use super::{Context, Effects, Operands, Program};
use crate::analysis::{Access, Follows};
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["ls", "dir", "vdir"],
    options: "-# -a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T= \
        -u -U -v -w= -x -X -Z -1 -@ -e -O --all --almost-all --author --block-size= --color? --directory \
        --escape --file-type --format= --full-time --group-directories-first --human-readable --si --hide= \
        --hyperlink? --indicator-style= --inode --ignore= --ignore-backups --dereference --no-group \
        --numeric-uid-gid --literal --classify? --quote-name --quoting-style= --reverse --recursive --size \
        --sort= --time= --time-style= --tabsize= --width= --zero",
    operands: Operands::Custom(paths_or_here),
    any_option: true,
    ..Program::READER
};

fn paths_or_here(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    for word in &parsed.operands {
        effects.add(word, Access::Read, context);
    }
    if parsed.operands.is_empty() {
        effects.add_here();
    }
    // It tells about what links point at; with `-R` it also goes there.
    if parsed.has(&["-L", "--dereference"]) {
        let goes = parsed.has(&["-R", "--recursive"]) && !parsed.has(&["-d", "--directory"]);
        effects.follow(if goes { Follows::ByOption } else { Follows::Links });
    }
}
