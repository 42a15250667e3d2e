//! The six modes, cell by cell: mode × kind of call × rule.

use serde_json::json;
use toolreeve_permission::{Behavior, Behavior::*, Decision, PermissionMode, Subject, evaluate};

use crate::support::{Rules, bash, file, in_mode, query};

const MODES: [PermissionMode; 6] = [
    PermissionMode::Default,
    PermissionMode::AcceptEdits,
    PermissionMode::Plan,
    PermissionMode::Auto,
    PermissionMode::DontAsk,
    PermissionMode::BypassPermissions,
];

fn judge(mode: PermissionMode, rules: Rules<'_>, call: &str) -> Decision {
    let policy = in_mode(mode, rules);
    match call.split_once(' ') {
        Some(("bash:", command)) => bash(&policy, command),
        Some((tool, path)) => file(&policy, tool, path),
        None => {
            let input = json!({});
            let mut question = query(call, &input, Subject::None);
            question.requires_interaction = call == "AskUserQuestion";
            evaluate(&policy, &question)
        }
    }
}

#[test]
fn every_cell() {
    type Row = (Rules<'static>, &'static str, [Behavior; 6]);
    let bash_all: Rules<'_> = &[(Allow, "Bash")];
    let rows: &[Row] = &[
        // rules, call, [default, acceptEdits, plan, auto, dontAsk, bypassPermissions]
        (&[], "Read /home/u/project/a", [Allow, Allow, Allow, Allow, Allow, Allow]),
        (&[], "Read /etc/hosts", [Ask, Ask, Ask, Ask, Deny, Allow]),
        (&[(Allow, "Read(//etc/**)")], "Read /etc/hosts", [Allow; 6]),
        (&[(Deny, "Read(./a)")], "Read /home/u/project/a", [Deny; 6]),
        (&[(Ask, "Read(./a)")], "Read /home/u/project/a", [Ask, Ask, Ask, Ask, Deny, Ask]),
        (&[], "Edit /home/u/project/a", [Ask, Allow, Ask, Ask, Deny, Allow]),
        (&[(Allow, "Edit(./a)")], "Edit /home/u/project/a", [Allow, Allow, Ask, Allow, Allow, Allow]),
        (&[], "Write /etc/x", [Ask, Ask, Ask, Ask, Deny, Allow]),
        (&[(Allow, "Edit(//etc/**)")], "Write /etc/x", [Allow, Allow, Ask, Allow, Allow, Allow]),
        (&[(Ask, "Edit")], "Edit /home/u/project/a", [Ask, Ask, Ask, Ask, Deny, Ask]),
        (&[(Deny, "Edit")], "Write /home/u/project/a", [Deny; 6]),
        // Protected paths: no rule approves them, but the mode that allows everything does.
        (&[(Allow, "Edit")], "Edit /home/u/project/.git/config", [Ask, Ask, Ask, Ask, Deny, Allow]),
        (&[(Deny, "Edit(.git/**)")], "Edit /home/u/project/.git/config", [Deny; 6]),
        (&[(Allow, "Bash")], "bash: touch .envrc", [Ask, Ask, Ask, Ask, Deny, Allow]),
        // Commands.
        (&[], "bash: ls", [Allow; 6]),
        (&[], "bash: cat /etc/hosts", [Ask, Ask, Ask, Ask, Deny, Allow]),
        (&[], "bash: npm test", [Ask, Ask, Ask, Ask, Deny, Allow]),
        (&[(Allow, "Bash(npm test:*)")], "bash: npm test", [Allow, Allow, Ask, Allow, Allow, Allow]),
        (bash_all, "bash: npm test", [Allow, Allow, Ask, Ask, Allow, Allow]),
        (&[(Allow, "Bash(python3:*)")], "bash: python3 x.py", [Allow, Allow, Ask, Ask, Allow, Allow]),
        (&[(Deny, "Bash(npm:*)")], "bash: npm test", [Deny; 6]),
        (&[(Ask, "Bash(npm:*)")], "bash: npm test", [Ask, Ask, Ask, Ask, Deny, Ask]),
        (&[], "bash: touch a", [Ask, Allow, Ask, Ask, Deny, Allow]),
        (&[], "bash: NODE_ENV=x timeout 5 mkdir a", [Ask, Allow, Ask, Ask, Deny, Allow]),
        (&[], "bash: FOO=x mkdir a", [Ask, Ask, Ask, Ask, Deny, Allow]),
        (&[], "bash: rm -r build", [Ask, Allow, Ask, Ask, Deny, Allow]),
        (&[], "bash: mv a /etc/b", [Ask, Ask, Ask, Ask, Deny, Allow]),
        (&[], "bash: sed -i s/a/b/ x.txt", [Ask, Allow, Ask, Ask, Deny, Allow]),
        (&[], "bash: echo x > a", [Ask, Allow, Ask, Ask, Deny, Allow]),
        (&[], "bash: touch a && npm test", [Ask, Ask, Ask, Ask, Deny, Allow]),
        (&[], "bash: eval \"$x\"", [Ask, Ask, Ask, Ask, Deny, Allow]),
        // Critical removals: nothing approves them.
        (bash_all, "bash: rm -rf /", [Ask, Ask, Ask, Ask, Deny, Ask]),
        (bash_all, "bash: sh -c 'rm -rf /'", [Ask, Ask, Ask, Ask, Deny, Ask]),
        (bash_all, "bash: rm -rf ~", [Ask, Ask, Ask, Ask, Deny, Ask]),
        (bash_all, "bash: rm -rf .", [Ask, Ask, Ask, Ask, Deny, Ask]),
        (&[], "bash: ls && rm -rf /etc", [Ask, Ask, Ask, Ask, Deny, Ask]),
        // Other tools.
        (&[], "WebSearch", [Ask, Ask, Ask, Ask, Deny, Allow]),
        (&[(Allow, "WebSearch")], "WebSearch", [Allow; 6]),
        (&[(Deny, "WebSearch")], "WebSearch", [Deny; 6]),
        (&[(Allow, "Agent")], "Agent", [Allow, Allow, Allow, Ask, Allow, Allow]),
        (&[(Allow, "AskUserQuestion")], "AskUserQuestion", [Ask, Ask, Ask, Ask, Deny, Ask]),
    ];
    let mut wrong = Vec::new();
    for (rules, call, expected) in rows {
        for (mode, expected) in MODES.into_iter().zip(expected) {
            let decision = judge(mode, rules, call);
            if decision.behavior != *expected {
                wrong.push(format!("{mode:?} {rules:?} {call}: {decision:?}, expected {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cells wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_sandbox_answers_the_prompt_but_no_rule_and_no_hard_limit() {
    let rows: &[(Rules<'_>, PermissionMode, &str, Behavior)] = &[
        (&[], PermissionMode::Default, "npm test", Allow),
        (&[(Ask, "Bash")], PermissionMode::Default, "npm test", Allow),
        (&[(Ask, "Bash")], PermissionMode::Plan, "npm test", Ask),
        (&[(Ask, "Bash(npm:*)")], PermissionMode::Default, "npm test", Ask),
        (&[(Deny, "Bash(npm:*)")], PermissionMode::Default, "npm test", Deny),
        (&[], PermissionMode::Default, "rm -rf /", Ask),
        (&[], PermissionMode::Default, "touch .git/hooks/x", Ask),
        (&[], PermissionMode::Plan, "npm test", Ask),
    ];
    for (rules, mode, command, behavior) in rows {
        let mut policy = in_mode(*mode, rules);
        policy.sandboxed = true;
        let decision = bash(&policy, command);
        assert_eq!(decision.behavior, *behavior, "{rules:?} {mode:?} {command}: {decision:?}");
    }
}
