//! What must hold for all rules and calls: stricter rules never loosen, order does not matter, rules print as they parse.

use proptest::prelude::*;
use toolreeve_permission::{
    Behavior, Decision, HookVerdict, OwnCheck, PermissionMode, Policy, Query, Reason, ReasonKind, Rule, RuleSource,
    evaluate,
};

use crate::support::{bash, bash_with, file, file_with, policy};

const COMMANDS: &[&str] = &[
    "ls",
    "cat a",
    "cat .env",
    "cat /etc/hosts",
    "npm test",
    "npm run build && npm test",
    "git push",
    "git -C sub push",
    "cd sub && npm test",
    "rm -rf /",
    "rm -r build",
    "echo x > a",
    "echo x > .git/config",
    "grep -r x .",
    "cat *",
    "timeout 5 npm test",
    "FOO=1 npm test",
    "eval \"$x\"",
    "find . -delete",
    "sudo npm test",
    "cp a /tmp/b",
    "a; b; c",
    "echo $(npm test)",
    "cat < .env",
    "bash -c 'npm test'",
];
const FILES: &[(&str, &str)] = &[
    ("Read", "/home/u/project/a"),
    ("Read", "/home/u/project/.env"),
    ("Read", "/etc/hosts"),
    ("Grep", "/home/u/project"),
    ("Edit", "/home/u/project/a"),
    ("Write", "/home/u/project/sub/b"),
    ("Edit", "/home/u/project/.git/config"),
    ("Write", "/etc/x"),
    ("NotebookEdit", "/home/u/project/a"),
];
const RULES: &[&str] = &[
    "Bash",
    "Bash(npm:*)",
    "Bash(npm test:*)",
    "Bash(npm run *)",
    "Bash(git push)",
    "Bash(* test)",
    "Bash(git*)",
    "Bash(ls)",
    "Bash(cat *)",
    "Bash(a)",
    "Bash(rm:*)",
    "Bash(eval \"$x\")",
    "Bash(find:*)",
    "Bash(cp:*)",
    "Bash(echo:*)",
    "B*",
    "*",
    "Read",
    "Read(./.env)",
    "Read(.env)",
    "Read(//etc/**)",
    "Read(/sub/**)",
    "Read(~/project/a)",
    "Read(**)",
    "Edit",
    "Edit(./a)",
    "Edit(//tmp/**)",
    "Edit(sub/**)",
    "Edit(.git/**)",
    "Write",
    "Write(./a)",
    "Grep",
    "NotebookEdit",
    "Bash(command:x)",
    "Read(limit:5)",
];

fn rules() -> impl Strategy<Value = Vec<(Behavior, &'static str, RuleSource)>> {
    let behavior = prop_oneof![Just(Behavior::Allow), Just(Behavior::Ask), Just(Behavior::Deny)];
    let source = prop_oneof![
        Just(RuleSource::UserSettings),
        Just(RuleSource::ProjectSettings),
        Just(RuleSource::PolicySettings),
        Just(RuleSource::Session)
    ];
    prop::collection::vec((behavior, prop::sample::select(RULES), source), 0..6)
}

fn rules_sources() -> impl Strategy<Value = Vec<RuleSource>> {
    use RuleSource::{
        CliArg, Command, FlagSettings, LocalSettings, PolicySettings, ProjectSettings, Session, UserSettings,
    };
    let all =
        &[UserSettings, ProjectSettings, LocalSettings, FlagSettings, PolicySettings, CliArg, Command, Session][..];
    prop::collection::vec(prop::sample::select(all), 6)
}

fn modes() -> impl Strategy<Value = PermissionMode> {
    prop_oneof![
        Just(PermissionMode::Default),
        Just(PermissionMode::AcceptEdits),
        Just(PermissionMode::Plan),
        Just(PermissionMode::Auto),
        Just(PermissionMode::DontAsk),
        Just(PermissionMode::BypassPermissions)
    ]
}

fn build(rules: &[(Behavior, &str, RuleSource)], mode: PermissionMode) -> Policy {
    let mut policy = Policy { mode, ..policy(&[]) };
    for (behavior, rule, source) in rules {
        policy.add(*behavior, rule, *source).unwrap();
    }
    policy
}

/// A command or a file tool on a path, with what others say about it.
#[derive(Debug, Clone)]
struct Call {
    tool: &'static str,
    subject: String,
    /// The PreToolUse hooks, merged.
    hook: Option<Behavior>,
    /// The tool itself.
    own: Option<Behavior>,
    needs_person: bool,
}

fn calls() -> impl Strategy<Value = Call> {
    let subject = prop_oneof![
        2 => prop::sample::select(COMMANDS).prop_map(|command| ("Bash", command.to_owned())),
        2 => command_text().prop_map(|command| ("Bash", command)),
        1 => prop::sample::select(FILES).prop_map(|(tool, path)| (tool, path.to_owned())),
    ];
    (subject, verdicts(), verdicts(), prop::bool::weighted(0.1))
        .prop_map(|((tool, subject), hook, own, needs_person)| Call { tool, subject, hook, own, needs_person })
}

