//! What hosts in other languages answer, from JSON to the engine's own types. Strict: a field that is not known is an
//! error, because a guard whose answer is misread must not open the door.

use serde::Deserialize;
use serde_json::Value;
use toolreeve_engine::host::{HookOutcome, PromptAnswer, RuleDestination};
use toolreeve_engine::{ContentBlock, HostOutput};
use toolreeve_permission::{Behavior, HookVerdict};

/// The answer of a host-written tool: a string is a text, an object has `content` (a string or content blocks) and
/// may have `is_error` and `structured`.
///
/// # Errors
/// If it is anything else; the text says what.
pub fn tool_output(answer: Value) -> Result<HostOutput, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Answer {
        content: Value,
        #[serde(default)]
        is_error: bool,
        #[serde(default)]
        structured: Option<Value>,
    }
    match answer {
        Value::String(text) => Ok(HostOutput::text(text)),
        Value::Object(_) => {
            let Answer { content, is_error, structured } = read("the tool's answer", answer)?;
            let content = match content {
                Value::String(text) => vec![ContentBlock::Text(text)],
                blocks => read("the content of the tool's answer", blocks)?,
            };
            Ok(HostOutput { content, structured, is_error })
        }
        _ => Err("the tool's answer must be a string, or an object with `content`".to_owned()),
    }
}

/// The answer to a permission question: `{"behavior": "allow"}` with `updated_input`, `rules` and `destination`, or
/// `{"behavior": "deny"}` with `message` and `interrupt`.
///
/// # Errors
/// If it is anything else; the text says what.
pub fn prompt_answer(answer: Value) -> Result<PromptAnswer, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, tag = "behavior", rename_all = "lowercase")]
    enum Answer {
        Allow {
            #[serde(default, alias = "updatedInput")]
            updated_input: Option<Value>,
            #[serde(default)]
            rules: Vec<String>,
            #[serde(default)]
            destination: RuleDestination,
        },
        Deny {
            #[serde(default)]
            message: String,
            #[serde(default)]
            interrupt: bool,
        },
    }
    Ok(match read("the answer to the permission question", answer)? {
        Answer::Allow { updated_input, rules, destination } => {
            PromptAnswer::Allow { updated_input, rules, destination }
        }
        Answer::Deny { message, interrupt } => PromptAnswer::Deny { message, interrupt },
    })
}

/// The answer of a hook, in the public shape of hook output.
///
/// # Errors
/// If it is anything else; the text says what.
pub fn hook_outcome(answer: Value) -> Result<HookOutcome, String> {
    /// What the public shape has; the fields about the screen are accepted and left to the host.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    #[expect(dead_code, reason = "some fields are only accepted")]
    struct Answer {
        r#continue: Option<bool>,
        stop_reason: Option<String>,
        system_message: Option<String>,
        suppress_output: Option<bool>,
        terminal_sequence: Option<String>,
        decision: Option<LegacyDecision>,
        reason: Option<String>,
        hook_specific_output: Option<Specific>,
    }
    #[derive(Deserialize, Clone, Copy)]
    #[serde(rename_all = "lowercase")]
    enum LegacyDecision {
        Approve,
        Allow,
        Block,
        Deny,
    }
    #[derive(Deserialize, Default)]
    #[serde(deny_unknown_fields, rename_all = "camelCase", default)]
    struct Specific {
        hook_event_name: Option<String>,
        permission_decision: Option<PermissionDecision>,
        permission_decision_reason: Option<String>,
        updated_input: Option<Value>,
        additional_context: Option<String>,
        updated_tool_output: Option<Value>,
    }
    #[derive(Deserialize, Clone, Copy)]
    #[serde(rename_all = "lowercase")]
    enum PermissionDecision {
        Allow,
        Ask,
        Defer,
        Deny,
    }
    if answer.is_null() {
        return Ok(HookOutcome::default());
    }
    let answer: Answer = read("the hook's answer", answer)?;
    let specific = answer.hook_specific_output.unwrap_or_default();
    let reason = specific.permission_decision_reason.or(answer.reason).unwrap_or_default();
    let verdict = |behavior, message| Some(HookVerdict { behavior, message });
    let decided = match (specific.permission_decision, answer.decision) {
        _ if answer.r#continue == Some(false) => verdict(Behavior::Deny, answer.stop_reason.unwrap_or(reason)),
        (Some(PermissionDecision::Allow), _) => verdict(Behavior::Allow, reason),
        (Some(PermissionDecision::Ask | PermissionDecision::Defer), _) => verdict(Behavior::Ask, reason),
        (Some(PermissionDecision::Deny), _) => verdict(Behavior::Deny, reason),
        (None, Some(LegacyDecision::Approve | LegacyDecision::Allow)) => verdict(Behavior::Allow, reason),
        (None, Some(LegacyDecision::Block | LegacyDecision::Deny)) => verdict(Behavior::Deny, reason),
        (None, None) => None,
    };
    Ok(HookOutcome {
        verdict: decided,
        updated_input: specific.updated_input,
        additional_context: specific.additional_context,
        updated_output: specific.updated_tool_output,
    })
}

