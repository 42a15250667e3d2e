//! What commands may take away: removals, and the few other deeds that are as bad at the root of a file system. Looks
//! through wrappers, scripts, `find -exec` and xargs, with the values that words may have. Owns the list of these deeds; it
//! tightens decisions only, so what it does not know it leaves out, or names as a path that nobody knows.

use crate::analysis::{Access, Anchor, CommandFacts, Loss, Origin, Removal, Shell};
use crate::flags::{self, Order};
use crate::paths::Place;
use crate::read;
use crate::syntax::{ExpansionKind, Piece, Program, Redirect, SimpleCommand, Word};
use crate::unwrap::{self, MAX_LAYERS};
use crate::values::{Budget, SOME_NAME, Search, UNKNOWN, Values, literal};
use crate::walk::{self, Site};

/// Scripts inside of scripts are looked into this deep.
const MAX_LEVEL: usize = 4;
/// More than this many are not listed for one command.
const MAX_REMOVALS: usize = 256;

/// Programs that take something away.
const TAKING: [&str; 17] = [
    "rm", "rmdir", "unlink", "shred", "mv", "chmod", "chown", "chgrp", "setfacl", "chattr", "chcon", "rsync", "git",
    "dd", "tee", "cp", "truncate",
];
/// Programs that write over the devices they are given. `mkfs.*` belongs to them.
const FORMATTING: [&str; 14] = [
    "mkfs",
    "mke2fs",
    "mkswap",
    "mkdosfs",
    "mkntfs",
    "wipefs",
    "fdisk",
    "sfdisk",
    "cfdisk",
    "gdisk",
    "sgdisk",
    "parted",
    "blkdiscard",
    "pvcreate",
];
/// Programs that run others, or text.
const RUNNING: [&str; 20] = [
    "find", "bfs", "gfind", "fd", "fdfind", "xargs", "bash", "sh", "zsh", "dash", "ksh", "mksh", "ash", "fish", "su",
    "script", "runuser", "eval", "watch", "env",
];
const SHELLS: [&str; 7] = ["bash", "sh", "zsh", "dash", "ksh", "mksh", "ash"];

/// Words that a text with such a deed in it has.
const TRACES: [&str; 15] = [
    "rm", "unlink", "shred", "mv", "chmod", "chown", "chgrp", "rsync", "git", "mk", "wipefs", "disk", "parted",
    "pvcreate", "-delete",
];