/// Mostly nothing.
fn verdicts() -> impl Strategy<Value = Option<Behavior>> {
    prop_oneof![4 => Just(None), 1 => behaviors().prop_map(Some)]
}

fn behaviors() -> impl Strategy<Value = Behavior> {
    prop_oneof![Just(Behavior::Allow), Just(Behavior::Ask), Just(Behavior::Deny)]
}

fn judge(policy: &Policy, call: &Call) -> Decision {
    let with = |query: &mut Query<'_>| {
        query.hook = call.hook.map(|behavior| HookVerdict { behavior, message: "the hook says so".to_owned() });
        let reason = Reason::new(ReasonKind::Tool, "the tool says so");
        query.own = match call.own {
            None => OwnCheck::Pass,
            Some(Behavior::Allow) => OwnCheck::Allow(reason),
            Some(Behavior::Ask) => OwnCheck::Ask(reason),
            Some(Behavior::Deny) => OwnCheck::Deny(reason),
        };
        query.requires_interaction = call.needs_person;
    };
    match call.tool {
        "Bash" => bash_with(policy, &call.subject, with),
        tool => file_with(policy, tool, &call.subject, with),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_deny_or_ask_rule_never_loosens(
        rules in rules(), mode in modes(), call in calls(), extra in prop::sample::select(RULES), deny: bool, at in 0usize..6,
    ) {
        let behavior = if deny { Behavior::Deny } else { Behavior::Ask };
        let mut more = rules.clone();
        more.insert(at.min(more.len()), (behavior, extra, RuleSource::Session));
        let (before, after) = (judge(&build(&rules, mode), &call), judge(&build(&more, mode), &call));
        prop_assert!(after.behavior >= before.behavior, "{call:?}: {extra} as {behavior:?}: {before:?} became {after:?}");
    }

    #[test]
    fn an_allow_rule_never_tightens(
        rules in rules(), mode in modes(), call in calls(), extra in prop::sample::select(RULES),
    ) {
        let mut more = rules.clone();
        more.push((Behavior::Allow, extra, RuleSource::Session));
        let (before, after) = (judge(&build(&rules, mode), &call), judge(&build(&more, mode), &call));
        prop_assert!(after.behavior <= before.behavior, "{call:?}: {extra}: {before:?} became {after:?}");
    }

    #[test]
    fn the_order_of_rules_does_not_matter(rules in rules(), mode in modes(), call in calls(), seed in any::<u64>()) {
        let mut shuffled = rules.clone();
        let mut state = seed;
        for at in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            shuffled.swap(at, (state >> 33) as usize % (at + 1));
        }
        let (one, other) = (judge(&build(&rules, mode), &call), judge(&build(&shuffled, mode), &call));
        prop_assert_eq!(one.behavior, other.behavior, "{:?}: {:?} and {:?}", call, one, other);
    }

    #[test]
    fn where_a_rule_stands_does_not_matter(rules in rules(), mode in modes(), call in calls(), sources in rules_sources()) {
        // But for patterns that start at the directory of their source.
        let rules: Vec<_> = rules.into_iter().filter(|(_, rule, _)| !rule.contains("(/sub")).collect();
        let moved: Vec<_> = rules.iter().zip(&sources).map(|(&(behavior, rule, _), &source)| (behavior, rule, source)).collect();
        let (one, other) = (judge(&build(&rules, mode), &call), judge(&build(&moved, mode), &call));
        prop_assert_eq!(one.behavior, other.behavior, "{:?}: {:?} and {:?}", call, one, other);
    }

    #[test]
    fn a_hook_or_tool_that_denies_or_asks_never_loosens(
        rules in rules(), mode in modes(), call in calls(), by_hook: bool, deny: bool, skips_all: bool,
    ) {
        let policy = Policy { hook_allow_skips_all: skips_all, ..build(&rules, mode) };
        let said = if by_hook { call.hook } else { call.own };
        // Several are merged before they get here: the strictest counts.
        let stricter = said.max(Some(if deny { Behavior::Deny } else { Behavior::Ask }));
        let more = match by_hook {
            true => Call { hook: stricter, ..call.clone() },
            false => Call { own: stricter, ..call.clone() },
        };
        let (before, after) = (judge(&policy, &call), judge(&policy, &more));
        prop_assert!(after.behavior >= before.behavior, "{call:?} to {more:?}: {before:?} became {after:?}");
    }

    #[test]
    fn a_decision_names_the_rule_that_made_it(rules in rules(), mode in modes(), call in calls()) {
        let mut rest = rules.clone();
        // Rule after rule is taken away until the decision names none; each time something must change.
        loop {
            let before = judge(&build(&rest, mode), &call);
            let Some(named) = before.walk().iter().find_map(|part| part.reason.rule.clone()) else { break };
            let kept: Vec<_> = rest.iter().copied().filter(|(_, rule, _)| *rule != named).collect();
            prop_assert!(kept.len() < rest.len(), "{call:?}: there is no rule {named}");
            let after = judge(&build(&kept, mode), &call);
            prop_assert!(after != before, "{call:?}: {named} is named, but nothing changes without it: {before:?}");
            rest = kept;
        }
    }

    #[test]
    fn a_deny_names_a_rule_that_is_needed_for_it(rules in rules(), call in calls()) {
        let mut rest = rules.clone();
        let call = Call { hook: None, own: None, ..call };
        let mut before = judge(&build(&rest, PermissionMode::Default), &call);
        while before.behavior == Behavior::Deny {
            let named = before.reason.rule.clone().unwrap();
            let Some(at) = rest.iter().position(|(behavior, rule, _)| *behavior == Behavior::Deny && *rule == named) else {
                return Err(TestCaseError::fail(format!("{call:?}: no deny rule {named}")));
            };
            rest.remove(at);
            let after = judge(&build(&rest, PermissionMode::Default), &call);
            // Without the rule another one denies, or nothing does.
            prop_assert!(after != before || rest.iter().any(|(_, rule, _)| *rule == named), "{call:?}: {named}");
            before = after;
        }
    }

    #[test]
    fn rules_print_as_they_parse(text in rule_text()) {
        if let Ok(rule) = Rule::parse(&text) {
            let printed = rule.to_string();
            prop_assert_eq!(Rule::parse(&printed).unwrap(), rule, "{} printed as {}", text, printed);
        }
    }

    #[test]
    fn no_text_of_a_rule_or_command_panics(rule in ".{0,40}", command in ".{0,60}", path in "/.{0,30}") {
        let mut policy = policy(&[]);
        for behavior in [Behavior::Allow, Behavior::Ask, Behavior::Deny] {
            for text in [rule.clone(), format!("Bash({rule})"), format!("Read({rule})"), format!("Edit(//{rule})")] {
                let _ = policy.add(behavior, &text, RuleSource::Session);
            }
        }
        bash(&policy, &command);
        file(&policy, "Read", &path);
        file(&policy, "Write", &path);
        policy.warnings();
    }

    #[test]
    fn what_is_suggested_answers_the_question(command in command_text()) {
        let before = bash(&policy(&[]), &command);
        if before.behavior == Behavior::Ask && !before.suggestions.is_empty() && before.suggestions.len() < 5 {
            let rules: Vec<(Behavior, &str)> = before.suggestions.iter().map(|rule| (Behavior::Allow, rule.as_str())).collect();
            let after = bash(&policy(&rules), &command);
            prop_assert_eq!(after.behavior, Behavior::Allow, "{} with {:?}: {:?}", command, before.suggestions, after);
        }
    }
}

