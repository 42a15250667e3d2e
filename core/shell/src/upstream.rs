//! What comes through a pipe into xargs: where the commands before it only print the names of files below known folders,
//! the appended arguments are such files. Names with blanks or newlines in them can break this; then a read may go
//! elsewhere, but xargs here only counts for commands that read.

use std::borrow::Cow;

use crate::analysis::Follows;
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
pub(crate) fn only_selects(command: &SimpleCommand) -> bool {
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
    let here = |place: Place| Some(vec![Place { exact: false, ..place }]);
    // A name on the list may be a link, which the program that gets it follows; searching programs name plain files only.
    let mut names_links = false;
    let lists = match &*name {
        "find" | "fd" | "fdfind" => {
            names_links = !only_files(&command.words);
            !has(&["-printf", "-ls", "--format", "-a", "--absolute-path"])
        }
        "rg" => has(&["-l", "--files", "--files-with-matches"]) && !has(&["-r", "--replace"]),
        "grep" => command.words.iter().skip(1).take_while(|word| word.fixed_prefix().starts_with('-')).any(|word| {
            word.known()
                .is_some_and(|text| text == "--files-with-matches" || (!text.starts_with("--") && text.ends_with('l')))
        }),
        "git" => {
            let second = command.words.get(1).and_then(Word::known);
            let listed = second.as_deref() == Some("ls-files") && effects.read_only;
            return if listed { here(Place { follows: Follows::Links, ..Place::start() }) } else { None };
        }
        "ls" => {
            // Without a folder the names are entries of the current one.
            let plain = command.words.iter().skip(1).all(|word| word.fixed_prefix().starts_with('-'));
            let below = vec!["*".to_owned(), ".*".to_owned()];
            return if plain { here(Place { below, ..Place::start() }) } else { None };
        }
        _ => false,
    };
    if !lists || !effects.read_only {
        return None;
    }
    let listed = effects.paths.into_iter().map(|(place, _)| {
        let follows = if names_links { place.follows.max(Follows::Links) } else { place.follows };
        Place { exact: false, follows, ..place }
    });
    Some(listed.collect())
}

/// Whether `find` or `fd` only names plain files: it has a test for them that nothing takes back.
fn only_files(words: &[Word]) -> bool {
    let words: Option<Vec<Cow<'_, str>>> = words.iter().map(Word::known).collect();
    words.is_some_and(|words| {
        let mut kinds =
            words.windows(2).filter(|pair| matches!(&*pair[0], "-type" | "-t" | "--type")).map(|pair| &pair[1]);
        let tests = kinds.next().is_some_and(|kind| kind == "f") && kinds.all(|kind| kind == "f");
        let undone = ["-o", "-or", ",", "!", "-not"];
        tests && !words.iter().any(|word| undone.contains(&&**word))
    })
}
