//! `ln` makes links: it reads the targets and creates the last operand.

use crate::paths::Place;

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["ln", "link"],
    options: "-b -d -F -f -i -L -n -P -r -s -S= -t> -T -v -h -w --backup? --directory --force --interactive \
        --logical --no-dereference --physical --relative --symbolic --suffix= --target-directory> \
        --no-target-directory --verbose",
    operands: Operands::Custom(targets_then_link),
    ..Program::CHANGER
};

fn targets_then_link(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    let into = parsed.has(&["-t", "--target-directory"]);
    let last = parsed.operands.len().saturating_sub(1);
    for (place, word) in parsed.operands.iter().enumerate() {
        let link = !into && place == last && last > 0;
        effects.add(word, if link { Access::Create } else { Access::Read }, context);
    }
    if last == 0
        && !into
        && let Some(target) = parsed.operands.first()
    {
        // One operand: the link gets its name in the current directory.
        let name = context.place(target);
        let base = name.known.rsplit('/').next().unwrap_or("").to_owned();
        effects.paths.push((Place { known: base.clone(), shown: base, ..Place::start() }, Access::Create));
    }
}
