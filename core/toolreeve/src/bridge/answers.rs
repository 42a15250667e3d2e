//! What hosts in other languages answer, from JSON to the engine's own types. Strict: a field that is not known is an
//! error, because a guard whose answer is misread must not open the door.

use serde::Deserialize;
use serde_json::Value;
use toolreeve_engine::host::{ClassifierVerdict, HookOutcome, PromptAnswer, RuleDestination};
use toolreeve_engine::{ContentBlock, HostOutput};

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
/// `{"behavior": "deny"}` with `message` and `interrupt`, or `{"behavior": "defer"}` with `expires_in` in seconds.
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
        Defer {
            #[serde(default)]
            expires_in: Option<u64>,
        },
    }
    Ok(match read("the answer to the permission question", answer)? {
        Answer::Allow { updated_input, rules, destination } => {
            PromptAnswer::Allow { updated_input, rules, destination }
        }
        Answer::Deny { message, interrupt } => PromptAnswer::Deny { message, interrupt },
        Answer::Defer { expires_in } => PromptAnswer::Defer { expires_in },
    })
}

/// The answer of a classifier: `{"verdict": "allow" | "block" | "unsure"}` with `reason` and `confidence` (`high`,
/// `medium` or `low`). An allow counts only with high confidence, which is what is meant where none is said.
///
/// # Errors
/// If it is anything else; the text says what.
pub fn classifier_verdict(answer: Value) -> Result<ClassifierVerdict, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Verdict {
        Allow,
        Block,
        Unsure,
    }
    #[derive(Default, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Confidence {
        #[default]
        High,
        Medium,
        Low,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Answer {
        verdict: Verdict,
        #[serde(default)]
        reason: String,
        #[serde(default)]
        confidence: Confidence,
    }
    let Answer { verdict, reason, confidence } = read("the answer of the classifier", answer)?;
    Ok(match verdict {
        Verdict::Allow if confidence == Confidence::High => ClassifierVerdict::Allow { reason },
        Verdict::Block => ClassifierVerdict::Block { reason },
        Verdict::Allow | Verdict::Unsure => ClassifierVerdict::Unsure,
    })
}

/// The answer of a hook, in the public shape of hook output.
///
/// # Errors
/// If it is anything else; the text says what.
pub fn hook_outcome(answer: Value) -> Result<HookOutcome, String> {
    crate::hooks::read_answer(answer, crate::hooks::Reading::Strict)
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
    fn a_classifier_allows_only_with_high_confidence() {
        let allow = ClassifierVerdict::Allow { reason: "reads".into() };
        let block = ClassifierVerdict::Block { reason: String::new() };
        for (answer, verdict) in [
            (json!({"verdict": "allow", "reason": "reads"}), allow.clone()),
            (json!({"verdict": "allow", "reason": "reads", "confidence": "high"}), allow),
            (json!({"verdict": "allow", "confidence": "medium"}), ClassifierVerdict::Unsure),
            (json!({"verdict": "allow", "confidence": "low"}), ClassifierVerdict::Unsure),
            (json!({"verdict": "block", "confidence": "low"}), block),
            (json!({"verdict": "unsure"}), ClassifierVerdict::Unsure),
        ] {
            assert_eq!(classifier_verdict(answer).unwrap(), verdict);
        }
        for garbage in [
            json!(true),
            json!({}),
            json!({"verdict": "yes"}),
            json!({"verdict": "allow", "confidence": 1}),
            json!({"verdict": "allow", "why": ""}),
        ] {
            assert!(classifier_verdict(garbage.clone()).is_err(), "{garbage}");
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
}
