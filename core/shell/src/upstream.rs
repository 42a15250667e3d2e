//! What comes through a pipe into xargs: where the commands before it only print the names of files below known folders,
//! the appended arguments are such files. Names with blanks or newlines in them can break this; then a read may go
//! elsewhere, but xargs here only counts for commands that read.

use std::borrow::Cow;

use crate::commands::{self, Context};
use crate::flags::{self, Order};
use crate::paths::Place;
use crate::syntax::{SimpleCommand, Word};

/// The places that the names on the pipe are at or below, or `None` where they may be anything.
pub(crate) fn names(upstream: &[&SimpleCommand], context: &Context) -> Option<Vec<Place>> {
    let (first, filters) = upstream.split_first()?;
    if !filters.iter().all(|command| only_selects(command)) {
        return None;
    }
    listed(first, context)
}

fn name_of(command: &SimpleCommand) -> Option<Cow<'_, str>> {
    if !command.assignments.is_empty() || command.redirects.iter().any(|redirect| redirect.op.as_str().starts_with('<'))
    {
        return None;
    }
    command.words.first()?.known()
}

/// A filter whose lines are lines of its input.
fn only_selects(command: &SimpleCommand) -> bool {
    let Some(name) = name_of(command) else { return false };
    let arguments = &command.words[1..];
    let (table, operands) = match &*name {
        "grep" | "egrep" | "fgrep" => ("-v -i -E -F -G -P -w -x -a -e= -m= -z -#", 1),
        "sort" => ("-u -r -n -V -f -z -b", 0),
        "head" | "tail" => ("-# -n= -z -q", 0),
        "uniq" => ("-u -d -i -z", 0),
        _ => return false,
    };
    let parsed = flags::parse(arguments, table, Order::Anywhere);
    let given = usize::from(parsed.has(&["-e"]));
    parsed.is_plain() && parsed.operands.len() + given <= operands
}

/// The places of a command that prints names of files.
fn listed(command: &SimpleCommand, context: &Context) -> Option<Vec<Place>> {
    let name = name_of(command)?;
    let effects = commands::effects(&command.words, context)?;
    let has =
        |options: &[&str]| command.words.iter().any(|word| word.known().is_some_and(|text| options.contains(&&*text)));
    let here = || Some(vec![Place { exact: false, ..Place::start() }]);
    let lists = match &*name {
        "find" | "fd" | "fdfind" => !has(&["-printf", "-ls", "--format", "-a", "--absolute-path"]),
        "rg" => has(&["-l", "--files", "--files-with-matches"]) && !has(&["-r", "--replace"]),
        "grep" => command.words.iter().skip(1).take_while(|word| word.fixed_prefix().starts_with('-')).any(|word| {
            word.known()
                .is_some_and(|text| text == "--files-with-matches" || (!text.starts_with("--") && text.ends_with('l')))
        }),
        "git" => {
            let second = command.words.get(1).and_then(Word::known);
            return if second.as_deref() == Some("ls-files") && effects.read_only { here() } else { None };
        }
        "ls" => {
            // Without a folder the names are entries of the current one.
            return if command.words.iter().skip(1).all(|word| word.fixed_prefix().starts_with('-')) {
                here()
            } else {
                None
            };
        }
        _ => false,
    };
    if !lists || !effects.read_only {
        return None;
    }
    Some(effects.paths.into_iter().map(|(place, _)| Place { exact: false, ..place }).collect())
}
