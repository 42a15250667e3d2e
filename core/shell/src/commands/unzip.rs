//! `unzip` writes what is in an archive below the current directory or the folder of `-d`; `-l` only lists.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;
use crate::paths::Place;

pub(super) const PROGRAM: Program = Program {
    names: &["unzip", "zipinfo"],
    options: "-l -v -t -z -Z -p -c -q -qq -o -n -j -C -L -a -aa -b -f -u -x= -d> -P= -U -UU -V -X -K -: -^ -1 -2 \
        -s -m -h -T",
    operands: Operands::Custom(archive),
    ..Program::READER
};

fn archive(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    if let Some(word) = parsed.operands.first() {
        effects.add(word, Access::Read, context);
    }
    let lists = parsed.has(&["-l", "-v", "-t", "-z", "-Z", "-p", "-c"]);
    effects.read_only &= lists;
    if !lists && !parsed.has(&["-d"]) {
        effects.paths.push((Place { shown: ".".to_owned(), ..Place::start() }, Access::Write));
    }
}
