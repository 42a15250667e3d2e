//! What must hold for all rules and calls: stricter rules never loosen, order does not matter, rules print as they parse.

use proptest::prelude::*;
use toolreeve_permission::{Behavior, Decision, PermissionMode, Policy, Rule, RuleSource, evaluate};

use crate::support::{bash, file, policy};

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

/// A command or a file tool on a path.
type Call = (&'static str, &'static str);

fn calls() -> impl Strategy<Value = Call> {
    prop_oneof![
        2 => prop::sample::select(COMMANDS).prop_map(|command| ("Bash", command)),
        1 => prop::sample::select(FILES),
    ]
}

fn judge(policy: &Policy, (tool, subject): Call) -> Decision {
    if tool == "Bash" { bash(policy, subject) } else { file(policy, tool, subject) }
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
        let (before, after) = (judge(&build(&rules, mode), call), judge(&build(&more, mode), call));
        prop_assert!(after.behavior >= before.behavior, "{call:?}: {extra} as {behavior:?}: {before:?} became {after:?}");
    }

    #[test]
    fn an_allow_rule_never_tightens(
        rules in rules(), mode in modes(), call in calls(), extra in prop::sample::select(RULES),
    ) {
        let mut more = rules.clone();
        more.push((Behavior::Allow, extra, RuleSource::Session));
        let (before, after) = (judge(&build(&rules, mode), call), judge(&build(&more, mode), call));
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
        let (one, other) = (judge(&build(&rules, mode), call), judge(&build(&shuffled, mode), call));
        prop_assert_eq!(one.behavior, other.behavior, "{:?}: {:?} and {:?}", call, one, other);
    }

    #[test]
    fn the_rule_that_denied_is_needed(rules in rules(), call in calls()) {
        let mut rest = rules.clone();
        let mut before = judge(&build(&rest, PermissionMode::Default), call);
        while before.behavior == Behavior::Deny {
            let named = before.reason.rule.clone().unwrap();
            let Some(at) = rest.iter().position(|(behavior, rule, _)| *behavior == Behavior::Deny && *rule == named) else {
                return Err(TestCaseError::fail(format!("{call:?}: no deny rule {named}")));
            };
            rest.remove(at);
            let after = judge(&build(&rest, PermissionMode::Default), call);
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

/// At least 2,000; more by `PROPTEST_CASES`, which proptest itself reads.
fn cases() -> u32 {
    ProptestConfig::default().cases.max(2_000)
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
