//! `toolreeve check --explain`: how a decision came about, as a tree for people. Owns the layout. What would have decided
//! otherwise is not guessed but found out, by deciding again with the change.

use std::io::{self, Write};

use toolreeve_permission::{Behavior, Decision, PermissionMode, Policy, Reason, ReasonKind, RuleSource};
use toolreeve_shell::{Access, Arg, CommandFacts, Origin, ParseOutcome, PathUse, Severity, resolve};

use super::input::Case;
use super::report::role;
use crate::check::Judged;
use crate::cli::style::{Role, Style, excerpt, underlined};

/// Longer values are cut to this many columns.
const VALUE_COLUMNS: usize = 160;
/// Longer messages and rules are cut to this many columns.
const MESSAGE_COLUMNS: usize = 600;
/// Of a longer text only this many lines are shown; of more parts only so many.
const SHOWN_LINES: usize = 40;

/// A text on one line, visible and not too long.
fn shown(text: &str) -> String {
    excerpt(text, MESSAGE_COLUMNS)
}

/// Explains one case.
pub(super) fn write(case: &Case, style: Style, out: &mut dyn Write) -> io::Result<()> {
    match &case.outcome {
        Ok(judged) => Page { judged, style, out }.all(&case.label),
        Err(problem) => {
            let field = problem.field.as_ref().map(|field| format!("{}: ", shown(field))).unwrap_or_default();
            writeln!(out, "{} {field}{}", style.paint(Role::Deny, "error"), shown(&problem.message))
        }
    }
}

struct Page<'a> {
    judged: &'a Judged,
    style: Style,
    out: &'a mut dyn Write,
}

