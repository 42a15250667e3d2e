//! The steps of an analysis in order: limits, reading, walking the syntax, the facts of every command, the outcome.
//! Owns the limits and the outcome; knowledge about shells and programs sits in the modules it calls.

use crate::analysis::{Analysis, Collapse, ParseOutcome, Shell};
use crate::facts;
use crate::read;
use crate::syntax::{Issue, Span};
use crate::tree::{self, Opinion};
use crate::walk::{self, Site};
use crate::{checks, collapse, destructive, links, removals, zsh};

/// Longer command texts are never simple; deny rules still see their commands.
pub const MAX_COMMAND_CHARS: usize = 10_000;
/// More commands than this are never simple; all of them are still listed for deny rules.
pub const MAX_PARTS: usize = 50;
/// Longer texts are not taken apart at all.
pub const MAX_PARSE_BYTES: usize = 1_000_000;

/// Takes a command text apart. The answer depends on nothing but the text and the shell.
pub fn analyze(command: &str, shell: Shell) -> Analysis {
    analyze_nested(command, shell, 0)
}

/// The same for a text inside of another (`bash -c '…'`), `level` deep.
pub(crate) fn analyze_nested(command: &str, shell: Shell, level: usize) -> Analysis {
    let text = command.trim_matches([' ', '\t', '\n']);
    let mut analysis = Analysis {
        shell,
        text: text.to_owned(),
        outcome: ParseOutcome::Simple,
        commands: Vec::new(),
        findings: Vec::new(),
        destructive_warnings: Vec::new(),
        collapse: Collapse::default(),
        read_only: false,
    };
    if command.len() > MAX_PARSE_BYTES {
        analysis.outcome = ParseOutcome::Unavailable { reason: "the command is too long to be parsed".to_owned() };
        return analysis;
    }
    let mut program = read::read_program(command, shell);
    let mut issues = std::mem::take(&mut program.issues);
    if shell == Shell::Zsh {
        zsh::add_issues(command, &mut issues);
    }
    let whole = Span::new(0, command.len());
    if text.is_empty() {
        issues.push(Issue { reason: "the command is empty", span: whole });
    }
    if command.chars().nth(MAX_COMMAND_CHARS).is_some() {
        issues.push(Issue { reason: "the command is longer than 10,000 characters", span: whole });
    }
    let sites: Vec<Site<'_>> = walk::sites(&program);
    if sites.len() > MAX_PARTS {
        issues.push(Issue { reason: "the command has more than 50 parts", span: whole });
    }
    let context = facts::context(&sites);
    let assigned = facts::assigned(&sites);
    let mut listed = Vec::with_capacity(sites.len());
    for site in &sites {
        let context = facts::context_at(site, &context, &assigned);
        listed.push(facts::of(site, &context, shell, level, &mut issues));
    }
    links::forget_paths_through(&mut listed);
    if level == 0 {
        removals::note(&program, &sites, shell, &mut listed);
    }
    analysis.destructive_warnings = destructive::all(&listed);
    analysis.commands = listed.into_iter().map(|(facts, _)| facts).collect();
    if issues.is_empty() {
        match tree::second_opinion(command, &program) {
            Opinion::Agrees => {}
            Opinion::Differs(at) => {
                issues.push(Issue {
                    reason: "two readings of it differ",
                    span: Span::new(at, (at + 1).min(command.len())),
                });
            }
            Opinion::Unavailable => {
                analysis.outcome = ParseOutcome::Unavailable { reason: "the parser is not available".to_owned() };
                return analysis;
            }
        }
    }
    if level == 0 {
        analysis.findings = checks::run(command, &sites, issues.is_empty());
    }
    if let Some(issue) = issues.first() {
        analysis.outcome = ParseOutcome::TooComplex { reason: issue.reason.to_owned(), span: issue.span };
    } else {
        analysis.collapse = collapse::classify(&analysis.commands);
        analysis.read_only = analysis.commands.iter().all(|command| command.read_only);
    }
    analysis
}