/// Notes at every command what it may take away.
pub(crate) fn note(program: &Program, sites: &[Site<'_>], shell: Shell, listed: &mut [(CommandFacts, Vec<String>)]) {
    let budget = Budget::new();
    let mut values = None;
    for (site, (facts, _)) in sites.iter().zip(listed) {
        let redirects = site.command.redirects();
        let to_unknown = redirects.iter().any(|redirect| redirect.op.writes() && redirect.target.is_unknown());
        let named = site.command.simple().filter(|simple| {
            let first = simple.words.first().and_then(Word::known);
            !facts.read_only
                && (may_take(facts.program.as_deref())
                    || first.is_some_and(|name| RUNNING.contains(&unwrap::base_name(&name))))
        });
        if named.is_none() && !to_unknown {
            continue;
        }
        let values = values.get_or_insert_with(|| Values::new(program, sites, shell, None, &budget));
        let mut finder = Finder { values, budget: &budget, site, shell, level: 0, found: Vec::new() };
        if let Some(simple) = named {
            finder.simple(simple);
        }
        finder.redirects(redirects);
        let mut found = finder.found;
        found.truncate(MAX_REMOVALS);
        // What was not followed may be anything.
        if budget.is_spent() {
            found.push((Place::unknown(UNKNOWN), Loss::Tree));
        }
        for (place, loss) in found {
            for directory in &site.directories {
                let path = place.under(directory).into_use(Access::Remove, Origin::Argument);
                let removal = Removal { path, loss };
                if !facts.removals.contains(&removal) {
                    facts.removals.push(removal);
                }
            }
        }
    }
}

/// Whether a program is one to look at; one without a fixed name may be any.
fn may_take(program: Option<&str>) -> bool {
    program.is_none_or(|name| {
        TAKING.contains(&name)
            || RUNNING.contains(&name)
            || FORMATTING.contains(&name)
            || matches!(name, "trap" | "parallel" | "busybox")
            || name.starts_with("mkfs.")
    })
}

struct Finder<'f, 'p> {
    values: &'f Values<'p>,
    budget: &'f Budget,
    site: &'f Site<'p>,
    shell: Shell,
    level: usize,
    found: Vec<(Place, Loss)>,
}

impl Finder<'_, '_> {
    fn simple(&mut self, simple: &SimpleCommand) {
        let words = self.values.words(&simple.words, self.site);
        let input = || {
            self.values.input(simple, self.site).or_else(|| match self.site.upstream.as_slice() {
                [] => None,
                upstream => self.values.output(upstream, self.site),
            })
        };
        let names = |word: &Word, name: &str| word.known().is_some_and(|text| unwrap::base_name(&text) == name);
        let reads = words.iter().any(|word| names(word, "xargs") || SHELLS.iter().any(|shell| names(word, shell)));
        let input = if reads { input() } else { None };
        self.command(words, input.as_deref(), MAX_LAYERS);
    }

    /// Redirections to what turns out to be a device.
    fn redirects(&mut self, redirects: &[Redirect]) {
        for redirect in redirects.iter().filter(|redirect| redirect.op.writes()) {
            let targets = self.values.words([&redirect.target], self.site);
            self.add_known(&targets.iter().collect::<Vec<_>>(), Loss::Device);
        }
    }

    /// `input` is what it reads, where somebody knows.
    fn command(&mut self, mut words: Vec<Word>, input: Option<&[Word]>, layers: usize) {
        for _ in 0..layers {
            let Some(name) = words.first().and_then(Word::known).map(|name| unwrap::base_name(&name).to_owned()) else {
                return;
            };
            if name == "xargs" {
                words = appended(&words, input);
                if words.is_empty() {
                    return;
                }
                continue;
            }
            if self.scripts(&name, &words, input) {
                return;
            }
            let Some(inner) = unwrap::inner(&words) else {
                self.program(&name, &words, layers);
                return;
            };
            words = inner.words.to_vec();
        }
    }

    /// Looks into a text that the command runs; whether it is one that runs a text.
    fn scripts(&mut self, name: &str, words: &[Word], input: Option<&[Word]>) -> bool {
        // What is unknown in a script stands there as in the command: it is unknown inside as well.
        let plain: Vec<Word> = words.iter().map(|word| literal(&word.shown(), word.span)).collect();
        let text = match name {
            "trap" => plain.get(1).and_then(Word::known).map(std::borrow::Cow::into_owned),
            _ => unwrap::script(&plain),
        };
        if let Some(text) = text {
            self.script(&text, matches!(name, "trap" | "eval"));
            return true;
        }
        if SHELLS.contains(&name)
            && words[1..].iter().all(Word::may_start_with_dash)
            && let Some(input) = input
        {
            let text: Vec<_> = input.iter().map(|word| word.shown().into_owned()).collect();
            self.script(&text.join(" "), false);
            return true;
        }
        false
    }

    /// `same` says that this shell runs the text, with its variables.
    fn script(&mut self, text: &str, same: bool) {
        if self.level >= MAX_LEVEL || !TRACES.iter().any(|trace| text.contains(trace)) {
            return;
        }
        let program = read::read_program(text, self.shell);
        let sites = walk::sites(&program);
        let values = Values::new(&program, &sites, self.shell, same.then_some(self.values), self.budget);
        for site in &sites {
            let (shell, level) = (self.shell, self.level + 1);
            let budget = self.budget;
            let mut finder = Finder { values: &values, budget, site, shell, level, found: Vec::new() };
            if let Some(simple) = site.command.simple() {
                finder.simple(simple);
            }
            finder.redirects(site.command.redirects());
            let left = MAX_REMOVALS.saturating_sub(self.found.len());
            let found = finder
                .found
                .into_iter()
                .flat_map(|(place, loss)| site.directories.iter().map(move |directory| (place.under(directory), loss)));
            self.found.extend(found.take(left));
        }
    }

    fn program(&mut self, name: &str, words: &[Word], layers: usize) {
        let arguments = &words[1..];
        match name {
            "rm" => {
                let tree = has(arguments, &['r', 'R'], "--r");
                self.add(operands(arguments), if tree { Loss::Tree } else { Loss::Entry });
            }
            // It takes empty folders alone, and never the current one.
            "rmdir" => {
                let mut named = operands(arguments);
                named.retain(|word| !word.may_split() && !matches!(word.known().as_deref(), Some("." | "./")));
                self.add(named, Loss::Entry);
            }
            "unlink" => self.add(operands(arguments), Loss::Entry),
            "shred" => {
                self.add(operands(arguments), Loss::Entry);
                self.add_known(&operands(arguments), Loss::Device);
            }
            "mv" => {
                let into = has(arguments, &['t'], "--t");
                let mut sources = operands(arguments);
                if !into {
                    sources.pop();
                }
                self.add(sources, Loss::Moved);
            }
            "chmod" | "chown" | "chgrp" | "setfacl" | "chattr" | "chcon" if has(arguments, &['R'], "--rec") => {
                self.add(operands(arguments), Loss::Changed);
            }
            "rsync" if has(arguments, &[], "--del") => {
                let target = operands(arguments).pop();
                self.add(target.into_iter().collect(), Loss::Changed);
            }
            "dd" => {
                let targets = arguments.iter().filter(|word| word.fixed_prefix().starts_with("of="));
                let targets: Vec<Word> = targets.map(|word| flags::word_after(word, 3)).collect();
                self.add_known(&targets.iter().collect::<Vec<_>>(), Loss::Device);
            }
            "tee" | "cp" | "truncate" => self.add_known(&operands(arguments), Loss::Device),
            "git" => self.git(arguments),
            "fd" | "fdfind" => self.fd(arguments, layers),
            "find" | "bfs" | "gfind" => self.find(arguments, layers),
            _ if name.starts_with("mkfs") || FORMATTING.contains(&name) => {
                let asks = ["-l", "--list", "-d", "--dump", "-n", "--no-act", "-V", "--version", "--help"];
                let only_asks = arguments.iter().any(|word| word.known().is_some_and(|text| asks.contains(&&*text)))
                    || (name == "wipefs" && !arguments.iter().any(Word::may_start_with_dash));
                if !only_asks {
                    self.add(operands(arguments), Loss::Device);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, words: Vec<&Word>, loss: Loss) {
        self.found.extend(words.into_iter().map(|word| (Place::of_word(word, false), loss)));
    }

    /// Only paths that are known: most files are no devices.
    fn add_known(&mut self, words: &[&Word], loss: Loss) {
        let places = words.iter().map(|word| Place::of_word(word, false));
        self.found
            .extend(places.filter(|place| place.anchor == Anchor::Root && place.exact).map(|place| (place, loss)));
    }

    /// `git clean` removes files where it is told to go.
    fn git(&mut self, arguments: &[Word]) {
        let parsed =
            flags::parse(arguments, "-C= -c= --git-dir= --work-tree= --namespace= --exec-path? -P -p", Order::First);
        let Some((command, rest)) = parsed.operands.split_first() else { return };
        if command.known().as_deref() != Some("clean") {
            return;
        }
        if !has(rest.iter().copied(), &['f'], "--f") {
            return;
        }
        let mut here = Place { shown: ".".to_owned(), ..Place::start() };
        for given in parsed.options.iter().filter(|given| matches!(given.name, "-C" | "--work-tree")) {
            if let Some(value) = &given.value {
                here = Place::of_word(value, false).under(&here);
            }
        }
        let named: Vec<&Word> = rest.iter().copied().filter(|word| !word.may_start_with_dash()).collect();
        self.found.extend(named.iter().map(|word| (Place::of_word(word, false).under(&here), Loss::Untracked)));
        if named.is_empty() {
            self.found.push((here, Loss::Untracked));
        }
    }

    fn fd(&mut self, arguments: &[Word], layers: usize) {
        let runs = |word: &Word| matches!(word.known().as_deref(), Some("-x" | "-X" | "--exec" | "--exec-batch"));
        let Some(at) = arguments.iter().position(runs) else { return };
        let mut named = arguments[..at].iter().filter(|word| !word.may_start_with_dash());
        // A pattern that matches every name leaves the folders; any other finds some names in them.
        let all = named.next().is_none_or(|word| matches!(word.known().as_deref(), Some("" | "." | ".*")));
        let mut found: Vec<Word> = named.cloned().collect();
        if !all {
            found = vec![literal(SOME_NAME, arguments[at].span)];
        } else if found.is_empty() {
            found = vec![literal(".", arguments[at].span)];
        }
        let run = &arguments[at + 1..];
        let marked = run.iter().any(|word| word.source.contains("{}"));
        let mut command: Vec<Word> = run.iter().flat_map(|word| put(word, "{}", &found)).collect();
        if !marked {
            command.extend(found);
        }
        self.command(command, None, layers.saturating_sub(1));
    }

    fn find(&mut self, arguments: &[Word], layers: usize) {
        let search = Search::new(arguments);
        let mut words = search.expression.iter();
        while let Some(word) = words.next() {
            match word.known().as_deref() {
                Some("-delete") => {
                    let found = search.found();
                    self.add(found.iter().collect(), Loss::Tree);
                }
                Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                    let command: Vec<Word> = words
                        .by_ref()
                        .take_while(|word| !matches!(word.known().as_deref(), Some(";" | "+")))
                        .flat_map(|word| put(word, "{}", &search.found()))
                        .collect();
                    self.command(command, None, layers.saturating_sub(1));
                }
                _ => {}
            }
        }
    }
}

/// Whether an option is given, by one of its letters or by the start of its long name.
fn has<'w>(arguments: impl IntoIterator<Item = &'w Word>, letters: &[char], long: &str) -> bool {
    arguments.into_iter().any(|word| {
        let text = word.fixed_prefix();
        text.starts_with(long) || (text.starts_with('-') && !text.starts_with("--") && text.contains(letters))
    })
}

/// The words that are no options. Behind `--` all are.
fn operands(arguments: &[Word]) -> Vec<&Word> {
    let mut open = true;
    arguments
        .iter()
        .filter(|word| {
            let ends = open && word.known().as_deref() == Some("--");
            let option = open && word.may_start_with_dash();
            open &= !ends;
            !option
        })
        .collect()
}

/// The command that xargs runs, with what it reads.
fn appended(words: &[Word], input: Option<&[Word]>) -> Vec<Word> {
    let Some(inner) = unwrap::inner(words) else { return Vec::new() };
    let options = &words[1..words.len() - inner.words.len()];
    let read = input.map_or_else(|| vec![unwrap::unknown_word(words[0].span)], <[Word]>::to_vec);
    let mut place = None;
    for (at, word) in options.iter().enumerate() {
        let text = word.fixed_prefix();
        place = match &*text {
            "-I" => options.get(at + 1).and_then(Word::known).map(std::borrow::Cow::into_owned).or(place),
            "-i" | "--replace" => Some("{}".to_owned()),
            other => match other.strip_prefix("-I").or_else(|| other.strip_prefix("--replace=")) {
                Some(mark) => Some(mark.to_owned()),
                None => place,
            },
        };
    }
    match place {
        Some(mark) => inner.words.iter().flat_map(|word| put(word, &mark, &read)).collect(),
        None => [inner.words, read.as_slice()].concat(),
    }
}

/// A word with each of the others in the place of a mark in it.
fn put(word: &Word, mark: &str, others: &[Word]) -> Vec<Word> {
    let (before, after) = match word.known() {
        Some(text) if !mark.is_empty() => match text.split_once(mark) {
            Some((before, after)) => (before.to_owned(), after.to_owned()),
            None => return vec![word.clone()],
        },
        _ => return vec![word.clone()],
    };
    let piece = |text: &str| Piece::Literal { value: text.to_owned(), quoted: true };
    let quote = |piece: &Piece| match piece {
        // A pattern stays one; a variable is one word.
        Piece::Expansion { kind, source, .. } if *kind != ExpansionKind::Glob => {
            Piece::Expansion { kind: kind.clone(), source: source.clone(), quoted: true }
        }
        other => other.clone(),
    };
    others
        .iter()
        .map(|other| {
            let mut pieces = Vec::new();
            if !before.is_empty() {
                pieces.push(piece(&before));
            }
            pieces.extend(other.pieces.iter().map(quote));
            if !after.is_empty() {
                pieces.push(piece(&after));
            }
            Word { span: word.span, source: word.source.clone(), pieces }
        })
        .collect()
}
