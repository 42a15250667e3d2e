//! Calls whose subject is a shell command: every part on its own, then the strictest. Owns how rules, paths and hard
//! limits come together for a command; the analysis itself is the shell crate's.

use std::path::Path;

use toolreeve_shell::{Analysis, CommandFacts, Finding, Origin, ParseOutcome, Severity, resolve};

use super::places::{self, Searches, Target};
use super::scripts;
use super::{allow_by, allows_tool, ask, hard, paths};
use crate::decision::{Behavior, Decision, Reason, ReasonKind};
use crate::mode::{self, PermissionMode};
use crate::policy::Policy;
use crate::query::{Access, Query};
use crate::source::SourcedRule;
use crate::suggest;

/// Judges a command. The children are the decisions of `analysis.commands`, in the same order.
pub(super) fn judge(policy: &Policy, query: &Query<'_>, analysis: &Analysis) -> Decision {
    let searches = Searches::new(policy, analysis.shell);
    let call = Call { policy, tool: query.tool, analysis, searches };
    let children: Vec<Decision> = analysis.commands.iter().map(|command| call.part(command)).collect();
    let mut decision = call.together(&children);
    if is_soft(&decision) {
        let asked = || children.iter().filter(|child| child.behavior == Behavior::Ask);
        let only_whole = !call.is_taken_apart() || asked().any(|child| child.suggestions.is_empty());
        decision.suggestions = match only_whole {
            true => suggest::for_text(query.tool, &analysis.text).into_iter().collect(),
            false => suggest::joined(asked().flat_map(|child| &child.suggestions)),
        };
    }
    decision.children = children;
    decision
}

struct Call<'a> {
    policy: &'a Policy,
    tool: &'a str,
    analysis: &'a Analysis,
    searches: Searches<'a>,
}

/// The files that a rule on a command must not write silently.
enum Written {
    Covered,
    Refused(Decision),
}

impl<'a> Call<'a> {
    /// The decision for the whole text.
    fn together(&self, children: &[Decision]) -> Decision {
        if let Some(sourced) = self.rule_on_whole_text(Behavior::Deny) {
            return self.forbidden(sourced, Behavior::Deny, &self.analysis.text);
        }
        let worst = children.iter().max_by_key(|child| weight(child)).filter(|child| child.behavior != Behavior::Allow);
        if let Some(worst) = worst.filter(|worst| worst.behavior == Behavior::Deny || is_hard(worst.reason.kind)) {
            return above(worst);
        }
        if let Some(sourced) = self.rule_on_whole_text(Behavior::Ask) {
            return self.forbidden(sourced, Behavior::Ask, &self.analysis.text);
        }
        if worst.is_some_and(|worst| worst.reason.kind == ReasonKind::ProtectedPath) {
            return worst.map_or_else(|| ask(ReasonKind::NoRule, "no rule covers it"), above);
        }
        if self.policy.mode != PermissionMode::Plan
            && let Some(sourced) = self.exact_allow()
        {
            return allow_by(sourced);
        }
        match &self.analysis.outcome {
            ParseOutcome::Simple => {}
            ParseOutcome::TooComplex { reason, span } => {
                let message = format!("the command could not be taken apart with certainty: {reason}");
                let span = Some((span.start, span.end));
                return Decision { span, ..ask(ReasonKind::TooComplex, message) };
            }
            ParseOutcome::Unavailable { reason } => {
                let message = format!("the command could not be parsed: {reason}");
                return ask(ReasonKind::ParseUnavailable, message);
            }
        }
        if let Some(finding) = self.asking_finding() {
            let mut decision = ask(ReasonKind::Check, format!("{} ({})", finding.message, finding.name));
            decision.reason.check = Some(finding.id);
            decision.span = Some((finding.span.start, finding.span.end));
            return decision;
        }
        if let Some(worst) = worst {
            return above(worst);
        }
        match children {
            [] => ask(ReasonKind::NoRule, "the command has no part that could be judged"),
            [only] => Decision { part: None, ..above(only) },
            _ => children
                .iter()
                .find(|child| child.reason.kind != ReasonKind::ReadOnly)
                .map_or_else(read_only, |child| Decision::new(Behavior::Allow, child.reason.clone())),
        }
    }