impl Page<'_> {
    fn all(mut self, label: &str) -> io::Result<()> {
        let decision = &self.judged.decision;
        if !label.is_empty() {
            write!(self.out, "{}: ", shown(label))?;
        }
        writeln!(self.out, "{}: {}", self.behavior(decision.behavior), shown(&decision.reason.message))?;
        self.text()?;
        self.setting()?;
        self.parse()?;
        self.commands()?;
        self.checks()?;
        self.decision()?;
        self.otherwise()?;
        self.suggestions()
    }

    fn behavior(&self, behavior: Behavior) -> String {
        self.style.paint(role(behavior), behavior.as_str())
    }

    fn title(&mut self, title: &str) -> io::Result<()> {
        writeln!(self.out, "\n{}", self.style.paint(Role::Title, title))
    }

    fn field(&mut self, name: &str, value: &str) -> io::Result<()> {
        writeln!(self.out, "     {} {value}", self.style.paint(Role::Dim, &format!("{name:<11}")))
    }

    /// The place in the text, underlined.
    fn place(&mut self, start: usize, end: usize, role: Role) -> io::Result<()> {
        let (line, carets) = underlined(&self.judged.request.command, start, end);
        writeln!(self.out, "     {line}")?;
        let at = carets.len() - carets.trim_start().len();
        writeln!(self.out, "     {}{}", &carets[..at], self.style.paint(role, carets.trim_start()))
    }

    fn text(&mut self) -> io::Result<()> {
        self.title("text")?;
        let command = &self.judged.request.command;
        for line in command.lines().take(SHOWN_LINES) {
            writeln!(self.out, "  │ {}", excerpt(line, VALUE_COLUMNS))?;
        }
        match command.lines().count() {
            0 => writeln!(self.out, "  │"),
            lines if lines > SHOWN_LINES => writeln!(self.out, "  │ … {} lines more", lines - SHOWN_LINES),
            _ => Ok(()),
        }
    }

    fn setting(&mut self) -> io::Result<()> {
        let policy = &self.judged.request.policy;
        let home = policy.home.as_ref().map_or("not known".to_owned(), |home| home.display().to_string());
        self.field("directory", &shown(&policy.cwd.display().to_string()))?;
        self.field("home", &shown(&home))?;
        for dir in &policy.additional_directories {
            self.field("also", &shown(&dir.display().to_string()))?;
        }
        let sandbox = if policy.sandboxed { ", inside of a sandbox" } else { "" };
        self.field("mode", &format!("{}{sandbox}", mode_name(policy.mode)))?;
        let counts = [Behavior::Deny, Behavior::Ask, Behavior::Allow]
            .map(|behavior| format!("{} {}", policy.rules(behavior).len(), behavior.as_str()));
        self.field("rules", &counts.join(", "))
    }

    fn parse(&mut self) -> io::Result<()> {
        let analysis = &self.judged.analysis;
        let shell = format!("{:?}", analysis.shell).to_lowercase();
        self.title("parse")?;
        match &analysis.outcome {
            ParseOutcome::Simple => {
                writeln!(self.out, "  simple: {shell} runs the commands below and writes their files, nothing else")
            }
            ParseOutcome::TooComplex { reason, span } => {
                writeln!(self.out, "  too complex: {}; {shell} may do more than is listed below", shown(reason))?;
                self.place(span.start, span.end, Role::Ask)
            }
            ParseOutcome::Unavailable { reason } => {
                writeln!(self.out, "  not parsed: {}; what it does is not known", shown(reason))
            }
        }
    }

    fn commands(&mut self) -> io::Result<()> {
        let analysis = &self.judged.analysis;
        if analysis.commands.is_empty() {
            return Ok(());
        }
        self.title("commands")?;
        for (at, command) in analysis.commands.iter().enumerate().take(SHOWN_LINES) {
            let own = self.judged.decision.children.get(at);
            self.command(at + 1, command, own)?;
        }
        match analysis.commands.len().saturating_sub(SHOWN_LINES) {
            0 => Ok(()),
            more => writeln!(self.out, "  … {more} commands more"),
        }
    }

    fn command(&mut self, number: usize, command: &CommandFacts, own: Option<&Decision>) -> io::Result<()> {
        let text = if command.text.is_empty() { "(only a redirection or an assignment)" } else { &command.text };
        let nested =
            if command.nested { self.style.paint(Role::Dim, " (inside of a substitution)") } else { String::new() };
        let verdict = own.map(|own| format!("{}: ", self.behavior(own.behavior))).unwrap_or_default();
        writeln!(
            self.out,
            " {number:>2}. {verdict}{}{nested}",
            self.style.paint(Role::Title, &excerpt(text, VALUE_COLUMNS))
        )?;
        if command.stripped != command.text {
            self.field("as rules see", &excerpt(&command.stripped, VALUE_COLUMNS))?;
        }
        if !command.argv.is_empty() {
            let words: Vec<String> = command.argv.iter().take(SHOWN_LINES).map(|word| self.word(word)).collect();
            let more = command.argv.len().saturating_sub(SHOWN_LINES);
            let more = if more > 0 { format!("  … {more} more") } else { String::new() };
            self.field("words", &format!("{}{more}", words.join("  ")))?;
        }
        for assignment in &command.env {
            let safe =
                if assignment.safe { "harmless: allow rules look past it" } else { "allow rules do not look past it" };
            let value = self.word(&assignment.value);
            self.field("sets", &format!("{}={value}  {}", shown(&assignment.name), self.style.paint(Role::Dim, safe)))?;
        }
        for redirect in &command.redirects {
            let fd = redirect.fd.map(|fd| fd.to_string()).unwrap_or_default();
            let effect = if redirect.writes { "  (writes a file)" } else { "" };
            let target = self.word(&redirect.target);
            self.field("redirects", &format!("{fd}{} {target}{effect}", redirect.op))?;
        }
        for path in command.paths.iter().take(SHOWN_LINES) {
            let text = self.path(path);
            self.field("path", &text)?;
        }
        let reads = match command.read_only {
            true => "yes".to_owned(),
            false => format!("no: {}", why_not_read_only(command)),
        };
        self.field("read-only", &reads)?;
        match own {
            Some(own) => {
                let text = self.reason(&own.reason);
                self.field("decision", &text)
            }
            None => Ok(()),
        }
    }

    fn word(&self, word: &Arg) -> String {
        match word {
            Arg::Known(value) if value.is_empty() || value.contains([' ', '\t', '\n', '\'', '"']) => {
                format!("«{}»", excerpt(value, VALUE_COLUMNS))
            }
            Arg::Known(value) => excerpt(value, VALUE_COLUMNS),
            Arg::Unknown { source } => {
                format!(
                    "{}{}",
                    self.style.paint(Role::Ask, &excerpt(source, VALUE_COLUMNS)),
                    self.style.paint(Role::Dim, " (unknown)")
                )
            }
        }
    }

    fn path(&self, path: &PathUse) -> String {
        let access = match path.access {
            Access::Read => "reads",
            Access::Write => "writes",
            Access::Create => "creates",
            Access::Remove => "removes",
        };
        let policy = &self.judged.request.policy;
        let home = policy.home.as_ref().map(|home| home.to_string_lossy());
        let place = match resolve(path, &policy.cwd.to_string_lossy(), home.as_deref()) {
            Some(place) if place.exact => shown(&place.path),
            Some(place) => format!("at or below {}", shown(&place.path)),
            None => "a place nobody knows".to_owned(),
        };
        let by = if path.origin == Origin::Redirect { ", by a redirection" } else { "" };
        format!("{access} {}  ({place}{by})", self.style.paint(Role::Mark, &excerpt(&path.path, VALUE_COLUMNS)))
    }

    fn checks(&mut self) -> io::Result<()> {
        let findings = &self.judged.analysis.findings;
        if !findings.is_empty() {
            self.title("checks")?;
        }
        for finding in findings {
            let (role, weight) = match finding.severity {
                Severity::Ask => (Role::Ask, "asks"),
                Severity::Notice => (Role::Dim, "only noted"),
            };
            let name = self.style.paint(role, &format!("{} {}", finding.id, finding.name));
            writeln!(self.out, "  {name} ({weight}): {}", shown(&finding.message))?;
            self.place(finding.span.start, finding.span.end, role)?;
        }
        for (at, warning) in self.judged.analysis.destructive_warnings.iter().enumerate() {
            if at == 0 {
                self.title("warnings")?;
            }
            writeln!(self.out, "  {}", shown(warning.message))?;
        }
        Ok(())
    }

    fn decision(&mut self) -> io::Result<()> {
        let decision = &self.judged.decision;
        self.title("decision")?;
        let text = self.reason(&decision.reason);
        writeln!(self.out, "  {}: {text}", self.behavior(decision.behavior))?;
        if decision.behavior != Behavior::Allow
            && let Some((start, end)) = decision.span
        {
            self.place(start, end, role(decision.behavior))?;
        }
        if let Some(path) = &decision.blocked_path {
            writeln!(self.out, "  in the way: {}", self.style.paint(Role::Mark, &shown(path)))?;
        }
        let children = &decision.children;
        if children.len() > 1 {
            let count = children.len().min(SHOWN_LINES);
            for (at, child) in children.iter().take(count).enumerate() {
                let branch = if at + 1 == count { "└─" } else { "├─" };
                let part = excerpt(child.part.as_deref().unwrap_or(""), 60);
                let text = self.reason(&child.reason);
                writeln!(self.out, "  {branch} {}: {part}  {}", self.behavior(child.behavior), text)?;
            }
        }
        Ok(())
    }

    /// The step, the message, the rule and its source.
    fn reason(&self, reason: &Reason) -> String {
        let mut text = format!(
            "{} {}",
            shown(&reason.message),
            self.style.paint(Role::Dim, &format!("[{}, {}]", reason.kind.as_str(), step(reason.kind)))
        );
        if let Some(rule) = &reason.rule {
            let source = reason.source.map(|source| format!(" from {}", source_name(source))).unwrap_or_default();
            text.push_str(&format!(" rule {}{source}", self.style.paint(Role::Mark, &excerpt(rule, MESSAGE_COLUMNS))));
        }
        text
    }

    /// What would have decided otherwise, found out by deciding again.
    fn otherwise(&mut self) -> io::Result<()> {
        let Judged { request, analysis, decision } = self.judged;
        let mut found: Vec<(String, Decision)> = Vec::new();
        let mut attempt = |what: String, change: &dyn Fn(&mut Policy)| {
            let mut policy = request.policy.clone();
            change(&mut policy);
            let other = request.decide(analysis, &policy);
            if other.behavior != decision.behavior {
                found.push((what, other));
            }
        };
        for rule in rules_of(decision) {
            attempt(format!("without the rule {}", excerpt(rule, VALUE_COLUMNS)), &|policy| {
                for behavior in [Behavior::Allow, Behavior::Ask, Behavior::Deny] {
                    policy.rules_mut(behavior).retain(|sourced| sourced.rule.text() != rule);
                }
            });
        }
        if !decision.suggestions.is_empty() {
            let rules: Vec<String> = decision.suggestions.iter().map(|rule| excerpt(rule, VALUE_COLUMNS)).collect();
            attempt(format!("with the allow rules {}", rules.join(", ")), &|policy| {
                for rule in &decision.suggestions {
                    // A suggestion is a rule; one that is not would change nothing here and not be listed.
                    let _ = policy.add(Behavior::Allow, rule, RuleSource::Session);
                }
            });
        }
        use PermissionMode::{AcceptEdits, BypassPermissions, Default, Plan};
        for mode in
            [Default, AcceptEdits, Plan, BypassPermissions].into_iter().filter(|mode| *mode != request.policy.mode)
        {
            attempt(format!("in the mode {}", mode_name(mode)), &|policy| policy.mode = mode);
        }
        self.title("otherwise")?;
        if found.is_empty() {
            return writeln!(self.out, "  nothing here would: not a mode, and no rule that could be saved");
        }
        for (what, other) in found {
            writeln!(self.out, "  {what}: {} ({})", self.behavior(other.behavior), shown(&other.reason.message))?;
        }
        Ok(())
    }

    fn suggestions(&mut self) -> io::Result<()> {
        let suggestions = &self.judged.decision.suggestions;
        if !suggestions.is_empty() {
            self.title("suggested allow rules")?;
        }
        for rule in suggestions {
            writeln!(self.out, "  {}", self.style.paint(Role::Mark, &excerpt(rule, MESSAGE_COLUMNS)))?;
        }
        Ok(())
    }
}

