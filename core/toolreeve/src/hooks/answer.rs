//! What a hook answers, from the public JSON to the engine's own type. Used for programs and URLs of settings files and
//! for functions of hosts in other languages.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolreeve_engine::host::{HookOutcome, HookPermission};
use toolreeve_permission::{Behavior, HookVerdict, PermissionUpdate};

/// The fields of `hookSpecificOutput` that the contract knows and that are handed on as they are.
const HANDED_ON: [&str; 12] = [
    "classifierContext",
    "initialUserMessage",
    "sessionTitle",
    "watchPaths",
    "reloadSkills",
    "suppressOriginalPrompt",
    "action",
    "content",
    "displayContent",
    "worktreePath",
    "terminalSequence",
    "newCustomInstructions",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    r#continue: Option<bool>,
    stop_reason: Option<String>,
    system_message: Option<String>,
    /// Accepted, without effect.
    #[expect(dead_code, reason = "its type is checked, nothing more")]
    suppress_output: Option<bool>,
    terminal_sequence: Option<String>,
    decision: Option<LegacyDecision>,
    reason: Option<String>,
    hook_specific_output: Option<Specific>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum LegacyDecision {
    Approve,
    Allow,
    Block,
    Deny,
    Ask,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Specific {
    hook_event_name: Option<String>,
    permission_decision: Option<PermissionDecision>,
    permission_decision_reason: Option<String>,
    updated_input: Option<Map<String, Value>>,
    additional_context: Option<String>,
    updated_tool_output: Option<Value>,
    #[serde(rename = "updatedMCPToolOutput")]
    updated_mcp_tool_output: Option<Value>,
    decision: Option<RequestDecision>,
    retry: Option<bool>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum PermissionDecision {
    Allow,
    Ask,
    Defer,
    Deny,
}

#[derive(Deserialize)]
#[serde(tag = "behavior", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum RequestDecision {
    Allow {
        updated_input: Option<Value>,
        #[serde(default)]
        updated_permissions: Vec<PermissionUpdate>,
    },
    Deny {
        #[serde(default)]
        message: String,
        #[serde(default)]
        interrupt: bool,
    },
}

/// How much is let pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading<'a> {
    /// The answer of a function of the host: a field that is not known is an error, because a guard whose answer is
    /// misread must not open the door.
    Strict,
    /// The answer of a program for this event: fields that are not known are left alone, for newer contracts.
    Program {
        /// The event.
        event: &'a str,
    },
}

/// Reads the answer of a hook.
///
/// # Errors
/// If it is not in the public shape; the text says what.
pub(crate) fn read_answer(answer: Value, reading: Reading<'_>) -> Result<HookOutcome, String> {
    if answer.is_null() {
        return Ok(HookOutcome::default());
    }
    let answer: Answer =
        serde_json::from_value(answer).map_err(|error| format!("the hook's answer is not usable: {error}"))?;
    let specific = answer.hook_specific_output.unwrap_or_default();
    if reading == Reading::Strict {
        let unknown = answer.others.keys().map(String::as_str);
        let inside = specific.others.keys().map(String::as_str).filter(|name| !HANDED_ON.contains(name));
        if let Some(name) = unknown.chain(inside).next() {
            return Err(format!("the hook's answer is not usable: unknown field `{name}`"));
        }
    }
    if let (Reading::Program { event }, Some(name)) = (reading, &specific.hook_event_name)
        && name != event
    {
        return Err(format!(
            "the hook's answer is not usable: its hookEventName is {name:?}, but the event is {event:?}"
        ));
    }
    let reason = specific.permission_decision_reason.or(answer.reason).unwrap_or_default();
    let mut defers = false;
    let behavior = match (specific.permission_decision, answer.decision) {
        (Some(PermissionDecision::Allow), _) => Some(Behavior::Allow),
        (Some(PermissionDecision::Ask), _) => Some(Behavior::Ask),
        (Some(PermissionDecision::Defer), _) => {
            defers = true;
            Some(Behavior::Ask)
        }
        (Some(PermissionDecision::Deny), _) => Some(Behavior::Deny),
        (None, Some(LegacyDecision::Approve | LegacyDecision::Allow)) => Some(Behavior::Allow),
        (None, Some(LegacyDecision::Ask)) => Some(Behavior::Ask),
        (None, Some(LegacyDecision::Block | LegacyDecision::Deny)) => Some(Behavior::Deny),
        (None, None) => None,
    };
    let mut extra = specific.others;
    if let Some(sequence) = answer.terminal_sequence {
        extra.insert("terminalSequence".to_owned(), Value::String(sequence));
    }
    Ok(HookOutcome {
        verdict: behavior.map(|behavior| HookVerdict { behavior, message: reason }),
        defers,
        updated_input: specific.updated_input.map(Value::Object),
        additional_context: specific.additional_context,
        updated_output: specific.updated_tool_output.or(specific.updated_mcp_tool_output),
        stop: (answer.r#continue == Some(false)).then(|| answer.stop_reason.unwrap_or_default()),
        system_message: answer.system_message.filter(|message| !message.is_empty()),
        failure: None,
        permission: specific.decision.map(|decision| match decision {
            RequestDecision::Allow { updated_input, updated_permissions } => {
                HookPermission::Allow { updated_input, updates: updated_permissions }
            }
            RequestDecision::Deny { message, interrupt } => HookPermission::Deny { message, interrupt },
        }),
        retry: specific.retry.unwrap_or(false),
        extra,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hooks_answer_in_the_public_shape() {
        let strict = |answer: Value| read_answer(answer, Reading::Strict);
        let behavior = |answer: Value| strict(answer).unwrap().verdict.map(|verdict| verdict.behavior);
        assert_eq!(strict(json!({})).unwrap(), HookOutcome::default());
        assert_eq!(strict(json!(null)).unwrap(), HookOutcome::default());
        assert_eq!(behavior(json!({"decision": "block", "reason": "r"})), Some(Behavior::Deny));
        assert_eq!(behavior(json!({"decision": "approve"})), Some(Behavior::Allow));
        assert_eq!(strict(json!({"continue": false})).unwrap().stop.as_deref(), Some(""));
        for (word, expected) in
            [("allow", Behavior::Allow), ("ask", Behavior::Ask), ("defer", Behavior::Ask), ("deny", Behavior::Deny)]
        {
            let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word}});
            assert_eq!(behavior(answer), Some(expected), "{word}");
        }
        for garbage in [
            json!("deny"),
            json!({"permissionDecision": "deny"}),
            json!({"decision": "no"}),
            json!({"hookSpecificOutput": {"permissionDecison": "deny"}}),
        ] {
            assert!(strict(garbage.clone()).is_err(), "{garbage}");
        }
    }

    #[test]
    fn programs_may_say_more_but_not_something_else() {
        let program = |answer: Value| read_answer(answer, Reading::Program { event: "PreToolUse" });
        let later = program(json!({"newer": 1, "hookSpecificOutput": {"newest": 2}})).unwrap();
        assert_eq!(later.extra.get("newest"), Some(&json!(2)));
        let other = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse"}});
        assert!(program(other).unwrap_err().contains("\"PostToolUse\""));
        for garbage in [
            json!({"continue": "no"}),
            json!({"hookSpecificOutput": {"permissionDecision": "denied"}}),
            json!({"hookSpecificOutput": {"updatedInput": []}}),
            json!({"hookSpecificOutput": {"decision": {"behavior": "maybe"}}}),
        ] {
            assert!(program(garbage.clone()).is_err(), "{garbage}");
        }
    }
}
