//! Path rules of the file tools: anchors, families, links, directories.

use std::path::PathBuf;

use toolreeve_permission::{Behavior, Behavior::*, Policy, ReasonKind, Rule, RuleSource, SourcedRule};

use crate::support::{Rules, file, linked_file, policy};

#[test]
fn families_of_tools_share_rules() {
    let rows: &[(Rules<'_>, &str, &str, Behavior)] = &[
        (&[(Deny, "Read(.env)")], "Read", "/home/u/project/.env", Deny),
        (&[(Deny, "Read(.env)")], "Grep", "/home/u/project/.env", Deny),
        (&[(Deny, "Read(.env)")], "Glob", "/home/u/project/sub/.env", Deny),
        (&[(Deny, "Read(.env)")], "Edit", "/home/u/project/.env", Deny),
        (&[(Deny, "Read(.env)")], "Write", "/home/u/project/.env", Deny),
        (&[(Deny, "Read(a.ipynb)")], "NotebookEdit", "/home/u/project/a.ipynb", Ask),
        (&[(Deny, "Edit(a.ipynb)")], "NotebookEdit", "/home/u/project/a.ipynb", Deny),
        (&[(Deny, "Edit(.env)")], "Read", "/home/u/project/.env", Allow),
        (&[(Allow, "Edit(//data/**)")], "Read", "/data/x", Allow),
        (&[(Allow, "Read(//data/**)")], "Edit", "/data/x", Ask),
        (&[(Allow, "Read(//data/**)")], "Grep", "/data", Allow),
        (&[(Allow, "Write(./a)")], "Write", "/home/u/project/a", Ask),
        (&[(Deny, "Write(./a)"), (Allow, "Edit")], "Write", "/home/u/project/a", Allow),
        (&[(Deny, "Glob(./a)")], "Glob", "/home/u/project/a", Allow),
        (&[(Allow, "Write")], "Write", "/home/u/project/a", Allow),
        (&[(Allow, "Write")], "Edit", "/home/u/project/a", Ask),
        (&[(Allow, "Edit")], "Write", "/anywhere/a", Allow),
        (&[(Deny, "Read")], "Grep", "/home/u/project", Deny),
    ];
    for (rules, tool, path, behavior) in rows {
        let decision = file(&policy(rules), tool, path);
        assert_eq!(decision.behavior, *behavior, "{rules:?} on {tool} {path}: {decision:?}");
    }
}

#[test]
fn a_link_must_be_allowed_at_both_ends_and_is_denied_at_either() {
    let allow = &[(Allow, "Read(//data/**)")];
    let deny = &[(Deny, "Read(//secret/**)")];
    let rows: &[(Rules<'_>, &str, &str, Behavior)] = &[
        (allow, "/data/link", "/data/target", Allow),
        (allow, "/data/link", "/etc/passwd", Ask),
        (allow, "/etc/link", "/data/target", Ask),
        (deny, "/home/u/project/link", "/secret/key", Deny),
        (deny, "/secret/link", "/home/u/project/a", Deny),
        (&[], "/home/u/project/link", "/home/u/project/a", Allow),
        (&[], "/home/u/project/link", "/etc/passwd", Ask),
        (&[], "/etc/link", "/home/u/project/a", Ask),
    ];
    for (rules, path, real, behavior) in rows {
        let decision = linked_file(&policy(rules), "Read", path, real);
        assert_eq!(decision.behavior, *behavior, "{rules:?} on {path} -> {real}: {decision:?}");
    }
    let protected =
        linked_file(&policy(&[(Allow, "Edit")]), "Edit", "/home/u/project/link", "/home/u/project/.git/config");
    assert_eq!(protected.reason.kind, ReasonKind::ProtectedPath);
}

#[test]
fn the_source_anchors_a_pattern() {
    let rows: &[(RuleSource, &str, bool)] = &[
        (RuleSource::ProjectSettings, "/home/u/project/src/a", true),
        (RuleSource::LocalSettings, "/home/u/project/src/a", true),
        (RuleSource::Session, "/home/u/project/src/a", true),
        (RuleSource::UserSettings, "/home/u/project/src/a", false),
        (RuleSource::UserSettings, "/home/u/.claude/src/a", true),
    ];
    for (source, path, denied) in rows {
        let mut policy = policy(&[]);
        policy.add(Deny, "Read(/src/**)", *source).unwrap();
        assert_eq!(file(&policy, "Read", path).behavior == Deny, *denied, "{source:?} {path}");
    }
    let mut policy = policy(&[]);
    let rule = SourcedRule {
        base: Some(PathBuf::from("/opt/conf")),
        ..SourcedRule::new(Rule::parse("Read(/src/**)").unwrap(), RuleSource::FlagSettings)
    };
    policy.add_rule(Deny, rule);
    assert_eq!(file(&policy, "Read", "/opt/conf/src/a").behavior, Deny);
    assert_eq!(file(&policy, "Read", "/home/u/project/src/a").behavior, Allow);
}

#[test]
fn deny_rules_stay_where_the_work_began() {
    let mut policy = policy(&[(Deny, "Read(./.env)"), (Allow, "Edit(./src/**)")]);
    policy.cwd = PathBuf::from("/home/u/project/sub");
    assert_eq!(file(&policy, "Read", "/home/u/project/.env").behavior, Deny);
    assert_eq!(file(&policy, "Read", "/home/u/project/sub/.env").behavior, Deny);
    assert_eq!(file(&policy, "Edit", "/home/u/project/sub/src/a").behavior, Allow);
    assert_eq!(file(&policy, "Edit", "/home/u/project/src/a").behavior, Ask);
}

#[test]
fn directories() {
    let with_more = Policy { additional_directories: vec![PathBuf::from("/srv/data")], ..policy(&[]) };
    for (policy, path, behavior) in [
        (&with_more, "/srv/data/x", Allow),
        (&with_more, "/srv/database", Ask),
        (&with_more, "/home/u/project/../other", Ask),
        (&with_more, "/home/u/projects", Ask),
        (&Policy::default(), "/anything", Ask),
    ] {
        assert_eq!(file(policy, "Read", path).behavior, behavior, "{path}");
    }
    // The current directory alone is no allowed directory once the project root is known.
    let moved = Policy { cwd: PathBuf::from("/etc"), ..policy(&[]) };
    assert_eq!(file(&moved, "Read", "/etc/hosts").behavior, Ask);
    let decision = file(&policy(&[]), "Read", "/etc/a b*c");
    assert_eq!(decision.reason.kind, ReasonKind::OutsideDirectory);
    assert_eq!(decision.blocked_path.as_deref(), Some("/etc/a b*c"));
    assert_eq!(decision.suggestions, ["Read(//etc/a b\\*c)"]);
    assert_eq!(file(&self::policy(&[(Allow, "Read(//etc/a b\\*c)")]), "Read", "/etc/a b*c").behavior, Allow);
}