/// The rules that a decision and its parts name, each once.
fn rules_of(decision: &Decision) -> Vec<&str> {
    let mut rules: Vec<&str> = Vec::new();
    for decision in decision.walk() {
        if let Some(rule) = decision.reason.rule.as_deref()
            && !rules.contains(&rule)
        {
            rules.push(rule);
        }
    }
    rules.truncate(5);
    rules
}

/// Which step of the documented order speaks with this reason.
fn step(kind: ReasonKind) -> &'static str {
    match kind {
        ReasonKind::CriticalPath | ReasonKind::ProtectedPath => "step 1: hard limits",
        ReasonKind::RuleDeny => "step 2: deny rules",
        ReasonKind::RuleAsk => "step 4: ask rules",
        ReasonKind::Hook => "step 5: hooks",
        ReasonKind::Tool => "step 6: the tool",
        ReasonKind::Mode => "step 7: the mode",
        ReasonKind::RuleAllow | ReasonKind::ReadOnly => "step 8: what is allowed",
        ReasonKind::Classifier => "step 9: the classifier",
        _ => "step 10: nothing before allows it, so a person decides",
    }
}

fn source_name(source: RuleSource) -> &'static str {
    match source {
        RuleSource::UserSettings => "the user's settings",
        RuleSource::ProjectSettings => "the project's settings",
        RuleSource::LocalSettings => "the project's private settings",
        RuleSource::FlagSettings => "a settings file named on the command line",
        RuleSource::PolicySettings => "the organisation's settings",
        RuleSource::CliArg => "the command line",
        RuleSource::Command => "a command or skill",
        RuleSource::Session => "this session",
    }
}

fn mode_name(mode: PermissionMode) -> String {
    serde_json::to_value(mode).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What keeps a command from counting as one that only reads.
fn why_not_read_only(command: &CommandFacts) -> String {
    let changed: Vec<String> = command
        .paths
        .iter()
        .filter(|path| path.access != Access::Read)
        .take(3)
        .map(|path| excerpt(&path.path, 60))
        .collect();
    if !changed.is_empty() {
        return format!("it changes {}", changed.join(", "));
    }
    if command.redirects.iter().any(|redirect| redirect.writes) {
        return "a redirection writes a file".to_owned();
    }
    if command.argv.is_empty() {
        return "it sets variables for what follows".to_owned();
    }
    match &command.program {
        None => "which program runs is not known".to_owned(),
        Some(program) if command.exact_only => {
            format!("{} runs or removes whatever it finds, so only its exact text can be allowed", shown(program))
        }
        Some(program) if !command.paths_complete => {
            format!("{} with these words is not known well enough to say what it touches", shown(program))
        }
        Some(program) => format!("{} with these words may change something", shown(program)),
    }
}
