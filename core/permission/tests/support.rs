//! What every test needs: a policy from rule texts and a question from a few words.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolreeve_permission::{
    Access, Behavior, Decision, HookVerdict, OwnCheck, PermissionMode, Policy, Query, RuleSource, Subject, evaluate,
};
use toolreeve_shell::{Shell, analyze};

/// Rules as a test writes them.
pub(crate) type Rules<'a> = &'a [(Behavior, &'a str)];

/// A policy in `/home/u/project` with these rules: (behaviour, rule).
pub(crate) fn policy(rules: Rules<'_>) -> Policy {
    let mut policy = Policy {
        cwd: PathBuf::from("/home/u/project"),
        project_root: PathBuf::from("/home/u/project"),
        home: Some(PathBuf::from("/home/u")),
        ..Policy::default()
    };
    for (behavior, rule) in rules {
        policy.add(*behavior, rule, RuleSource::UserSettings).unwrap();
    }
    policy
}

pub(crate) fn in_mode(mode: PermissionMode, rules: Rules<'_>) -> Policy {
    Policy { mode, ..policy(rules) }
}

pub(crate) fn query<'a>(tool: &'a str, input: &'a Value, subject: Subject<'a>) -> Query<'a> {
    Query {
        tool,
        input,
        subject,
        read_only: false,
        edits_files: false,
        requires_interaction: false,
        hook: None,
        own: OwnCheck::Pass,
    }
}

pub(crate) fn hook(behavior: Behavior) -> Option<HookVerdict> {
    Some(HookVerdict { behavior, message: "the hook says so".to_owned() })
}

/// Judges a bash command.
pub(crate) fn bash(policy: &Policy, command: &str) -> Decision {
    bash_with(policy, command, |_| {})
}

pub(crate) fn bash_with(policy: &Policy, command: &str, change: impl Fn(&mut Query<'_>)) -> Decision {
    let analysis = analyze(command, Shell::Bash);
    let input = json!({"command": command});
    let mut query = query("Bash", &input, Subject::Command(&analysis));
    query.read_only = analysis.read_only;
    change(&mut query);
    evaluate(policy, &query)
}

/// Judges a file tool on a path that no link is involved in.
pub(crate) fn file(policy: &Policy, tool: &str, path: &str) -> Decision {
    linked_file(policy, tool, path, path)
}

pub(crate) fn file_with(policy: &Policy, tool: &str, path: &str, change: impl Fn(&mut Query<'_>)) -> Decision {
    changed_file(policy, tool, (path, path), change)
}

/// Judges a file tool on a path that leads somewhere else.
pub(crate) fn linked_file(policy: &Policy, tool: &str, path: &str, real: &str) -> Decision {
    changed_file(policy, tool, (path, real), |_| {})
}

fn changed_file(policy: &Policy, tool: &str, (path, real): (&str, &str), change: impl Fn(&mut Query<'_>)) -> Decision {
    let access = if matches!(tool, "Edit" | "Write" | "NotebookEdit") { Access::Write } else { Access::Read };
    let input = json!({"file_path": path});
    let subject = Subject::Path { path: Path::new(path), real: Path::new(real), access };
    let mut query = query(tool, &input, subject);
    query.read_only = access == Access::Read;
    query.edits_files = access == Access::Write;
    change(&mut query);
    evaluate(policy, &query)
}
