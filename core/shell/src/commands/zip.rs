//! `zip` writes its first operand and reads the others; `-TT` runs a program.

use super::{Context, Effects, Operands, Program};
use crate::analysis::{Access, Follows};
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["zip"],
    options: "-r -q -v -j -u -f -d -m -9 -0 -1 -2 -3 -4 -5 -6 -7 -8 -e -x= -i= -X -y -D -n= -P= -FS -l -ll -g -T! \
        -TT% -b> -O> -o -z -c -@ -s= -t= -tt= -A -J -F -FF -R --quiet --recurse-paths --exclude= --include= \
        --junk-paths --symlinks --encrypt --password= --test! --unzip-command%",
    operands: Operands::Custom(archive_then_paths),
    ..Program::CHANGER
};

fn archive_then_paths(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    for (place, word) in parsed.operands.iter().enumerate() {
        effects.add(word, if place == 0 { Access::Write } else { Access::Read }, context);
    }
    if parsed.has(&["-r", "-R", "--recurse-paths"]) && !parsed.has(&["-y", "--symlinks"]) {
        effects.follow(Follows::Links);
    }
}