    fn asking_finding(&self) -> Option<&'a Finding> {
        self.analysis.findings.iter().find(|finding| finding.severity == Severity::Ask)
    }

    /// Whether rules on single parts can answer for the whole.
    fn is_taken_apart(&self) -> bool {
        self.analysis.is_simple() && self.asking_finding().is_none()
    }

    /// The decision for one part.
    fn part(&self, command: &CommandFacts) -> Decision {
        let mut decision = self.decide(command);
        decision.part = Some(shown(command));
        decision.span = Some((command.span.start, command.span.end));
        if is_soft(&decision) {
            decision.suggestions = self.missing(command).unwrap_or_default();
        }
        decision
    }

    fn decide(&self, command: &CommandFacts) -> Decision {
        let targets = self.targets(command);
        if let Some(sourced) = self.rule_on_views(Behavior::Deny, command) {
            return self.forbidden(sourced, Behavior::Deny, &shown(command));
        }
        let by_path = self.path_rules(Behavior::Deny, command, &targets);
        if let Some(denied) = by_path.as_ref().filter(|decision| decision.behavior == Behavior::Deny) {
            return denied.clone();
        }
        if let Some(critical) = self.critical(command, &targets) {
            return critical;
        }
        if let Some(asked) = by_path {
            return asked;
        }
        if let Some(sourced) = self.rule_on_views(Behavior::Ask, command) {
            return self.forbidden(sourced, Behavior::Ask, &shown(command));
        }
        if let Some(asked) = self.path_rules(Behavior::Ask, command, &targets) {
            return asked;
        }
        for (path, target) in &targets {
            if access(path) == Access::Write
                && let Some(why) = hard::protected(target)
            {
                return Decision { blocked_path: Some(target.absolute()), ..ask(ReasonKind::ProtectedPath, why) };
            }
        }
        self.permitted(command, &targets)
    }

    /// What the paths of a part stand for, with the links that they reach.
    fn targets<'c>(&self, command: &'c CommandFacts) -> Vec<(&'c toolreeve_shell::PathUse, Target)> {
        command
            .paths
            .iter()
            .flat_map(|path| self.searches.targets(path).into_iter().map(move |target| (path, target)))
            .collect()
    }

    /// The question about a loss that nothing approves silently.
    fn critical(&self, command: &CommandFacts, targets: &[(&toolreeve_shell::PathUse, Target)]) -> Option<Decision> {
        let removals = command.removals.iter().find_map(|removal| {
            Some((Target::of_use(self.policy, &removal.path), hard::critical(self.policy, removal)?))
        });
        let (target, why) = removals.or_else(|| {
            let mut written = targets.iter().filter(|(path, _)| access(path) == Access::Write);
            written.find_map(|(_, target)| Some((target.clone(), hard::device(target)?)))
        })?;
        Some(Decision { blocked_path: Some(target.absolute()), ..ask(ReasonKind::CriticalPath, why) })
    }

    /// Whether something lets the part run: an allow rule, that it only reads, the mode.
    fn permitted(&self, command: &CommandFacts, targets: &[(&toolreeve_shell::PathUse, Target)]) -> Decision {
        let plan = self.policy.mode == PermissionMode::Plan;
        if command.read_only || command.only_redirects_write {
            let rule = self.allow_rule(command);
            if let Some(refused) = self.read_targets(rule.is_some(), command, targets) {
                return refused;
            }
            if let Written::Refused(decision) = self.written(command, targets, rule.is_some_and(is_whole_tool)) {
                return decision;
            }
            if plan && !command.read_only {
                return self.plan_asks(command);
            }
            return rule.map_or_else(read_only, allow_by);
        }
        if plan {
            return self.plan_asks(command);
        }
        if let Some(sourced) = self.allow_rule(command) {
            if let Some(refused) = self.read_targets(true, command, targets) {
                return refused;
            }
            return match self.written(command, targets, is_whole_tool(sourced)) {
                Written::Refused(decision) => decision,
                Written::Covered => allow_by(sourced),
            };
        }
        if self.policy.mode == PermissionMode::AcceptEdits && mode::is_simple_edit(command) {
            if let Some(refused) = self.read_targets(false, command, targets) {
                return refused;
            }
            return match self.written(command, targets, true) {
                Written::Refused(decision) => decision,
                Written::Covered => {
                    let message =
                        "acceptEdits mode lets simple file commands through inside of the allowed directories";
                    Decision::new(Behavior::Allow, Reason::new(ReasonKind::Mode, message))
                }
            };
        }
        if command.argv.is_empty() && command.env.iter().all(|assignment| assignment.safe) && !command.env.is_empty() {
            return read_only();
        }
        ask(ReasonKind::NoRule, format!("no rule covers `{}`", shown(command)))
    }

    fn plan_asks(&self, command: &CommandFacts) -> Decision {
        ask(ReasonKind::Mode, format!("plan mode only reads, and `{}` may do more", shown(command)))
    }

    /// Where a part must not read unasked. A rule that covers the command covers its arguments, but not a file that a
    /// redirection opens.
    fn read_targets(
        &self,
        by_rule: bool,
        command: &CommandFacts,
        targets: &[(&toolreeve_shell::PathUse, Target)],
    ) -> Option<Decision> {
        for (path, target) in targets {
            let free = access(path) == Access::Write
                || (by_rule && path.origin == Origin::Argument)
                || target.is_harmless_device()
                || self.may_read(target);
            if !free {
                return Some(Self::outside(target));
            }
        }
        if !by_rule && command.trusts_directory && !self.runs_at_start(command) {
            let message = format!(
                "`{}` runs programs that the configuration of its folder names, and it may run in another folder",
                shown(command)
            );
            return Some(ask(ReasonKind::NoRule, message));
        }
        None
    }

    /// Whether a place may be read unasked. Of a link, both ends must be: each in an open folder or covered by a rule.
    fn may_read(&self, target: &Target) -> bool {
        let free = |target: &Target| {
            places::is_readable(self.policy, target)
                || paths::allowing(self.policy, Access::Read, self.tool, target).is_some()
        };
        free(target) || target.parts().is_some_and(|parts| parts.iter().all(free))
    }

    fn runs_at_start(&self, command: &CommandFacts) -> bool {
        let cwd = self.policy.cwd.to_string_lossy();
        let home = self.policy.home.as_ref().map(|home| home.to_string_lossy());
        command.directories.iter().all(|place| {
            resolve(place, &cwd, home.as_deref()).is_some_and(|resolved| {
                resolved.exact && places::clean(self.policy.cwd.as_path()) == Path::new(&resolved.path)
            })
        })
    }

    /// Whether every file that the part writes may be written. `any_inside` says that writing inside of the allowed
    /// directories is covered, by redirections too.
    fn written(
        &self,
        command: &CommandFacts,
        targets: &[(&toolreeve_shell::PathUse, Target)],
        any_inside: bool,
    ) -> Written {
        let any_inside = any_inside || self.policy.mode == PermissionMode::AcceptEdits;
        for (path, target) in targets {
            if access(path) == Access::Read || target.is_harmless_device() {
                continue;
            }
            if paths::allowing(self.policy, Access::Write, self.tool, target).is_some() {
                continue;
            }
            // What a pattern matches may be a link that leads out, so the target of a redirection must be a plain path.
            let is_guess = path.origin == Origin::Redirect && target.known.as_ref().is_some_and(|known| !known.exact);
            if is_guess || !places::is_inside(self.policy, target) {
                return Written::Refused(Self::outside(target));
            }
            if path.origin == Origin::Redirect && !any_inside {
                let message = format!(
                    "no rule covers writing {}, which `{}` does by a redirection",
                    target.absolute(),
                    shown(command)
                );
                let blocked_path = Some(target.absolute());
                return Written::Refused(Decision { blocked_path, ..ask(ReasonKind::NoRule, message) });
            }
        }
        Written::Covered
    }

    fn outside(target: &Target) -> Decision {
        let message = match &target.known {
            Some(known) if known.path != known.real => format!(
                "{} leads to {}, which lies outside of the allowed directories",
                target.absolute(),
                known.real.display()
            ),
            Some(_) => format!("{} lies outside of the allowed directories", target.absolute()),
            None if target.unseen => format!(
                "not all that `{}` reaches could be looked at, so a link may lead out of the allowed directories",
                target.shown
            ),
            None => format!(
                "nobody knows what `{}` stands for, so it may lie outside of the allowed directories",
                target.shown
            ),
        };
        Decision { blocked_path: Some(target.absolute()), ..ask(ReasonKind::OutsideDirectory, message) }
    }

    /// The allow rules that are missing for a part; `None` where only a rule for the whole text would do.
    fn missing(&self, command: &CommandFacts) -> Option<Vec<String>> {
        let reads = command.read_only || command.only_redirects_write;
        let rule = self.allow_rule(command);
        let mut missing = Vec::new();
        let targets = self.targets(command);
        let unknown_argument = targets.iter().any(|(path, target)| {
            target.known.is_none() && access(path) == Access::Read && path.origin == Origin::Argument
        });
        let moved = command.trusts_directory && !self.runs_at_start(command);
        let needs_rule = rule.is_none() && (!reads || unknown_argument || moved);
        for (path, target) in &targets {
            let covered = match access(path) {
                Access::Read => {
                    (path.origin == Origin::Argument && (rule.is_some() || needs_rule)) || self.may_read(target)
                }
                Access::Write => {
                    let by_rule = rule.is_some_and(is_whole_tool) || self.policy.mode == PermissionMode::AcceptEdits;
                    paths::allowing(self.policy, Access::Write, self.tool, target).is_some()
                        || (places::is_inside(self.policy, target) && (path.origin == Origin::Argument || by_rule))
                }
            };
            if covered || target.is_harmless_device() {
                continue;
            }
            // Of a link inside, the rule that is missing is one for where it leads.
            let parts = target.parts().filter(|_| access(path) == Access::Read);
            let target = match &parts {
                Some([link, real]) if self.may_read(link) => real,
                _ => target,
            };
            let known = target.known.as_ref()?;
            let lists = matches!(command.program.as_deref(), Some("cd" | "ls" | "find" | "tree" | "du" | "rg" | "fd"));
            missing.extend(suggest::for_path(access(path), &target.absolute(), !known.exact || lists));
        }
        if needs_rule {
            missing.extend(match command.exact_only {
                true => suggest::for_text(self.tool, &command.text),
                false => suggest::for_command(self.tool, command),
            });
        }
        (!missing.is_empty()).then_some(missing)
    }

    /// Deny and ask rules on the paths that a part uses.
    fn path_rules(
        &self,
        behavior: Behavior,
        command: &CommandFacts,
        targets: &[(&toolreeve_shell::PathUse, Target)],
    ) -> Option<Decision> {
        let kind = if behavior == Behavior::Deny { ReasonKind::RuleDeny } else { ReasonKind::RuleAsk };
        let verb = if behavior == Behavior::Deny { "denies" } else { "asks about" };
        for (path, target) in targets {
            if let Some(sourced) = paths::matching(self.policy, behavior, access(path), self.tool, target) {
                let message = format!("the rule {} {verb} {}", sourced.rule.text(), target.absolute());
                let reason = Reason::of_rule(kind, message, sourced);
                return Some(Decision { blocked_path: Some(target.absolute()), ..Decision::new(behavior, reason) });
            }
        }
        for word in scripts::possible_files(command) {
            let target = Target::of_text(self.policy, word);
            if let Some(sourced) = paths::matching(self.policy, behavior, Access::Read, self.tool, &target) {
                let message = format!(
                    "`{}` may use {}, which the rule {} {verb}",
                    shown(command),
                    target.absolute(),
                    sourced.rule.text()
                );
                let reason = Reason::of_rule(kind, message, sourced);
                return Some(Decision {
                    blocked_path: Some(target.absolute()),
                    ..Decision::new(Behavior::Ask, reason)
                });
            }
        }
        let below = scripts::reads_below(command);
        for (path, target) in targets {
            let exact = target.known.as_ref().is_some_and(|known| known.exact);
            let may_name = |name: &str| {
                let by_pattern = !exact && (target.known.is_none() || scripts::pattern_may_name(&path.path, name));
                let by_walk = access(path) == Access::Read && below.as_ref().is_some_and(|below| below.may_read(name));
                by_pattern || by_walk
            };
            if exact && (below.is_none() || access(path) == Access::Write) {
                continue;
            }
            if let Some(sourced) = paths::reachable(self.policy, behavior, access(path), self.tool, target, may_name) {
                let message = format!("`{}` may reach what the rule {} {verb}", shown(command), sourced.rule.text());
                let reason = Reason::of_rule(kind, message, sourced);
                return Some(Decision {
                    blocked_path: Some(target.absolute()),
                    ..Decision::new(Behavior::Ask, reason)
                });
            }
        }
        None
    }

    /// The names that rules on this call may carry.
    fn rule_tools(&self, behavior: Behavior) -> impl Iterator<Item = &'a str> {
        let bash = self.tool != "Bash" && (behavior != Behavior::Allow || crate::tools::covers("Bash", self.tool));
        std::iter::once(self.tool).chain(bash.then_some("Bash"))
    }

    /// A deny or ask rule that matches one of the texts of a part.
    fn rule_on_views(&self, behavior: Behavior, command: &CommandFacts) -> Option<&'a SourcedRule> {
        let rules = self.policy.rules(behavior);
        command.deny_views.iter().find_map(|view| {
            self.rule_tools(behavior)
                .find_map(|tool| rules.for_command(tool, view).find(|sourced| matches_text(sourced, view)))
        })
    }

    /// A deny or ask rule on the text as a whole: an exact text, or a pattern that has an operator of the shell in it.
    fn rule_on_whole_text(&self, behavior: Behavior) -> Option<&'a SourcedRule> {
        let text = self.analysis.text.as_str();
        let by_text = self.rule_tools(behavior).find_map(|tool| {
            self.policy.rules(behavior).for_command(tool, text).find(|sourced| {
                let content = sourced.rule.compiled();
                let spans = content.is_some_and(|content| {
                    content.pattern.is_exact() || content.text.contains(['|', '&', ';', '<', '>', '\n'])
                });
                spans && matches_text(sourced, text)
            })
        });
        by_text.or_else(|| match self.analysis.outcome {
            ParseOutcome::Unavailable { .. } => self.rule_on_pieces(behavior, text),
            _ => None,
        })
    }

    /// Rules tried on the pieces of a text that could not be parsed, cut at every operator. It can only tighten.
    fn rule_on_pieces(&self, behavior: Behavior, text: &str) -> Option<&'a SourcedRule> {
        let rules = self.policy.rules(behavior);
        text.split(['|', '&', ';', '\n', '(', ')', '{', '}', '`']).find_map(|piece| {
            let piece = piece.trim();
            let bare = piece.trim_start_matches(|c: char| !c.is_alphanumeric());
            [piece, bare].into_iter().find_map(|view| {
                self.rule_tools(behavior)
                    .find_map(|tool| rules.for_command(tool, view).find(|sourced| matches_text(sourced, view)))
            })
        })
    }

    /// The allow rule for exactly this text, whatever it does.
    fn exact_allow(&self) -> Option<&'a SourcedRule> {
        let text = self.analysis.text.as_str();
        self.rule_tools(Behavior::Allow).find_map(|tool| {
            self.policy
                .allow
                .for_command(tool, text)
                .find(|sourced| sourced.rule.compiled().and_then(|content| content.pattern.exact()) == Some(text))
        })
    }

    /// The allow rule that covers a part.
    fn allow_rule(&self, command: &CommandFacts) -> Option<&'a SourcedRule> {
        // A rule for the whole tool covers redirections too, so a narrower rule beside it must not
        // be the one that answers.
        if let Some(whole) = allows_tool(self.policy, self.tool) {
            return Some(whole);
        }
        let exact_only = command.exact_only;
        command.allow_views.iter().filter(|view| !view.is_empty()).find_map(|view| {
            self.rule_tools(Behavior::Allow).find_map(|tool| {
                self.policy.allow.for_command(tool, view).find(|sourced| {
                    let Some(content) = sourced.rule.compiled() else { return false };
                    let start = content.pattern.literal_start();
                    let names_assignments = command
                        .env
                        .iter()
                        .all(|assignment| assignment.safe || start.contains(&format!("{}=", assignment.name)));
                    let wide = content.pattern.is_exact() || (!exact_only && names_assignments);
                    wide && content.pattern.matches(view) && !(self.is_auto() && mode::is_broad(&content.text))
                })
            })
        })
    }

    fn is_auto(&self) -> bool {
        self.policy.mode == PermissionMode::Auto
    }

    fn forbidden(&self, sourced: &SourcedRule, behavior: Behavior, text: &str) -> Decision {
        let (kind, verb) = match behavior {
            Behavior::Deny => (ReasonKind::RuleDeny, "denies"),
            _ => (ReasonKind::RuleAsk, "asks about"),
        };
        let message = format!("the rule {} {verb} `{text}`", sourced.rule.text());
        Decision::new(behavior, Reason::of_rule(kind, message, sourced))
    }
}

