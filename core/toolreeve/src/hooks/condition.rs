//! The `if` of a hook: one permission rule that the call must match. A command is matched in each of its parts; what
//! cannot be understood with certainty counts as a match, so that a guard is not passed by.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolreeve_engine::host::HookInput;
use toolreeve_permission::{
    Access, Behavior, LinkResolver, OwnCheck, Policy, Query, ReasonKind, Rule, RuleSource, SourcedRule, Subject,
    evaluate,
};
use toolreeve_shell::{Shell, analyze};

/// Whether the call that the event is about matches; never for events without a call.
pub(super) fn holds(rule: &Rule, source: RuleSource, home: Option<&Path>, input: &HookInput) -> bool {
    let Some((tool, tool_input)) = input.event.tool() else { return false };
    if rule.content().is_none() {
        return rule.names_tool(tool);
    }
    let field = |name: &str| tool_input.get(name).and_then(Value::as_str);
    match tool {
        "Bash" => {
            let Some(command) = field("command").filter(|_| rule.names_tool(tool)) else { return false };
            let analysis = analyze(command, Shell::Bash);
            matches(rule, source, home, input, tool, tool_input, Subject::Command(&analysis))
        }
        "Read" | "Edit" | "Write" | "NotebookEdit" | "Glob" | "Grep" | "LSP" => {
            let named = field("file_path").or(field("notebook_path")).or(field("path")).unwrap_or(".");
            let path = input.cwd.join(named);
            let real = crate::files::path::real_path(&path);
            let access = match tool {
                "Edit" | "Write" | "NotebookEdit" => Access::Write,
                _ => Access::Read,
            };
            let subject = Subject::Path { path: &path, real: &real, access };
            matches(rule, source, home, input, tool, tool_input, subject)
        }
        "WebFetch" => {
            let subject = Subject::Text(field("url").unwrap_or_default());
            matches(rule, source, home, input, tool, tool_input, subject)
        }
        "Agent" => {
            let subject = Subject::Text(field("subagent_type").unwrap_or_default());
            matches(rule, source, home, input, tool, tool_input, subject)
        }
        _ => matches(rule, source, home, input, tool, tool_input, Subject::None),
    }
}

/// Whether the rule would deny the call if it stood alone in a list of deny rules.
fn matches(
    rule: &Rule,
    source: RuleSource,
    home: Option<&Path>,
    input: &HookInput,
    tool: &str,
    tool_input: &Value,
    subject: Subject<'_>,
) -> bool {
    let mut policy = Policy {
        cwd: input.cwd.clone(),
        project_root: input.project_root.clone(),
        home: home.map(PathBuf::from),
        links: LinkResolver::new(crate::files::path::real_path),
        ..Policy::default()
    };
    policy.add_rule(Behavior::Deny, SourcedRule::new(rule.clone(), source));
    let query = Query {
        tool,
        input: tool_input,
        subject,
        read_only: false,
        edits_files: false,
        requires_interaction: false,
        hook: None,
        own: OwnCheck::Pass,
    };
    let decision = evaluate(&policy, &query);
    let is_unclear = |kind| matches!(kind, ReasonKind::TooComplex | ReasonKind::ParseUnavailable);
    decision.behavior == Behavior::Deny || decision.walk().iter().any(|part| is_unclear(part.reason.kind))
}
