//! The formats of a report and what they have in common: the remarks about a case. Owns text, JSON and JSON lines; the
//! larger formats have files of their own. Every format is written as the cases come, so memory does not grow with them.

use std::io::{self, Write};

use serde_json::Value;
use toolreeve_permission::{Behavior, Reason};
use toolreeve_shell::Severity;

use super::input::Case;
use super::junit::Junit;
use super::sarif::Sarif;
use super::{FailOn, catalogue, explain};
use crate::check::{Judged, with_id};
use crate::cli::style::{Role, Style, excerpt, line_and_column, visible};

/// A longer command is cut to this many columns.
const COMMAND_COLUMNS: usize = 160;
/// A longer message or rule is cut to this many columns.
const MESSAGE_COLUMNS: usize = 600;

/// A report in one of the formats.
pub(super) enum Report {
    Text { style: Style, many: bool, fail_on: FailOn },
    Explain { style: Style, first: bool },
    Json { many: bool, first: bool },
    Jsonl,
    Sarif(Sarif),
    Junit(Box<Junit>),
}

impl Report {
    pub(super) fn text(style: Style, many: bool, fail_on: FailOn) -> Self {
        Self::Text { style, many, fail_on }
    }

    pub(super) fn explain(style: Style) -> Self {
        Self::Explain { style, first: true }
    }

    pub(super) fn json(many: bool) -> Self {
        Self::Json { many, first: true }
    }

    pub(super) fn jsonl() -> Self {
        Self::Jsonl
    }

    pub(super) fn sarif() -> Self {
        Self::Sarif(Sarif::default())
    }

    pub(super) fn junit() -> io::Result<Self> {
        Ok(Self::Junit(Box::new(Junit::new()?)))
    }

    /// What stands in front of the cases.
    pub(super) fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Json { many: true, .. } => out.write_all(b"["),
            Self::Sarif(sarif) => sarif.begin(out),
            _ => Ok(()),
        }
    }

    /// One case.
    pub(super) fn case(&mut self, case: &Case, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text { style, many, fail_on } => text(case, *style, *many, *fail_on, out)?,
            Self::Explain { style, first } => {
                if !std::mem::take(first) {
                    out.write_all(b"\n")?;
                }
                explain::write(case, *style, out)?;
            }
            Self::Json { many, first } => {
                let between = match (*many, std::mem::take(first)) {
                    (true, true) => "\n",
                    (true, false) => ",\n",
                    (false, _) => "",
                };
                out.write_all(between.as_bytes())?;
                serde_json::to_writer_pretty(&mut *out, &answer(case))?;
            }
            Self::Jsonl => {
                serde_json::to_writer(&mut *out, &answer(case))?;
                out.write_all(b"\n")?;
            }
            Self::Sarif(sarif) => sarif.case(case, out)?,
            // Nothing leaves before the end.
            Self::Junit(junit) => return junit.case(case),
        }
        // Each answer leaves at once: who asks may wait for it before the next request.
        out.flush()
    }

    /// What stands behind the cases.
    pub(super) fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Json { many, .. } => out.write_all(if *many { b"\n]\n" } else { b"\n" })?,
            Self::Sarif(sarif) => sarif.end(out)?,
            Self::Junit(junit) => junit.end(out)?,
            _ => {}
        }
        out.flush()
    }
}

/// The answer object of a case.
fn answer(case: &Case) -> Value {
    let answer = match &case.outcome {
        Ok(judged) => judged.answer(),
        Err(problem) => problem.to_value(),
    };
    with_id(case.id.as_ref(), answer)
}

/// Something that stands against letting a command run, with its place.
pub(super) struct Remark<'a> {
    /// The stable name of what speaks: a kind of reason, or `check-7`.
    pub(super) rule: String,
    pub(super) behavior: Behavior,
    pub(super) message: &'a str,
    /// The permission rule behind it.
    pub(super) by: Option<&'a str>,
    /// Bytes of the command; the whole of it where nothing nearer is known.
    pub(super) span: (usize, usize),
}