/// At least 10,000 each, more than 100,000 in all; more by `PROPTEST_CASES`, which proptest itself reads.
fn cases() -> u32 {
    ProptestConfig::default().cases.max(10_000)
}

fn rule_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z_*]{1,8}",
        "(Bash|Read|Edit|WebFetch|Agent|mcp__[a-z]{1,4}__[a-z*]{0,4})\\([ -~]{0,20}\\)",
        "[ -~]{0,20}",
        ".{0,20}",
    ]
}

fn command_text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(
        &[
            "npm",
            "test",
            "git",
            "push",
            "-x",
            "a.txt",
            "*.c",
            "'a b'",
            "\"$X\"",
            "/etc/hosts",
            "../x",
            "cat",
            "python3",
            "x:*",
            "NODE_ENV=1",
            "FOO=1",
            "timeout",
            "5",
            "sudo",
            "(",
            "a\\*b",
            "> out",
            "< in",
            "2>&1",
            "cd",
            "sub",
            "rm",
            "cp",
            "tee",
        ][..],
    );
    let operator = prop::sample::select(&[" && ", " || ", "; ", " | ", "\n"][..]);
    let simple = prop::collection::vec(word, 1..5).prop_map(|words| words.join(" "));
    prop::collection::vec((simple, operator), 1..4).prop_map(|parts| {
        let last = parts.len() - 1;
        parts
            .iter()
            .enumerate()
            .map(|(at, (text, op))| if at == last { text.clone() } else { format!("{text}{op}") })
            .collect()
    })
}

#[test]
fn the_same_call_gets_the_same_decision() {
    let policy = build(&[(Behavior::Allow, "Bash(npm:*)", RuleSource::Session)], PermissionMode::Default);
    let input = serde_json::json!({});
    let analysis = toolreeve_shell::analyze("npm test && ls", toolreeve_shell::Shell::Bash);
    let query = crate::support::query("Bash", &input, toolreeve_permission::Subject::Command(&analysis));
    let first = serde_json::to_string(&evaluate(&policy, &query)).unwrap();
    assert_eq!(serde_json::to_string(&evaluate(&policy.clone(), &query)).unwrap(), first);
}
