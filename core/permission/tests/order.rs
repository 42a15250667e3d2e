//! The order in which everybody is heard, row by row: the table of `evaluate`.

use serde_json::json;
use toolreeve_permission::{
    Behavior, Behavior::*, OwnCheck, Policy, Query, Reason, ReasonKind, Rule, RuleSource, SourcedRule, Subject,
    evaluate,
};

use crate::support::{Rules, bash, bash_with, hook, policy, query};

fn own_ask() -> OwnCheck {
    OwnCheck::Ask(Reason::new(ReasonKind::Tool, "the tool asks"))
}

fn own_allow() -> OwnCheck {
    OwnCheck::Allow(Reason::new(ReasonKind::Tool, "the tool allows"))
}

fn own_deny() -> OwnCheck {
    OwnCheck::Deny(Reason::new(ReasonKind::Tool, "the tool denies"))
}

#[test]
fn who_is_heard_before_whom() {
    type Change = fn(&mut Query<'_>);
    type Row = (&'static str, Rules<'static>, &'static str, Change, Behavior, ReasonKind);
    let rows: &[Row] = &[
        ("a hook's allow skips the prompt", &[], "npm test", |q| q.hook = hook(Allow), Allow, ReasonKind::Hook),
        ("not a deny rule", &[(Deny, "Bash(npm:*)")], "npm test", |q| q.hook = hook(Allow), Deny, ReasonKind::RuleDeny),
        ("not an ask rule", &[(Ask, "Bash(npm:*)")], "npm test", |q| q.hook = hook(Allow), Ask, ReasonKind::RuleAsk),
        ("not a critical removal", &[], "rm -rf /", |q| q.hook = hook(Allow), Ask, ReasonKind::CriticalPath),
        ("not a protected path", &[], "touch .git/x", |q| q.hook = hook(Allow), Ask, ReasonKind::ProtectedPath),
        (
            "but the tool's own question",
            &[],
            "npm test",
            |q| (q.hook, q.own) = (hook(Allow), own_ask()),
            Allow,
            ReasonKind::Hook,
        ),
        (
            "a hook's deny beats an allow rule",
            &[(Allow, "Bash")],
            "npm test",
            |q| q.hook = hook(Deny),
            Deny,
            ReasonKind::Hook,
        ),
        ("and an ask rule", &[(Ask, "Bash")], "npm test", |q| q.hook = hook(Deny), Deny, ReasonKind::Hook),
        (
            "a deny rule is named before a hook",
            &[(Deny, "Bash")],
            "npm test",
            |q| q.hook = hook(Deny),
            Deny,
            ReasonKind::RuleDeny,
        ),
        (
            "a hook's ask beats an allow rule",
            &[(Allow, "Bash")],
            "npm test",
            |q| q.hook = hook(Ask),
            Ask,
            ReasonKind::Hook,
        ),
        ("and what only reads", &[], "ls", |q| q.hook = hook(Ask), Ask, ReasonKind::Hook),
        ("the tool's deny beats an ask rule", &[(Ask, "Bash")], "ls", |q| q.own = own_deny(), Deny, ReasonKind::Tool),
        ("and a hook's allow", &[], "ls", |q| (q.hook, q.own) = (hook(Allow), own_deny()), Deny, ReasonKind::Tool),
        ("the tool's ask beats an allow rule", &[(Allow, "Bash")], "ls", |q| q.own = own_ask(), Ask, ReasonKind::Tool),
        ("the tool's allow skips the prompt", &[], "npm test", |q| q.own = own_allow(), Allow, ReasonKind::Tool),
        ("not an ask rule", &[(Ask, "Bash")], "npm test", |q| q.own = own_allow(), Ask, ReasonKind::RuleAsk),
        ("not a critical removal", &[], "rm -rf ~", |q| q.own = own_allow(), Ask, ReasonKind::CriticalPath),
        (
            "a person is needed whatever is allowed",
            &[(Allow, "Bash")],
            "ls",
            |q| q.requires_interaction = true,
            Ask,
            ReasonKind::Tool,
        ),
        (
            "and whatever a hook allows",
            &[],
            "ls",
            |q| (q.hook, q.requires_interaction) = (hook(Allow), true),
            Ask,
            ReasonKind::Tool,
        ),
        ("an allow rule", &[(Allow, "Bash(npm test)")], "npm test", |_| {}, Allow, ReasonKind::RuleAllow),
        ("what only reads", &[], "ls", |_| {}, Allow, ReasonKind::ReadOnly),
        ("nobody decides", &[], "npm test", |_| {}, Ask, ReasonKind::NoRule),
    ];
    for (what, rules, command, change, behavior, kind) in rows {
        let decision = bash_with(&policy(rules), command, change);
        assert_eq!((decision.behavior, decision.reason.kind), (*behavior, *kind), "{what}: {command}: {decision:?}");
    }
}

#[test]
fn the_wider_reading_of_a_hooks_allow_is_an_option() {
    let policy = Policy { hook_allow_skips_all: true, ..policy(&[(Deny, "Bash(npm:*)")]) };
    let decision = bash_with(&policy, "npm test", |query| query.hook = hook(Allow));
    assert_eq!((decision.behavior, decision.reason.kind), (Allow, ReasonKind::Hook));
    assert_eq!(bash(&policy, "npm test").behavior, Deny);
}

#[test]
fn a_decision_names_rule_source_and_parts() {
    let decision = bash(&policy(&[(Allow, "Bash(npm test:*)"), (Deny, "Bash(git push:*)")]), "npm test && git push");
    assert_eq!(decision.behavior, Deny);
    assert_eq!(decision.reason.rule.as_deref(), Some("Bash(git push:*)"));
    let tree = serde_json::to_value(&decision).unwrap();
    assert_eq!(tree["reason"]["source"], "userSettings");
    assert_eq!(tree["children"][0]["part"], "npm test");
    assert_eq!(tree["children"][0]["reason"]["kind"], "rule-allow");
    assert_eq!(tree["children"][1]["span"], json!([12, 20]));
    assert_eq!(decision.walk().len(), 3);
}

#[test]
fn a_rule_may_say_what_to_do_instead() {
    let mut policy = policy(&[]);
    let rule = SourcedRule {
        message: Some("use `make release`".to_owned()),
        ..SourcedRule::new(Rule::parse("Bash(git push:*)").unwrap(), RuleSource::PolicySettings)
    };
    policy.add_rule(Deny, rule);
    let decision = bash(&policy, "git push origin");
    assert!(decision.reason.message.ends_with("`git push origin`: use `make release`"), "{decision:?}");
}

#[test]
fn tools_with_other_subjects() {
    let rows: &[(Rules<'_>, &str, &str, Behavior)] = &[
        (&[], "WebFetch", "example.com", Ask),
        (&[(Allow, "WebFetch(domain:example.com)")], "WebFetch", "example.com", Allow),
        (&[(Allow, "WebFetch(domain:example.com)")], "WebFetch", "www.example.com", Ask),
        (&[(Allow, "WebFetch(domain:*)"), (Deny, "WebFetch(domain:*.evil.test)")], "WebFetch", "a.evil.test", Deny),
        (&[(Allow, "WebFetch"), (Ask, "WebFetch(domain:example.com)")], "WebFetch", "https://example.com/x", Ask),
        (&[(Allow, "Agent(reviewer)")], "Agent", "reviewer", Allow),
        (&[(Allow, "Task(reviewer)")], "Agent", "reviewer", Allow),
        (&[(Deny, "Agent(reviewer)")], "Agent", "reviewer", Deny),
        (&[(Allow, "Skill(commit)")], "Skill", "commit", Allow),
        (&[(Allow, "Skill(commit)")], "Skill", "commit now", Ask),
        (&[(Allow, "Skill(commit *)")], "Skill", "commit now", Allow),
        (&[(Allow, "Skill(commit *)")], "Skill", "committed", Ask),
        (&[(Allow, "mcp__git")], "mcp__git__log", "", Allow),
        (&[(Allow, "mcp__git__*")], "mcp__git__log", "", Allow),
        (&[(Allow, "mcp__git__log")], "mcp__git__push", "", Ask),
        (&[(Allow, "mcp__*")], "mcp__git__log", "", Ask),
        (&[(Allow, "*")], "mcp__git__log", "", Ask),
        (&[(Allow, "mcp__git"), (Deny, "mcp__*")], "mcp__git__log", "", Deny),
        (&[(Deny, "*")], "Anything", "", Deny),
    ];
    for (rules, tool, text, behavior) in rows {
        let input = json!({});
        let subject = if text.is_empty() { Subject::None } else { Subject::Text(text) };
        let mut question = query(tool, &input, subject);
        // What the network gives is not free because it changes nothing here.
        question.read_only = tool.starts_with("mcp__") || *tool == "WebFetch";
        let decision = evaluate(&policy(rules), &question);
        assert_eq!(decision.behavior, *behavior, "{rules:?} on {tool} {text}: {decision:?}");
    }
}

#[test]
fn rules_on_one_parameter() {
    let rows: &[(Rules<'_>, &str, Behavior)] = &[
        (&[(Deny, "Agent(model:opus)")], r#"{"model": "opus"}"#, Deny),
        (&[(Deny, "Agent(model:opus*)")], r#"{"model": "opus-4"}"#, Deny),
        (&[(Deny, "Agent(model : opus)")], r#"{"model": "opus"}"#, Deny),
        (&[(Deny, "Agent(model:opus)")], r#"{}"#, Allow),
        (&[(Ask, "Agent(run_in_background:true)")], r#"{"run_in_background": true}"#, Ask),
        (&[(Ask, "Agent(run_in_background:true)")], r#"{"run_in_background": false}"#, Allow),
    ];
    for (rules, input, behavior) in rows {
        let input = serde_json::from_str(input).unwrap();
        let mut policy = policy(rules);
        policy.add(Allow, "Agent", RuleSource::Session).unwrap();
        let decision = evaluate(&policy, &query("Agent", &input, Subject::Text("reviewer")));
        assert_eq!(decision.behavior, *behavior, "{rules:?} on {input}");
    }
    // Allow rules do not read parameters, and the main field is no parameter.
    let input = json!({"model": "opus"});
    assert_eq!(
        evaluate(&policy(&[(Allow, "Agent(model:opus)")]), &query("Agent", &input, Subject::Text("x"))).behavior,
        Ask
    );
    let decision = bash(&policy(&[(Deny, "Bash(command:ls*)")]), "ls");
    assert_eq!(decision.behavior, Allow);
    let background = policy(&[(Deny, "Bash(run_in_background:true)")]);
    let decision = bash_with(&background, "ls", |_| {});
    assert_eq!(decision.behavior, Allow);
}
