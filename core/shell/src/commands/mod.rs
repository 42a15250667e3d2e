//! Knowledge about single programs: which options they have, what they read, write, create, remove and run. One file
//! per program; this one owns the table and the shared reading of arguments. Handlers never look at rules or folders.

mod ag;
mod apt;
mod awk;
mod aws;
mod base64;
mod basename;
mod brew;
mod cargo;
mod cat;
mod cd;
mod checksums;
mod chmod;
mod cmp;
mod column;
mod comm;
mod command_lookup;
mod cp;
mod curl;
mod cut;
mod date;
mod dd;
mod df;
mod diff;
mod docker;
mod dpkg;
mod du;
mod echo;
mod env;
mod expand;
mod fd;
mod file;
mod find;
mod fold;
mod forms;
mod gh;
mod git;
mod git_forms;
mod go;
mod gpg;
mod grep;
mod gzip;
mod head;
mod helm;
mod hexdump;
mod hostname;
mod iconv;
mod ip;
mod jobs;
mod join;
mod journalctl;
mod jq;
mod kill;
mod kubectl;
mod less;
mod ln;
mod locate;
mod ls;
mod lsof;
mod make;
mod man;
mod mkdir;
mod mktemp;
mod more;
mod mv;
mod nl;
mod node;
mod nothing;
mod npm;
mod numfmt;
mod paste;
mod patch;
mod pgrep;
mod pip;
mod pr;
mod printenv;
mod printf;
mod ps;
mod pwd;
mod python;
mod read;
mod readlink;
mod rev;
mod rg;
mod rm;
mod rmdir;
mod rustc;
mod scp;
mod sed;
mod sed_script;
mod seq;
mod set;
mod shuf;
mod sleep;
mod sort;
mod split;
mod ss;
mod ssh;
mod stat;
mod strings;
mod systemctl;
mod table;
mod tac;
mod tail;
mod tar;
mod tee;
mod terraform;
mod test;
mod touch;
mod tput;
mod tr;
mod tree;
mod truncate;
mod tsc;
mod uname;
mod uniq;
mod unzip;
mod wc;
mod wget;
mod which;
mod whoami;
mod xxd;
mod zip;

use crate::analysis::{Access, Follows};
use crate::flags::{self, OptionKind, Order, Parsed};
use crate::paths::Place;
use crate::syntax::{ExpansionKind, Piece, Word};

/// What a program does with the arguments it got.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effects {
    /// It changes nothing.
    pub read_only: bool,
    /// The paths it uses.
    pub paths: Vec<(Place, Access)>,
    /// Whether these are all the paths.
    pub complete: bool,
    /// Commands it runs, for deny rules.
    pub runs: Vec<Vec<Word>>,
    /// Its second name for rules: the words without harmless global options.
    pub normalised: Option<Vec<Word>>,
    /// The same for deny rules: without any global option.
    pub bare: Option<Vec<Word>>,
    /// It runs configured programs of its directory.
    pub trusts_directory: bool,
    /// Only a rule on the exact text may approve it: it runs or removes what it finds.
    pub exact_only: bool,
    /// A directory it goes to first (`git -C`).
    pub directory: Option<Place>,
}

impl Effects {
    /// Nothing is known: it may do anything.
    pub(crate) fn unknown() -> Self {
        Self::default()
    }

    /// It only reads and uses no path yet.
    pub(crate) fn reading() -> Self {
        Self { read_only: true, complete: true, ..Self::default() }
    }

    pub(crate) fn add(&mut self, word: &Word, access: Access, context: &Context) {
        self.paths.extend(context.places(word).into_iter().map(|place| (place, access)));
    }

    /// The current directory, read.
    pub(crate) fn add_here(&mut self) {
        self.paths.push((Place { shown: ".".to_owned(), ..Place::start() }, Access::Read));
    }

    /// Links at and below every path named so far are followed.
    pub(crate) fn follow(&mut self, follows: Follows) {
        for (place, _) in &mut self.paths {
            place.follows = place.follows.max(follows);
        }
    }

    /// The paths of options by their kind.
    pub(crate) fn add_options(&mut self, parsed: &Parsed<'_>, context: &Context) {
        for given in &parsed.options {
            let access = match given.kind {
                OptionKind::ReadPath => Access::Read,
                OptionKind::WritePath => Access::Write,
                _ => continue,
            };
            if let Some(word) = &given.value {
                self.add(word, access, context);
            }
        }
    }
}

/// What handlers may know besides the words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context {
    /// The command text sets `HOME` itself.
    pub assigned_home: bool,
    /// The variables of the loops around the command, with the words they run over.
    pub bindings: Vec<(String, Vec<Word>)>,
}

