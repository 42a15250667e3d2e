//! The 23 security checks: a second look at the text, by patterns over quote-stripped views and by the words that were
//! read. A check can only make a decision stricter. One file per check; this one owns the table and what checks see.

mod backslash_escaped_operators;
mod backslash_escaped_whitespace;
mod brace_expansion;
mod command_substitution;
mod comment_quote_desync;
mod control_characters;
mod dangerous_variables;
mod git_commit_substitution;
mod ifs_injection;
mod incomplete_commands;
mod input_redirection;
mod jq_file_arguments;
mod jq_system_function;
mod malformed_token_injection;
mod mid_word_hash;
mod newlines;
mod obfuscated_flags;
mod output_redirection;
mod proc_environ_access;
mod quoted_newline;
mod shell_metacharacters;
mod unicode_whitespace;
mod views;
mod zsh_dangerous_commands;

use std::cell::OnceCell;

use crate::analysis::{Finding, Severity, Shell};
use crate::read;
use crate::syntax::{SimpleCommand, Span, Word};
use crate::walk::{self, Site, SiteCommand};

pub use views::{QuoteViews, View, quote_views};
pub(crate) use zsh_dangerous_commands::COMMANDS as ZSH_COMMANDS;

/// What a check sees.
pub(crate) struct Subject<'s> {
    pub text: &'s str,
    /// Whether a quote stays open at the end, as the views see it.
    pub unclosed: bool,
    views: OnceCell<QuoteViews>,
    sites: &'s [Site<'s>],
    /// The ASCII characters of the text, a bit each: most checks need one that most texts do not have.
    ascii: u128,
    non_ascii: bool,
    /// Whether the text has `$'…'` quotes, whose value may have characters that the text has not.
    escapes: bool,
}

/// Something a check saw.
pub(crate) struct Hit {
    pub message: String,
    pub span: Span,
    /// Whether it needs a person even where every byte of the text is accounted for.
    pub decisive: bool,
}

impl Hit {
    /// A sight that only matters where the text could not be taken apart.
    fn doubtful(message: impl Into<String>, span: Span) -> Self {
        Self { message: message.into(), span, decisive: false }
    }

    /// A sight that always needs a person.
    fn decisive(message: impl Into<String>, span: Span) -> Self {
        Self { message: message.into(), span, decisive: true }
    }
}

/// Whether `$'…'` may stand in a text; a line continuation may stand between its first two characters.
fn has_escapes(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'$', bytes).any(|at| matches!(bytes.get(at + 1), Some(b'\'' | b'\\')))
}

/// One check.
pub(crate) struct Check {
    pub id: u8,
    pub name: &'static str,
    pub find: fn(&Subject<'_>) -> Option<Hit>,
}

/// Control characters other than the tab and the newline, a bit each.
const CONTROLS: u128 = ((1 << 32) - 1) & !(1 << b'\t') & !(1 << b'\n') | 1 << 127;

impl<'s> Subject<'s> {
    fn new(text: &'s str, sites: &'s [Site<'s>]) -> Self {
        let (mut ascii, mut non_ascii) = (0u128, false);
        for byte in text.bytes() {
            match byte {
                0..128 => ascii |= 1 << byte,
                _ => non_ascii = true,
            }
        }
        let mut subject =
            Self { text, unclosed: false, views: OnceCell::new(), sites, ascii, non_ascii, escapes: false };
        if subject.has_any(b"'\"") {
            subject.unclosed = views::leaves_quote_open(text);
            subject.escapes = has_escapes(text.as_bytes());
        }
        subject
    }

    /// Whether the text has this ASCII character.
    fn has(&self, byte: u8) -> bool {
        self.ascii & 1 << byte != 0
    }

    /// Whether it has one of these ASCII characters.
    fn has_any(&self, bytes: &[u8]) -> bool {
        bytes.iter().any(|byte| self.has(*byte))
    }

    fn has_control(&self) -> bool {
        self.ascii & CONTROLS != 0
    }

    fn has_non_ascii(&self) -> bool {
        self.non_ascii
    }

    /// Whether some word may, with its quotes resolved, have all of the characters of this ASCII text. True is a guess.
    fn may_name(&self, text: &str) -> bool {
        self.escapes || text.bytes().all(|byte| self.has(byte))
    }

    /// The quote-stripped views, made when they are first asked for.
    fn views(&self) -> &QuoteViews {
        self.views.get_or_init(|| quote_views(self.text))
    }

    /// The simple commands and tests.
    fn commands(&self) -> impl Iterator<Item = &'s SimpleCommand> + use<'s> {
        self.sites.iter().filter_map(|site| match &site.command {
            SiteCommand::Simple(simple) | SiteCommand::Test(simple) => Some(*simple),
            SiteCommand::Redirects(_) => None,
        })
    }

    /// The first match of a pattern in a view.
    fn first(&self, view: &View, pattern: &regex::Regex) -> Option<Span> {
        pattern
            .find(&view.text)
            .map(|found| Span::new(view.offset(found.start()), view.offset(found.end().saturating_sub(1)) + 1))
    }

    /// The commands whose program has one of these base names, with the words after the name. Wrappers are looked past.
    fn programs(
        &self,
        names: &'static [&'static str],
    ) -> impl Iterator<Item = (&'s SimpleCommand, &'s [Word])> + use<'s> {
        self.commands().filter_map(move |command| {
            let at =
                command.words.iter().take(8).position(|word| {
                    word.known().is_some_and(|name| names.contains(&crate::unwrap::base_name(&name)))
                })?;
            Some((command, &command.words[at + 1..]))
        })
    }
}

/// The table, by number.
const CHECKS: [Check; 23] = [
    incomplete_commands::CHECK,
    jq_system_function::CHECK,
    jq_file_arguments::CHECK,
    obfuscated_flags::CHECK,
    shell_metacharacters::CHECK,
    dangerous_variables::CHECK,
    newlines::CHECK,
    command_substitution::CHECK,
    input_redirection::CHECK,
    output_redirection::CHECK,
    ifs_injection::CHECK,
    git_commit_substitution::CHECK,
    proc_environ_access::CHECK,
    malformed_token_injection::CHECK,
    backslash_escaped_whitespace::CHECK,
    brace_expansion::CHECK,
    control_characters::CHECK,
    unicode_whitespace::CHECK,
    mid_word_hash::CHECK,
    zsh_dangerous_commands::CHECK,
    backslash_escaped_operators::CHECK,
    comment_quote_desync::CHECK,
    quoted_newline::CHECK,
];

/// The checks and what they saw. `simple` says that the own reading accounts for every byte: then only decisive sights
/// ask for a person.
pub(crate) fn run(text: &str, sites: &[Site<'_>], simple: bool) -> Vec<Finding> {
    let subject = Subject::new(text, sites);
    CHECKS
        .iter()
        .filter_map(|check| {
            let hit = (check.find)(&subject)?;
            let severity = if hit.decisive || !simple { Severity::Ask } else { Severity::Notice };
            Some(Finding { id: check.id, name: check.name, message: hit.message, span: hit.span, severity })
        })
        .collect()
}

/// Runs the checks alone, as if the text could not be taken apart: every finding then asks for a person.
pub fn security_checks(text: &str, shell: Shell) -> Vec<Finding> {
    let program = read::read_program(text, shell);
    let sites = walk::sites(&program);
    run(text, &sites, false)
}