fn read<T: serde::de::DeserializeOwned>(what: &str, answer: Value) -> Result<T, String> {
    serde_json::from_value(answer).map_err(|error| format!("{what} is not usable: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tools_answer_with_a_text_or_with_content() {
        assert_eq!(tool_output(json!("done")).unwrap(), HostOutput::text("done"));
        let failed = tool_output(json!({"content": "no", "is_error": true})).unwrap();
        assert_eq!(failed, HostOutput { is_error: true, ..HostOutput::text("no") });
        let blocks = tool_output(json!({"content": [{"type": "text", "text": "a"}], "structured": 1})).unwrap();
        assert_eq!(blocks, HostOutput { structured: Some(json!(1)), ..HostOutput::text("a") });
        for garbage in
            [json!(null), json!(1), json!([]), json!({}), json!({"content": 1}), json!({"content": "", "x": 1})]
        {
            assert!(tool_output(garbage.clone()).is_err(), "{garbage}");
        }
    }

    #[test]
    fn a_misspelt_permission_is_an_error_and_no_permission() {
        assert_eq!(prompt_answer(json!({"behavior": "allow"})).unwrap(), PromptAnswer::allow_once());
        assert_eq!(prompt_answer(json!({"behavior": "deny", "message": "no"})).unwrap(), PromptAnswer::deny("no"));
        let changed = prompt_answer(json!({"behavior": "allow", "updatedInput": {"a": 1}})).unwrap();
        assert!(matches!(changed, PromptAnswer::Allow { updated_input: Some(_), .. }));
        for garbage in [
            json!(true),
            json!("allow"),
            json!({}),
            json!({"behavior": "yes"}),
            json!({"behavior": "allow", "input": 1}),
        ] {
            assert!(prompt_answer(garbage.clone()).is_err(), "{garbage}");
        }
    }

    #[test]
    fn hooks_answer_in_the_public_shape() {
        let behavior = |answer: Value| hook_outcome(answer).unwrap().verdict.map(|verdict| verdict.behavior);
        assert_eq!(hook_outcome(json!({})).unwrap(), HookOutcome::default());
        assert_eq!(hook_outcome(json!(null)).unwrap(), HookOutcome::default());
        assert_eq!(behavior(json!({"decision": "block", "reason": "r"})), Some(Behavior::Deny));
        assert_eq!(behavior(json!({"decision": "approve"})), Some(Behavior::Allow));
        assert_eq!(behavior(json!({"continue": false})), Some(Behavior::Deny));
        for (word, expected) in
            [("allow", Behavior::Allow), ("ask", Behavior::Ask), ("defer", Behavior::Ask), ("deny", Behavior::Deny)]
        {
            let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word}});
            assert_eq!(behavior(answer), Some(expected), "{word}");
        }
        for garbage in [json!("deny"), json!({"permissionDecision": "deny"}), json!({"decision": "no"})] {
            assert!(hook_outcome(garbage.clone()).is_err(), "{garbage}");
        }
    }
}