fn is_whole_tool(sourced: &SourcedRule) -> bool {
    sourced.rule.content().is_none()
}

fn matches_text(sourced: &SourcedRule, text: &str) -> bool {
    sourced.rule.compiled().is_some_and(|content| content.pattern.matches(text))
}

fn access(path: &toolreeve_shell::PathUse) -> Access {
    match path.access {
        toolreeve_shell::Access::Read => Access::Read,
        toolreeve_shell::Access::Write | toolreeve_shell::Access::Create | toolreeve_shell::Access::Remove => {
            Access::Write
        }
    }
}

fn read_only() -> Decision {
    Decision::new(
        Behavior::Allow,
        Reason::new(ReasonKind::ReadOnly, "it only reads, inside of the allowed directories"),
    )
}

/// What a question or a denial of a part means for the whole.
fn above(worst: &Decision) -> Decision {
    Decision { part: None, span: worst.span, children: Vec::new(), suggestions: Vec::new(), ..worst.clone() }
}

/// Questions that an allow rule can answer.
fn is_soft(decision: &Decision) -> bool {
    let kinds = [
        ReasonKind::NoRule,
        ReasonKind::OutsideDirectory,
        ReasonKind::TooComplex,
        ReasonKind::ParseUnavailable,
        ReasonKind::Check,
    ];
    decision.behavior == Behavior::Ask && kinds.contains(&decision.reason.kind)
}

/// Questions that neither an exact rule nor anything but a person answers.
fn is_hard(kind: ReasonKind) -> bool {
    matches!(kind, ReasonKind::CriticalPath | ReasonKind::RuleAsk | ReasonKind::RuleDeny)
}

/// The order of parts: the strictest behaviour, and among equals the reason that says most.
fn weight(decision: &Decision) -> (Behavior, u8) {
    let kind = match decision.reason.kind {
        ReasonKind::CriticalPath => 6,
        ReasonKind::RuleDeny => 5,
        ReasonKind::RuleAsk => 4,
        ReasonKind::ProtectedPath => 3,
        ReasonKind::Mode => 2,
        ReasonKind::OutsideDirectory => 1,
        _ => 0,
    };
    (decision.behavior, kind)
}

/// The text of a part for people; a bare redirection has no words.
fn shown(command: &CommandFacts) -> String {
    if !command.text.is_empty() {
        return command.text.clone();
    }
    let redirects: Vec<String> =
        command.redirects.iter().map(|redirect| format!("{} {}", redirect.op, redirect.target.text())).collect();
    redirects.join(" ")
}