/// Everything that stands against letting the command run, in the order of the text; nothing for one that may run.
pub(super) fn remarks<'a>(judged: &'a Judged) -> Vec<Remark<'a>> {
    let decision = &judged.decision;
    if decision.behavior == Behavior::Allow {
        return Vec::new();
    }
    let whole = (0, judged.request.command.len());
    let remark = |behavior, reason: &'a Reason, span: Option<(usize, usize)>| Remark {
        rule: reason.check.map_or_else(|| reason.kind.as_str().to_owned(), catalogue::check_rule),
        behavior,
        message: &reason.message,
        by: reason.rule.as_deref(),
        span: span.unwrap_or(whole),
    };
    let mut all: Vec<Remark<'_>> = decision
        .children
        .iter()
        .filter(|child| child.behavior != Behavior::Allow)
        .map(|child| remark(child.behavior, &child.reason, child.span))
        .collect();
    let first = remark(decision.behavior, &decision.reason, decision.span);
    let said =
        |all: &[Remark<'_>], new: &Remark<'_>| all.iter().any(|old| old.rule == new.rule && old.message == new.message);
    if !said(&all, &first) {
        all.push(first);
    }
    for finding in judged.analysis.findings.iter().filter(|finding| finding.severity == Severity::Ask) {
        let rule = catalogue::check_rule(finding.id);
        if !all.iter().any(|old| old.rule == rule) {
            let span = (finding.span.start, finding.span.end);
            all.push(Remark { rule, behavior: Behavior::Ask, message: &finding.message, by: None, span });
        }
    }
    all.sort_by_key(|remark| remark.span.0);
    all
}

/// The colour of a behaviour.
pub(super) fn role(behavior: Behavior) -> Role {
    match behavior {
        Behavior::Allow => Role::Allow,
        Behavior::Ask => Role::Ask,
        Behavior::Deny => Role::Deny,
    }
}

fn text(case: &Case, style: Style, many: bool, fail_on: FailOn, out: &mut dyn Write) -> io::Result<()> {
    let label = match many {
        true => format!("{}: ", style.paint(Role::Title, &visible(&case.label))),
        false => String::new(),
    };
    let judged = match &case.outcome {
        Ok(judged) => judged,
        Err(problem) => {
            let field = problem.field.as_ref().map(|field| format!("{}: ", visible(field))).unwrap_or_default();
            return writeln!(out, "{label}{}: {field}{}", style.paint(Role::Deny, "error"), visible(&problem.message));
        }
    };
    let decision = &judged.decision;
    let command = match &case.file {
        Some(_) => excerpt(&decision.reason.message, MESSAGE_COLUMNS),
        None => excerpt(judged.request.command.trim(), COMMAND_COLUMNS),
    };
    writeln!(out, "{label}{}: {command}", style.paint(role(decision.behavior), decision.behavior.as_str()))?;
    let mut remarks = remarks(judged);
    if case.file.is_some() && remarks.iter().any(|remark| fail_on.counts(remark)) {
        // Of a script that fails only what makes it fail is of interest.
        remarks.retain(|remark| fail_on.counts(remark));
    }
    if remarks.is_empty() && case.file.is_none() {
        writeln!(
            out,
            "  {} {}",
            excerpt(&decision.reason.message, MESSAGE_COLUMNS),
            kind(style, decision.reason.kind.as_str())
        )?;
    }
    for remark in &remarks {
        let place = match &case.file {
            Some(file) => {
                let (line, column) = line_and_column(&judged.request.command, remark.span.0);
                format!("{}:{line}:{column}: {}: ", visible(file), remark.behavior.as_str())
            }
            None => String::new(),
        };
        writeln!(out, "  {place}{} {}", excerpt(remark.message, MESSAGE_COLUMNS), kind(style, &remark.rule))?;
    }
    for warning in &judged.analysis.destructive_warnings {
        writeln!(out, "  warning: {}", visible(warning.message))?;
    }
    if case.file.is_none() && !decision.suggestions.is_empty() {
        let rules: Vec<String> =
            decision.suggestions.iter().map(|rule| style.paint(Role::Mark, &excerpt(rule, MESSAGE_COLUMNS))).collect();
        writeln!(out, "  to allow it: {}", rules.join(", "))?;
    }
    Ok(())
}

fn kind(style: Style, slug: &str) -> String {
    style.paint(Role::Dim, &format!("[{slug}]"))
}
