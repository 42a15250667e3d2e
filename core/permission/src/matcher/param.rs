//! Rules on one parameter: `Tool(param:value)`, for deny and ask rules. Owns the comparison with the input as the model
//! sent it; it never looks at anything but the top level.

use serde_json::Value;

use super::pattern::Pattern;

/// A compiled `param:value`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ParamPattern {
    /// The field of the input.
    pub(crate) name: String,
    value: Pattern,
}

impl ParamPattern {
    /// Reads a rule's content as `param:value`; `None` where it has another shape.
    pub(crate) fn new(content: &str) -> Option<Self> {
        let (name, value) = content.split_once(':')?;
        let (name, value) = (name.trim(), value.trim());
        let mut bytes = name.bytes();
        let starts_well = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if !starts_well
            || !bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
            || value.is_empty()
        {
            return None;
        }
        Some(Self { name: name.to_owned(), value: Pattern::plain(value) })
    }

    /// Whether the field is there, is a scalar and has this value.
    pub(crate) fn matches(&self, input: &Value) -> bool {
        match input.get(&self.name) {
            Some(Value::String(text)) => self.value.matches(text),
            Some(scalar @ (Value::Bool(_) | Value::Number(_) | Value::Null)) => self.value.matches(&scalar.to_string()),
            Some(Value::Array(_) | Value::Object(_)) | None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scalars_match_and_absent_fields_never_do() {
        let input = json!({"model": "opus-4", "background": true, "n": 3, "list": ["a"], "none": null});
        for (content, expected) in [
            ("model:opus-4", true),
            ("model : opus*", true),
            ("model:haiku", false),
            ("background:true", true),
            ("background:*", true),
            ("n:3", true),
            ("list:a", false),
            ("none:null", true),
            ("absent:*", false),
        ] {
            assert_eq!(ParamPattern::new(content).unwrap().matches(&input), expected, "{content}");
        }
        for content in ["no colon", "http://x", ":x", "a b:c", "x:"] {
            let read = ParamPattern::new(content);
            assert!(read.is_none() || content == "http://x", "{content}");
        }
    }
}
