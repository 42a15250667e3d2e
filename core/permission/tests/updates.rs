//! Changes of a policy, in the public JSON shape.

use std::path::{Path, PathBuf};

use serde_json::json;
use toolreeve_permission::{Behavior::*, Destination, PermissionMode, PermissionUpdate, Policy};

use crate::support::{bash, policy};

fn apply(policy: &mut Policy, update: serde_json::Value) {
    let update: PermissionUpdate = serde_json::from_value(update).unwrap();
    policy.apply(&update).unwrap();
}

fn texts(policy: &Policy) -> Vec<String> {
    policy.allow.iter().map(|sourced| format!("{:?} {}", sourced.source, sourced.rule)).collect()
}

#[test]
fn rules_are_added_replaced_and_removed_by_destination() {
    let mut policy = policy(&[(Allow, "Bash(ls)")]);
    let add = json!({"type": "addRules", "behavior": "allow", "destination": "session",
        "rules": [{"toolName": "Bash", "ruleContent": "npm test:*"}, {"toolName": "WebSearch"}]});
    apply(&mut policy, add.clone());
    apply(&mut policy, add);
    assert_eq!(texts(&policy), ["UserSettings Bash(ls)", "Session Bash(npm test:*)", "Session WebSearch"]);
    assert_eq!(bash(&policy, "npm test").behavior, Allow);
    apply(
        &mut policy,
        json!({"type": "removeRules", "behavior": "allow", "destination": "session",
            "rules": [{"toolName": "Bash", "ruleContent": "ls"}, {"toolName": "WebSearch"}]}),
    );
    assert_eq!(texts(&policy), ["UserSettings Bash(ls)", "Session Bash(npm test:*)"]);
    apply(
        &mut policy,
        json!({"type": "replaceRules", "behavior": "allow", "destination": "userSettings",
            "rules": [{"toolName": "Bash", "ruleContent": "pwd"}]}),
    );
    assert_eq!(texts(&policy), ["Session Bash(npm test:*)", "UserSettings Bash(pwd)"]);
}

#[test]
fn a_bad_rule_changes_nothing() {
    let mut policy = policy(&[(Deny, "Bash(rm:*)")]);
    let update: PermissionUpdate = serde_json::from_value(json!({
        "type": "replaceRules", "behavior": "deny", "destination": "userSettings",
        "rules": [{"toolName": "Read", "ruleContent": "[a"}],
    }))
    .unwrap();
    assert!(policy.apply(&update).is_err());
    assert_eq!(policy.deny.len(), 1);
}

#[test]
fn modes_and_directories() {
    let mut policy = policy(&[]);
    apply(&mut policy, json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"}));
    assert_eq!(policy.mode, PermissionMode::AcceptEdits);
    let bypass = json!({"type": "setMode", "mode": "bypassPermissions", "destination": "userSettings"});
    apply(&mut policy, bypass.clone());
    assert_eq!(policy.mode, PermissionMode::AcceptEdits);
    policy.bypass_available = true;
    apply(&mut policy, bypass.clone());
    assert_eq!(policy.mode, PermissionMode::BypassPermissions);
    assert!(!serde_json::from_value::<PermissionUpdate>(bypass).unwrap().is_persistent());
    apply(
        &mut policy,
        json!({"type": "addDirectories", "directories": ["/srv/x/", "../other", "~/docs"], "destination": "session"}),
    );
    let expected = ["/srv/x", "/home/u/other", "/home/u/docs"].map(PathBuf::from);
    assert_eq!(policy.additional_directories, expected);
    apply(&mut policy, json!({"type": "removeDirectories", "directories": ["/srv/x"], "destination": "session"}));
    assert!(!policy.additional_directories.iter().any(|directory| directory == Path::new("/srv/x")));
}

#[test]
fn suggestions_become_changes() {
    let mut policy = policy(&[]);
    let decision = bash(&policy, "npm test && cat /etc/hosts");
    let update = PermissionUpdate::allow(&decision.suggestions, Destination::LocalSettings).unwrap();
    assert!(update.is_persistent());
    let printed = serde_json::to_value(&update).unwrap();
    assert_eq!(printed["type"], "addRules");
    assert_eq!(printed["rules"][0], json!({"toolName": "Bash", "ruleContent": "npm test:*"}));
    policy.apply(&update).unwrap();
    assert_eq!(bash(&policy, "npm test && cat /etc/hosts").behavior, Allow);
}
