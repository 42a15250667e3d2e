//! Walks the syntax in the order of execution: gives every simple command with the directories it may run in, and the
//! redirections of compound commands as sites of their own. Owns what `cd` does to later commands.

use crate::analysis::Anchor;
use crate::paths::Place;
use crate::syntax::{Command, Program, Redirect, Script, Separator, SimpleCommand, Word};

/// More possible directories than this count as one unknown one.
const MAX_DIRECTORIES: usize = 6;

/// Longer pipelines are not followed into xargs.
const MAX_UPSTREAM: usize = 8;

/// A place where something runs.
pub(crate) struct Site<'p> {
    pub command: SiteCommand<'p>,
    pub directories: Vec<Place>,
    pub nested: bool,
    /// The commands before it in its pipeline, where all of them are simple.
    pub upstream: Vec<&'p SimpleCommand>,
    /// The variables of the loops around it, with the words they run over.
    pub bindings: Vec<(&'p str, &'p [Word])>,
}

/// What runs at a site.
pub(crate) enum SiteCommand<'p> {
    Simple(&'p SimpleCommand),
    /// `[[ … ]]`
    Test(&'p SimpleCommand),
    /// The redirections of a compound command.
    Redirects(&'p [Redirect]),
}

impl<'p> SiteCommand<'p> {
    pub(crate) fn simple(&self) -> Option<&'p SimpleCommand> {
        match self {
            Self::Simple(simple) => Some(simple),
            Self::Test(_) | Self::Redirects(_) => None,
        }
    }

    pub(crate) fn redirects(&self) -> &'p [Redirect] {
        match self {
            Self::Simple(simple) | Self::Test(simple) => &simple.redirects,
            Self::Redirects(redirects) => redirects,
        }
    }
}

/// The directories that are possible at one point.
#[derive(Clone, PartialEq)]
struct Directories(Vec<Place>);

impl Directories {
    fn start() -> Self {
        Self(vec![Place::start()])
    }

    fn none() -> Self {
        Self(Vec::new())
    }

    fn join(&mut self, other: &Self) {
        for place in &other.0 {
            if !self.0.contains(place) {
                self.0.push(place.clone());
            }
        }
        if self.0.len() > MAX_DIRECTORIES {
            self.0 = vec![Place::unknown("")];
        }
    }

    fn unknown() -> Self {
        Self(vec![Place::unknown("")])
    }
}

/// Every site of a program.
pub(crate) fn sites(program: &Program) -> Vec<Site<'_>> {
    let mut walker = Walker { sites: Vec::new(), nested: 0, upstream: Vec::new(), bindings: Vec::new() };
    let start = Directories::start();
    let end = walker.script(&program.script, start.clone());
    // Bodies of here-documents are expanded somewhere on the way: any directory of the way is possible.
    let somewhere = if end == start { start } else { Directories::unknown() };
    for body in &program.here_documents {
        walker.word(body, &somewhere);
    }
    walker.sites
}

struct Walker<'p> {
    sites: Vec<Site<'p>>,
    nested: usize,
    upstream: Vec<&'p SimpleCommand>,
    bindings: Vec<(&'p str, &'p [Word])>,
}

impl<'p> Walker<'p> {
    fn script(&mut self, script: &'p Script, start: Directories) -> Directories {
        let mut here = start;
        // Where the shell is if the part before was skipped because something failed, or succeeded.
        let mut failed = Directories::none();
        let mut succeeded = Directories::none();
        let mut chain_start = here.clone();
        for statement in &script.statements {
            let (mut ok, mut not) = if let [command] = statement.pipeline.as_slice() {
                self.command(command, &here)
            } else {
                let outer = std::mem::take(&mut self.upstream);
                let mut simple = true;
                for command in &statement.pipeline {
                    self.command(command, &here);
                    match command {
                        Command::Simple(command) if simple && self.upstream.len() < MAX_UPSTREAM => {
                            self.upstream.push(command)
                        }
                        _ => {
                            simple = false;
                            self.upstream.clear();
                        }
                    }
                }
                self.upstream = outer;
                (here.clone(), here.clone())
            };
            if statement.negated {
                std::mem::swap(&mut ok, &mut not);
            }
            match statement.separator {
                Separator::And => {
                    failed.join(&not);
                    here = ok;
                    here.join(&succeeded);
                    succeeded = Directories::none();
                }
                Separator::Or => {
                    succeeded.join(&ok);
                    here = not;
                    here.join(&failed);
                    failed = Directories::none();
                }
                Separator::Sequence => {
                    here = ok;
                    here.join(&not);
                    here.join(&failed);
                    here.join(&succeeded);
                    failed = Directories::none();
                    succeeded = Directories::none();
                    chain_start = here.clone();
                }
                Separator::Background => {
                    here = chain_start.clone();
                    failed = Directories::none();
                    succeeded = Directories::none();
                }
            }
        }
        here.join(&failed);
        here.join(&succeeded);
        here
    }

