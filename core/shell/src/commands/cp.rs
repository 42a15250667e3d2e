//! `cp` copies: it reads all operands but the last, which it writes, or writes into the folder of `-t`.

use super::{Context, Effects, Operands, Program};
use crate::analysis::{Access, Follows};
use crate::flags::Parsed;
use crate::pattern::{ANY_DEPTH, escape_name};
use crate::syntax::Word;

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
    let is_target = |at: usize| folders || (!into && at == last && last > 0);
    for (at, word) in parsed.operands.iter().enumerate() {
        effects.add(word, if is_target(at) { Access::Write } else { Access::Read }, context);
    }
    let recursive = parsed.has(&["-r", "-R", "-a", "--recursive", "--archive"]);
    if recursive && parsed.has(&["-L", "--dereference"]) {
        for (place, _) in effects.paths.iter_mut().filter(|(_, access)| *access == Access::Read) {
            place.follows = Follows::ByOption;
        }
    }
    if folders || parsed.has(&["--remove-destination", "-T", "--no-target-directory"]) {
        return;
    }
    // In a folder the copies get the names of the sources, and a link that has such a name is written through.
    let mut names = Vec::new();
    for (_, word) in parsed.operands.iter().enumerate().filter(|(at, _)| !is_target(*at)) {
        let name = copied_name(word, context);
        if recursive {
            names.push(format!("{name}/{ANY_DEPTH}"));
        }
        names.push(name);
    }
    for (place, access) in &mut effects.paths {
        if *access == Access::Write && place.exact {
            place.below.clone_from(&names);
        }
    }
}

/// The pattern of the name that a copy of this source gets.
fn copied_name(source: &Word, context: &Context) -> String {
    let place = context.place(source);
    match place.below.first() {
        Some(pattern) => pattern.trim_end_matches('/').rsplit('/').next().unwrap_or("*").to_owned(),
        None if !place.exact => "*".to_owned(),
        None => match place.known.trim_end_matches('/').rsplit('/').next() {
            Some("" | "." | "..") | None => ANY_DEPTH.to_owned(),
            Some(name) => escape_name(name),
        },
    }
}