impl Context {
    /// The one path a word names.
    pub(crate) fn place(&self, word: &Word) -> Place {
        Place::of_word(word, self.assigned_home)
    }

    /// The paths a word names: several where it starts with the variable of a loop around it.
    pub(crate) fn places(&self, word: &Word) -> Vec<Place> {
        let Some(Piece::Expansion { kind: ExpansionKind::Variable(name), quoted, .. }) = word.pieces.first() else {
            return vec![self.place(word)];
        };
        let Some((_, values)) = self.bindings.iter().rev().find(|(bound, _)| bound == name) else {
            return vec![self.place(word)];
        };
        values
            .iter()
            .map(|value| {
                let fixed = value.known().is_some_and(|text| !text.contains([' ', '\t', '\n', '*', '?', '[']));
                if value.splits_freely() || !(*quoted || fixed) {
                    return Place::unknown(&word.source);
                }
                let pieces = value.pieces.iter().chain(&word.pieces[1..]).cloned().collect();
                let joined = Word { span: word.span, source: word.source.clone(), pieces };
                Place { shown: word.source.trim_matches('"').to_owned(), ..Place::of_word(&joined, self.assigned_home) }
            })
            .collect()
    }
}

/// What the operands of a program are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Operands {
    /// Paths, all with the same access; with none given, nothing (standard input).
    Paths(Access),
    /// Paths that are read; with none given, the current directory.
    PathsOrHere,
    /// Text that is only text.
    Text,
    /// None are expected: any makes the command more than reading.
    Nothing,
    /// Decided by a function of its own, after the options.
    Custom(fn(&Parsed<'_>, &Context, &mut Effects)),
}

/// One program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program {
    pub names: &'static [&'static str],
    pub options: &'static str,
    pub order: Order,
    pub operands: Operands,
    /// Options with which it follows links that it meets below its operands.
    pub follows: &'static [&'static str],
    /// With listed options it only reads.
    pub reads_only: bool,
    /// No option of it, listed or not, does more than read.
    pub any_option: bool,
    /// A reading of the words that replaces all of the above.
    pub custom: Option<fn(&[Word], &Context) -> Effects>,
}

impl Program {
    /// A reading program without options and operands, to fill in.
    pub(crate) const READER: Self = Self {
        names: &[],
        options: "",
        order: Order::Anywhere,
        operands: Operands::Paths(Access::Read),
        follows: &[],
        reads_only: true,
        any_option: false,
        custom: None,
    };
    /// A program that changes something, to fill in.
    pub(crate) const CHANGER: Self =
        Self { reads_only: false, operands: Operands::Paths(Access::Write), ..Self::READER };
}

/// What the command does, by the handler of its program; `None` where there is none.
pub(crate) fn effects(words: &[Word], context: &Context) -> Option<Effects> {
    let name = words.first()?.known()?;
    let program = table::find(crate::unwrap::base_name(&name))?;
    if let Some(custom) = program.custom {
        return Some(custom(&words[1..], context));
    }
    let parsed = flags::parse(&words[1..], program.options, program.order);
    if only_asks(&words[1..], &parsed) {
        return Some(Effects::reading());
    }
    Some(by_table(program, &parsed, context))
}

/// `--help` and `--version` alone do nothing but print.
fn only_asks(arguments: &[Word], parsed: &Parsed<'_>) -> bool {
    !parsed.uncertain && arguments.len() == 1 && matches!(arguments[0].known().as_deref(), Some("--help" | "--version"))
}

pub(crate) fn by_table(program: &Program, parsed: &Parsed<'_>, context: &Context) -> Effects {
    let understood = !parsed.unlisted && !parsed.uncertain;
    let mut effects = Effects {
        read_only: program.reads_only && (program.any_option || parsed.is_plain()),
        complete: understood,
        ..Effects::default()
    };
    if program.any_option {
        effects.read_only &= !parsed.options.iter().any(|given| {
            matches!(given.kind, OptionKind::Forbidden | OptionKind::ForbiddenValue | OptionKind::WritePath)
        });
    }
    effects.add_options(parsed, context);
    match program.operands {
        Operands::Paths(access) => {
            for word in &parsed.operands {
                effects.add(word, access, context);
            }
        }
        Operands::PathsOrHere => {
            for word in &parsed.operands {
                effects.add(word, Access::Read, context);
            }
            if parsed.operands.is_empty() {
                effects.add_here();
            }
        }
        Operands::Text => {}
        Operands::Nothing => {
            if !parsed.operands.is_empty() {
                effects.read_only = false;
                effects.complete = false;
            }
        }
        Operands::Custom(custom) => custom(parsed, context, &mut effects),
    }
    if parsed.has(program.follows) {
        effects.follow(Follows::ByOption);
    }
    effects
}