    /// The directories after success and after failure.
    fn command(&mut self, command: &'p Command, here: &Directories) -> (Directories, Directories) {
        match command {
            Command::Simple(simple) => {
                for assignment in &simple.assignments {
                    self.word(&assignment.value, here);
                }
                self.words(&simple.words, here);
                self.redirect_words(&simple.redirects, here);
                self.push(SiteCommand::Simple(simple), here);
                (after(simple, here), here.clone())
            }
            Command::Test(simple) => {
                self.words(&simple.words, here);
                self.redirect_words(&simple.redirects, here);
                self.push(SiteCommand::Test(simple), here);
                (here.clone(), here.clone())
            }
            Command::Subshell(script, redirects) => {
                self.compound_redirects(redirects, here);
                self.script(script, here.clone());
                (here.clone(), here.clone())
            }
            Command::Group(script, redirects) => {
                self.compound_redirects(redirects, here);
                let end = self.script(script, here.clone());
                (end.clone(), end)
            }
            Command::Branches { lists, words, variable, redirects, .. } => {
                self.compound_redirects(redirects, here);
                self.words(words, here);
                let mut here = here.clone();
                if lists.iter().any(moves) {
                    here = Directories::unknown();
                }
                let bound = self.bindings.len();
                self.bindings.extend(variable.as_deref().map(|name| (name, words.as_slice())));
                for list in lists {
                    self.script(list, here.clone());
                }
                self.bindings.truncate(bound);
                (here.clone(), here)
            }
        }
    }

    fn push(&mut self, command: SiteCommand<'p>, here: &Directories) {
        self.sites.push(Site {
            command,
            directories: here.0.clone(),
            nested: self.nested > 0,
            upstream: self.upstream.clone(),
            bindings: self.bindings.clone(),
        });
    }

    fn compound_redirects(&mut self, redirects: &'p [Redirect], here: &Directories) {
        if !redirects.is_empty() {
            self.redirect_words(redirects, here);
            self.push(SiteCommand::Redirects(redirects), here);
        }
    }

    fn redirect_words(&mut self, redirects: &'p [Redirect], here: &Directories) {
        for redirect in redirects {
            self.word(&redirect.target, here);
        }
    }

    fn words(&mut self, words: &'p [Word], here: &Directories) {
        for word in words {
            self.word(word, here);
        }
    }

    /// The commands inside of a word's substitutions; each runs in a copy of the shell.
    fn word(&mut self, word: &'p Word, here: &Directories) {
        self.nested += 1;
        let upstream = std::mem::take(&mut self.upstream);
        for script in word.scripts() {
            self.script(script, here.clone());
        }
        self.upstream = upstream;
        self.nested -= 1;
    }
}

/// Whether a list may change the directory.
fn moves(script: &Script) -> bool {
    script.statements.iter().flat_map(|statement| &statement.pipeline).any(|command| match command {
        Command::Simple(simple) => {
            simple.words.first().is_some_and(|word| word.known().is_none_or(|name| is_move(&name)))
        }
        Command::Group(script, _) => moves(script),
        Command::Branches { lists, .. } => lists.iter().any(moves),
        Command::Subshell(..) | Command::Test(_) => false,
    })
}

/// Commands after which the directory may be another one.
pub(crate) fn is_move(name: &str) -> bool {
    matches!(name, "cd" | "pushd" | "popd" | "eval" | "." | "source" | "builtin" | "command")
}

/// The directories after a simple command that succeeded.
fn after(simple: &SimpleCommand, here: &Directories) -> Directories {
    let Some(name) = simple.words.first().and_then(Word::known) else { return here.clone() };
    if !is_move(&name) {
        return here.clone();
    }
    let mut words = simple.words.as_slice();
    if matches!(&*name, "builtin" | "command") {
        words = &words[1..];
        match words.first().and_then(Word::known).as_deref() {
            Some("cd") => {}
            Some(inner) if !is_move(inner) && !inner.starts_with('-') => return here.clone(),
            _ => return Directories::unknown(),
        }
    } else if name != "cd" {
        return Directories::unknown();
    }
    let Some(target) = cd_target(&words[1..]) else { return Directories::unknown() };
    let mut joined = Directories::none();
    for directory in &here.0 {
        joined.join(&Directories(vec![target.under(directory).as_directory()]));
    }
    joined
}

/// Where `cd` with these arguments goes, or `None` where that is not fixed.
pub(crate) fn cd_target(arguments: &[Word]) -> Option<Place> {
    let mut rest = arguments;
    while let Some(flag) = rest.first().and_then(Word::known) {
        match &*flag {
            "-L" | "-e" => rest = &rest[1..],
            "--" => {
                rest = &rest[1..];
                break;
            }
            _ => break,
        }
    }
    let (first, others) = match rest {
        [] => return Some(Place::home()),
        [first, others @ ..] => (first, others),
    };
    if first.fixed_prefix().starts_with('-') && arguments.len() == rest.len() {
        return None;
    }
    let mut place = Place::of_word(first, false);
    if first.known().is_some_and(|text| text.is_empty()) {
        return None;
    }
    for other in others {
        let text = other.known()?;
        place.known = format!("{} {text}", place.known);
        place.shown = format!("{} {text}", place.shown);
    }
    if place.anchor == Anchor::Unknown || !place.exact { None } else { Some(place) }
}
