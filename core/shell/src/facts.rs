//! The facts of one simple command: its texts for rules, its values, what its program does and where. Owns how the
//! reading, the wrappers, the builtins and the handlers come together.

use std::borrow::Cow;

use crate::analysis::{Access, Anchor, Arg, CommandFacts, EnvAssignment, Origin, PathUse, RedirectFacts, Shell};
use crate::commands::{self, Context, Effects};
use crate::paths::Place;
use crate::safe_env::is_safe_env;
use crate::syntax::{Assignment, Issue, Redirect, RedirectOp, SimpleCommand, Span, Word};
use crate::unwrap::{self, MAX_LAYERS};
use crate::views;
use crate::walk::{Site, SiteCommand, cd_target, is_move};
use crate::{builtins, read, upstream};

/// Files that swallow everything, produce nothing, or are a descriptor that is open anyway.
const NULL_DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr"];

/// What the whole text says about every command in it.
pub(crate) fn context(sites: &[Site<'_>]) -> Context {
    let assigned_home = sites.iter().any(|site| match &site.command {
        SiteCommand::Simple(simple) => {
            simple.assignments.iter().any(|assignment| assignment.name == "HOME")
                || simple
                    .words
                    .iter()
                    .any(|word| word.fixed_prefix() == "HOME" || word.fixed_prefix().starts_with("HOME="))
        }
        _ => false,
    });
    Context { assigned_home, bindings: Vec::new() }
}

/// Every variable that the text assigns by other means than a loop.
pub(crate) fn assigned(sites: &[Site<'_>]) -> Vec<String> {
    let mut names = Vec::new();
    for site in sites {
        if let SiteCommand::Simple(simple) = &site.command {
            names.extend(simple.assignments.iter().map(|assignment| assignment.name.clone()));
            let program = simple.words.first().and_then(Word::known);
            if matches!(program.as_deref(), Some("read" | "export" | "printf" | "getopts")) {
                names.extend(
                    simple.words.iter().map(|word| word.fixed_prefix().split('=').next().unwrap_or("").to_owned()),
                );
            }
        }
    }
    names
}

/// The context of one site: with the loops around it whose variable nothing else assigns.
pub(crate) fn context_at(site: &Site<'_>, shared: &Context, assigned: &[String]) -> Context {
    let bindings = site
        .bindings
        .iter()
        .filter(|(name, _)| !assigned.iter().any(|other| other == name))
        .map(|(name, words)| ((*name).to_owned(), words.to_vec()))
        .collect();
    Context { bindings, ..shared.clone() }
}

/// The facts of a site, and the words of its effective program for warnings.
pub(crate) fn of(
    site: &Site<'_>,
    context: &Context,
    shell: Shell,
    level: usize,
    issues: &mut Vec<Issue>,
) -> (CommandFacts, Vec<String>) {
    match &site.command {
        SiteCommand::Simple(simple) => simple_facts(simple, site, context, shell, level, issues),
        SiteCommand::Test(simple) => {
            let mut facts = blank(site, simple.span);
            facts.text = joined(&simple.words);
            facts.stripped = facts.text.clone();
            facts.argv = simple.words.iter().map(arg).collect();
            facts.program = Some("[[".to_owned());
            facts.read_only = true;
            facts.paths_complete = true;
            facts.allow_views = vec![facts.text.clone()];
            facts.deny_views = vec![facts.text.clone()];
            add_redirects(&mut facts, &simple.redirects, site, context, issues);
            (facts, Vec::new())
        }
        SiteCommand::Redirects(redirects) => {
            let span = redirects.first().map_or_else(Span::default, |redirect| redirect.span);
            let mut facts = blank(site, span);
            facts.read_only = true;
            facts.paths_complete = true;
            add_redirects(&mut facts, redirects, site, context, issues);
            (facts, Vec::new())
        }
    }
}

fn blank(site: &Site<'_>, span: Span) -> CommandFacts {
    CommandFacts {
        text: String::new(),
        stripped: String::new(),
        allow_views: Vec::new(),
        deny_views: Vec::new(),
        argv: Vec::new(),
        env: Vec::new(),
        redirects: Vec::new(),
        program: None,
        read_only: false,
        only_redirects_write: false,
        paths: Vec::new(),
        removals: Vec::new(),
        paths_complete: false,
        prefix: None,
        changes_directory: false,
        directories: site
            .directories
            .iter()
            .map(|place| place.clone().into_use(Access::Read, Origin::Argument))
            .collect(),
        trusts_directory: false,
        exact_only: false,
        nested: site.nested,
        span,
    }
}

pub(crate) fn arg(word: &Word) -> Arg {
    match word.known() {
        Some(value) => Arg::Known(value.into_owned()),
        None => Arg::Unknown { source: word.source.clone() },
    }
}

/// The words as written, joined by single blanks.
pub(crate) fn joined(words: &[Word]) -> String {
    let mut out = String::with_capacity(words.iter().map(|word| word.source.len() + 1).sum());
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(&word.source);
    }
    out
}

fn simple_facts(
    simple: &SimpleCommand,
    site: &Site<'_>,
    context: &Context,
    shell: Shell,
    level: usize,
    issues: &mut Vec<Issue>,
) -> (CommandFacts, Vec<String>) {
    let mut facts = blank(site, simple.span);
    facts.env = simple.assignments.iter().map(environment).collect();
    facts.argv = simple.words.iter().map(arg).collect();
    let assignments: Vec<&str> = simple.assignments.iter().map(|assignment| assignment.source.as_str()).collect();
    let words_text = joined(&simple.words);
    facts.text = match (assignments.is_empty(), words_text.is_empty()) {
        (true, _) => words_text.clone(),
        (false, true) => assignments.join(" "),
        (false, false) => format!("{} {words_text}", assignments.join(" ")),
    };
    for assignment in &simple.assignments {
        assignment_issue(assignment, simple.words.is_empty(), issues);
    }
    facts.stripped = facts.text.clone();
    facts.allow_views = vec![facts.text.clone()];
    let mut effective = Vec::new();
    if simple.words.is_empty() {
        // Only redirections: harmless in itself. An assignment changes the shell for what follows.
        facts.read_only = simple.assignments.is_empty();
        facts.paths_complete = true;
        if !facts.text.is_empty() {
            facts.deny_views = vec![facts.text.clone()];
        }
    } else {
        effective = program_facts(&mut facts, simple, site, context, shell, level, issues);
    }
    add_redirects(&mut facts, &simple.redirects, site, context, issues);
    facts.allow_views.dedup();
    (facts, effective)
}

fn environment(assignment: &Assignment) -> EnvAssignment {
    let value = arg(&assignment.value);
    let safe = !assignment.append && value.known().is_some() && is_safe_env(&assignment.name);
    EnvAssignment { name: assignment.name.clone(), value, safe }
}

fn assignment_issue(assignment: &Assignment, alone: bool, issues: &mut Vec<Issue>) {
    if alone && builtins::is_special_variable(&assignment.name) {
        issues.push(Issue { reason: "it changes a variable that matters to the shell", span: assignment.span });
    }
}

/// Everything that depends on the program; returns the words of the innermost one.
fn program_facts(
    facts: &mut CommandFacts,
    simple: &SimpleCommand,
    site: &Site<'_>,
    context: &Context,
    shell: Shell,
    level: usize,
    issues: &mut Vec<Issue>,
) -> Vec<String> {
    let env_safe = facts.env.iter().all(|assignment| assignment.safe);
    // The words of the program behind the wrappers looked through so far are the last ones of these.
    let mut all = Cow::Borrowed(simple.words.as_slice());
    let mut from = 0;
    let mut stripping = env_safe;
    let mut harmless_wrappers = true;
    let mut appended = false;
    if env_safe && !facts.env.is_empty() {
        facts.stripped = joined(&simple.words);
    }
    for _ in 0..MAX_LAYERS {
        let words = &all[from..];
        check_name(words, simple.span, issues);
        let Some(inner) = unwrap::inner(words) else { break };
        facts.exact_only |= unwrap::needs_exact_rule(words);
        let appends = words.first().and_then(Word::known).is_some_and(|name| unwrap::base_name(&name) == "xargs");
        harmless_wrappers &= inner.strippable || appends;
        stripping &= inner.strippable;
        for (word, access) in &inner.files {
            for place in context.places(word) {
                add_path(facts, &place, *access, Origin::Argument, site);
            }
        }
        if stripping {
            facts.stripped = joined(inner.words);
        }
        from = all.len() - inner.words.len();
        if appends {
            appended = true;
            all.to_mut().push(unwrap::unknown_word(simple.span));
        }
    }
    let words = &all[from..];
    let name = words.first().and_then(Word::known);
    facts.program = name.as_deref().map(|name| unwrap::base_name(name).to_owned());
    let effects = commands::effects(words, context).unwrap_or_else(Effects::unknown);
    let by_name = name.as_deref().is_some_and(|name| !name.contains('/'));
    facts.read_only = effects.read_only && by_name && env_safe && harmless_wrappers;
    facts.paths_complete = effects.complete && by_name;
    facts.trusts_directory = effects.trusts_directory;
    facts.exact_only |= effects.exact_only;
    facts.changes_directory = name.as_deref().is_some_and(is_move);
    if let Some(directory) = &effects.directory {
        facts.directories = site
            .directories
            .iter()
            .map(|start| directory.under(start).as_directory().into_use(Access::Read, Origin::Argument))
            .collect();
    }
    if name.as_deref() == Some("cd") {
        cd_paths(facts, words, site);
    } else {
        let from_pipe = if appended { upstream::names(&site.upstream, context) } else { None };
        for (place, access) in &effects.paths {
            match &from_pipe {
                Some(names) if place.anchor == Anchor::Unknown && place.shown == unwrap::APPENDED => {
                    for name in names {
                        add_path(facts, name, *access, Origin::Argument, site);
                    }
                }
                _ => add_path(facts, place, *access, Origin::Argument, site),
            }
        }
    }
    facts.prefix = views::prefix(facts, words, &effects, stripping);
    facts.allow_views.push(facts.stripped.clone());
    if stripping && let Some(normalised) = &effects.normalised {
        facts.allow_views.push(joined(normalised));
    }
    facts.deny_views = views::deny(facts, &simple.words, &effects, context, shell, level);
    words.iter().skip(1).map(|word| word.known_or_source().into_owned()).collect()
}

fn cd_paths(facts: &mut CommandFacts, words: &[Word], site: &Site<'_>) {
    facts.read_only &= true;
    let target = cd_target(&words[1..]).unwrap_or_else(|| Place::unknown(&joined(&words[1..])));
    // Only the first possibility: if an earlier `cd` failed, this one moves from the start, which reads nothing.
    let from = site.directories.first().cloned().unwrap_or_else(Place::start);
    facts.paths.push(target.under(&from).into_use(Access::Read, Origin::Argument));
}

fn add_path(facts: &mut CommandFacts, place: &Place, access: Access, origin: Origin, site: &Site<'_>) {
    if place.exact && NULL_DEVICES.contains(&place.known.as_str()) {
        return;
    }
    for directory in &site.directories {
        let found: PathUse = place.under(directory).into_use(access, origin);
        if !facts.paths.contains(&found) {
            facts.paths.push(found);
        }
    }
}

/// A command's name must be fixed and plain: anything else may be another program than the text shows.
fn check_name(words: &[Word], span: Span, issues: &mut Vec<Issue>) {
    let Some(word) = words.first() else { return };
    let Some(name) = word.known() else {
        issues.push(Issue { reason: "the name of the program is not fixed", span });
        return;
    };
    let plain = name.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b':' | b',' | b'@' | b'[')
    });
    if name.is_empty()
        || !plain
        || name.starts_with('-')
        || name.starts_with('+')
        || (name.contains('[') && name != "[")
    {
        issues.push(Issue { reason: "the name of the program is unusual", span });
        return;
    }
    if read::RESERVED.contains(&&*name) && word.bare().is_some() {
        issues.push(Issue { reason: "a reserved word stands where a program is expected", span });
        return;
    }
    if let Some(reason) = builtins::evaluates(&name, &words[1..]) {
        // `command x` and `builtin x` are looked through; what they run is checked in its own turn.
        if matches!(&*name, "command" | "builtin") && unwrap::inner(words).is_some_and(|inner| inner.strippable) {
            return;
        }
        issues.push(Issue { reason, span });
    }
}

fn add_redirects(
    facts: &mut CommandFacts,
    redirects: &[Redirect],
    site: &Site<'_>,
    context: &Context,
    issues: &mut Vec<Issue>,
) {
    let read_only = facts.read_only;
    for redirect in redirects {
        let place = context.place(&redirect.target);
        let file = matches!(redirect.op, RedirectOp::Read) || redirect.op.writes();
        let null = place.exact && NULL_DEVICES.contains(&place.known.as_str());
        let writes = redirect.op.writes() && !null;
        facts.redirects.push(RedirectFacts {
            op: redirect.op.as_str(),
            target: arg(&redirect.target),
            fd: redirect.fd,
            writes,
        });
        if file && !null {
            if place.shown.starts_with("/dev/tcp/") || place.shown.starts_with("/dev/udp/") {
                issues.push(Issue { reason: "a redirection opens a network connection", span: redirect.span });
            }
            if writes {
                facts.read_only = false;
                facts.only_redirects_write = read_only;
                add_path(facts, &place, Access::Write, Origin::Redirect, site);
            }
            if matches!(redirect.op, RedirectOp::Read | RedirectOp::ReadWrite) {
                add_path(facts, &place, Access::Read, Origin::Redirect, site);
            }
        }
    }
}
