//! `cp` copies: it reads all operands but the last, which it writes, or writes into the folder of `-t`.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["cp", "install"],
    options: "-a -b -c -C -d -D -f -H -i -l -L -n -p -P -R -r -s -S= -t> -T -u -v -x -X -Z -g= -m= -o= --archive \
        --attributes-only --backup? --copy-contents --debug --dereference --force --interactive --link \
        --no-clobber --no-dereference --preserve? --no-preserve= --parents --recursive --reflink? \
        --remove-destination --sparse= --strip-trailing-slashes --symbolic-link --suffix= \
        --target-directory> --no-target-directory --update? --verbose --one-file-system --context? --mode= \
        --owner= --group= --directory --strip --compare --preserve-timestamps --preserve-context \
        --strip-program%",
    operands: Operands::Custom(sources_then_target),
    ..Program::CHANGER
};

fn sources_then_target(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    let into = parsed.has(&["-t", "--target-directory"]);
    let folders = parsed.has(&["--directory"]);
    let last = parsed.operands.len().saturating_sub(1);
    for (place, word) in parsed.operands.iter().enumerate() {
        let target = folders || (!into && place == last && last > 0);
        effects.add(word, if target { Access::Write } else { Access::Read }, context);
    }
}
