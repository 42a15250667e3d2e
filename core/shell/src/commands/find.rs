//! `find` walks folders. Its expression can run programs (`-exec`, `-ok`), remove what it finds (`-delete`) and write
//! files (`-fprint`, `-fls`); every other test and action only reads. The expression is read word by word, so an
//! unknown word in it could be any of these.

use super::{Context, Effects, Program};
use crate::analysis::{Access, Follows};
use crate::syntax::Word;

pub(super) const PROGRAM: Program =
    Program { names: &["find", "bfs", "gfind"], custom: Some(effects), ..Program::READER };

/// Tests and actions without a value.
const BARE: &str = "-a -and -o -or -not ! ( ) , -depth -d -follow -mount -xdev -noleaf -daystart -ignore_readdir_race \
    -noignore_readdir_race -warn -nowarn -empty -executable -false -nogroup -nouser -readable -true -writable -print -print0 \
    -prune -quit -ls -help --help -version --version";
/// Tests and actions with one value that is only text.
const VALUED: &str = "-maxdepth -mindepth -regextype -amin -atime -cmin -ctime -fstype -gid -group -ilname -iname -inum \
    -ipath -iregex -iwholename -links -lname -mmin -mtime -name -newermt -newerat -newerct -newerBt -path -perm -regex -size -type \
    -uid -used -user -wholename -xtype -context -printf";
/// Tests with a path that is read.
const READS: &str = "-anewer -cnewer -newer -samefile -files0-from";
/// Actions with a file that is written.
const WRITES: &str = "-fprint -fprint0 -fls";
/// Actions that run a program.
const RUNS: &str = "-exec -execdir -ok -okdir";

fn listed(table: &str, word: &str) -> bool {
    table.split_ascii_whitespace().any(|entry| entry == word)
}

fn effects(words: &[Word], context: &Context) -> Effects {
    let mut effects = Effects::reading();
    let mut rest = words;
    let mut follows = false;
    // Options of the walk itself; of these three the last one counts.
    while let Some(text) = rest.first().and_then(Word::known) {
        match &*text {
            "-H" | "-L" | "-P" => {
                follows = *text == *"-L";
                rest = &rest[1..];
            }
            "-O0" | "-O1" | "-O2" | "-O3" => rest = &rest[1..],
            "-D" => rest = rest.get(2..).unwrap_or_default(),
            _ => break,
        }
    }
    let is_expression = |word: &Word| {
        let prefix = word.fixed_prefix();
        prefix.starts_with(['-', '(', '!', ',']) && prefix != "-"
    };
    let start = rest.iter().position(is_expression).unwrap_or(rest.len());
    let (starts, expression) = rest.split_at(start);
    for word in starts {
        effects.add(word, Access::Read, context);
        let open = word.fixed_prefix().is_empty() && word.known().is_none();
        if open || word.splits_freely() {
            // It may turn out to be an action.
            effects.read_only = false;
            effects.complete = false;
        }
    }
    if starts.is_empty() {
        effects.add_here();
    }
    if follows || expression.iter().any(|word| word.known().as_deref() == Some("-follow")) {
        effects.follow(Follows::ByOption);
    }
    let mut words = expression.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.known() else {
            effects.read_only = false;
            effects.complete = false;
            continue;
        };
        if listed(BARE, &text) {
            continue;
        }
        if listed(VALUED, &text) {
            let open = words.next().is_none_or(|value| {
                value.splits_freely() || (value.known().is_none() && value.fixed_prefix().is_empty())
            });
            if open {
                effects.read_only = false;
            }
        } else if listed(READS, &text) {
            if let Some(value) = words.next() {
                effects.add(value, Access::Read, context);
            }
            effects.read_only &= text != "-files0-from";
        } else if listed(WRITES, &text) || text == "-fprintf" {
            effects.read_only = false;
            if let Some(value) = words.next() {
                effects.add(value, Access::Write, context);
            }
            if text == "-fprintf" {
                words.next();
            }
        } else if listed(RUNS, &text) {
            effects.read_only = false;
            effects.complete = false;
            effects.exact_only = true;
            let command: Vec<Word> = words
                .by_ref()
                .take_while(|word| !matches!(word.known().as_deref(), Some(";" | "+")))
                .cloned()
                .collect();
            effects.runs.push(command);
        } else if text == "-delete" {
            effects.read_only = false;
            effects.exact_only = true;
            let removed: Vec<_> = starts.iter().map(|word| (context.place(word), Access::Remove)).collect();
            effects.paths.extend(removed);
        } else {
            effects.read_only = false;
            effects.complete = false;
        }
    }
    effects
}
