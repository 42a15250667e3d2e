//! Input schemas: derived or given, compiled once, with the coercions that models need and errors that models can act
//! on. Follows JSON Schema draft 2020-12; no remote reference is ever fetched.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde_json::{Map, Value};

/// An input does not fit. The message names each field and what was wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InputError {
    /// In words for the model.
    pub message: String,
}

impl InputError {
    /// A misfit in words for the model.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// The JSON Schema of a Rust type, without the `$schema` and `title` that only cost the model tokens.
pub fn schema_of<T: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(map) = schema.as_object_mut() {
        map.shift_remove("title");
        map.shift_remove("description");
    }
    schema
}

/// A schema with its compiled validator.
#[derive(Debug)]
pub struct InputSchema {
    schema: Value,
    validator: Result<jsonschema::Validator, String>,
}

/// Past this many misfits the rest is not listed.
const MAX_LISTED_MISFITS: usize = 10;

impl InputSchema {
    /// Compiles a schema. One that cannot be compiled refuses every input and says why.
    pub fn new(schema: Value) -> Self {
        let validator = jsonschema::validator_for(&schema).map_err(|error| error.to_string());
        Self { schema, validator }
    }

    /// The schema, as the model gets it.
    pub fn as_value(&self) -> &Value {
        &self.schema
    }

    /// The error of a schema that could not be compiled.
    pub fn problem(&self) -> Option<&str> {
        self.validator.as_ref().err().map(String::as_str)
    }

    /// Checks an input, after coercing it where it does not fit as it is.
    ///
    /// # Errors
    /// If it does not fit even then.
    pub fn check<'a>(&self, tool: &str, raw: &'a Value) -> Result<Cow<'a, Value>, InputError> {
        let validator = self
            .validator
            .as_ref()
            .map_err(|problem| InputError::new(format!("the input schema of {tool} is not usable: {problem}")))?;
        if validator.is_valid(raw) {
            return Ok(Cow::Borrowed(raw));
        }
        let mut coerced = raw.clone();
        coerce(&self.schema, &mut coerced);
        if validator.is_valid(&coerced) {
            return Ok(Cow::Owned(coerced));
        }
        Err(InputError::new(describe(tool, validator, &coerced)))
    }

    /// Every place where a value does not fit, without coercion. A schema that could not be compiled fits nothing.
    pub fn misfits(&self, value: &Value) -> Vec<Misfit> {
        match &self.validator {
            Ok(validator) => validator.iter_errors(value).map(|error| misfit(&error)).collect(),
            Err(problem) => vec![Misfit { pointer: String::new(), problem: problem.clone() }],
        }
    }
}

fn misfit(error: &jsonschema::ValidationError<'_>) -> Misfit {
    let mut wanted = Vec::new();
    alternatives(error, &mut wanted);
    let problem = match (wanted.as_slice(), error.instance().as_ref()) {
        ([], _) => error.to_string(),
        (_, found @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_))) => {
            format!("it is {found} and should be {}", wanted.join(" or "))
        }
        (_, found) => format!("it is of the type {} and should be {}", kind_of(found), wanted.join(" or ")),
    };
    Misfit { pointer: error.instance_path().to_string(), problem }
}

/// What would fit instead, as far as the error knows: types and values, without `null`.
fn alternatives(error: &jsonschema::ValidationError<'_>, wanted: &mut Vec<String>) {
    use jsonschema::error::ValidationErrorKind as Kind;
    let mut add = |text: String| {
        if !text.is_empty() && text != "null" && !wanted.contains(&text) {
            wanted.push(text);
        }
    };
    match error.kind() {
        Kind::Type { kind } => add(names_of(kind, " or ").trim_end_matches(" or null").to_owned()),
        Kind::Enum { options } => options.as_array().into_iter().flatten().for_each(|option| add(option.to_string())),
        Kind::Constant { expected_value } => add(expected_value.to_string()),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            context.iter().flatten().for_each(|error| alternatives(error, wanted));
        }
        _ => {}
    }
}

fn names_of(kind: &jsonschema::error::TypeKind, between: &str) -> String {
    match kind {
        jsonschema::error::TypeKind::Single(kind) => kind.to_string(),
        jsonschema::error::TypeKind::Multiple(kinds) => {
            let names: Vec<String> = kinds.iter().map(|kind| kind.to_string()).collect();
            names.join(between)
        }
    }
}

/// One place where a value does not fit a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The place, as a JSON pointer.
    pub pointer: String,
    /// What is wrong, for example "it is a string and should be a boolean".
    pub problem: String,
}

/// Turns what models commonly send instead of the wanted type into it: numbers and booleans written as strings, lists
/// and objects written as JSON text, and `null` for a field that may be left out.
fn coerce(schema: &Value, value: &mut Value) {
    let Some(schema) = schema.as_object() else { return };
    if let Value::String(text) = value
        && !wants(schema, "string")
        && let Some(better) = parse_as(schema, text)
    {
        *value = better;
    }
    match value {
        Value::Object(map) => coerce_object(schema, map),
        Value::Array(items) => {
            if let Some(item_schema) = schema.get("items") {
                for item in items {
                    coerce(item_schema, item);
                }
            }
        }
        _ => {}
    }
}

fn coerce_object(schema: &Map<String, Value>, map: &mut Map<String, Value>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    let required = |name: &str| {
        schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|n| n == name))
    };
    for (name, property) in properties {
        let is_absent = map.get(name).is_some_and(Value::is_null)
            && !required(name)
            && !property.as_object().is_some_and(|property| wants(property, "null"));
        if is_absent {
            map.shift_remove(name);
        } else if let Some(value) = map.get_mut(name) {
            coerce(property, value);
        }
    }
}

/// Writes 3.0 as 3, everywhere in the value.
pub(crate) fn write_whole_numbers_as_integers(value: &mut Value) {
    /// Up to here every whole number has a float of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= EXACT)
                && number.is_f64()
            {
                #[expect(clippy::cast_possible_truncation, reason = "whole and within the exact range")]
                let whole = float as i64;
                *value = Value::from(whole);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(write_whole_numbers_as_integers),
        Value::Object(map) => map.values_mut().for_each(write_whole_numbers_as_integers),
        _ => {}
    }
}

fn wants(schema: &Map<String, Value>, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == kind,
        Some(Value::Array(names)) => names.iter().any(|name| name == kind),
        // A schema without a type may want anything (or says so by other means), so nothing is coerced.
        _ => true,
    }
}

fn parse_as(schema: &Map<String, Value>, text: &str) -> Option<Value> {
    let trimmed = text.trim();
    let parsed: Value = serde_json::from_str(trimmed).ok()?;
    let kinds: &[&str] = match &parsed {
        Value::Number(number) if number.is_f64() => &["number"],
        Value::Number(_) => &["integer", "number"],
        Value::Bool(_) => &["boolean"],
        Value::Array(_) => &["array"],
        Value::Object(_) => &["object"],
        Value::Null => &["null"],
        Value::String(_) => return None,
    };
    kinds.iter().any(|kind| wants(schema, kind)).then_some(parsed)
}

fn describe(tool: &str, validator: &jsonschema::Validator, value: &Value) -> String {
    use jsonschema::error::ValidationErrorKind as Kind;
    let mut lines = Vec::new();
    for error in validator.iter_errors(value).take(MAX_LISTED_MISFITS) {
        let path = error.instance_path().to_string();
        let at = path.trim_start_matches('/').replace('/', ".");
        let line = match error.kind() {
            Kind::Required { property } => {
                format!("The required parameter `{}` is missing", property.as_str().unwrap_or_default())
            }
            Kind::AdditionalProperties { unexpected } => {
                format!("An unexpected parameter was provided: `{}`", unexpected.join("`, `"))
            }
            Kind::Type { kind } => {
                let wanted = names_of(kind, "` or `");
                let found = kind_of(error.instance());
                if at.is_empty() {
                    format!("The input is expected as `{wanted}` but provided as `{found}`")
                } else {
                    format!("The parameter `{at}` is expected as `{wanted}` but provided as `{found}`")
                }
            }
            _ if at.is_empty() => error.to_string(),
            _ => format!("The parameter `{at}`: {error}"),
        };
        lines.push(line);
    }
    let issues = if lines.len() == 1 { "issue" } else { "issues" };
    format!("{tool} failed due to the following {issues}:\n{}", lines.join("\n"))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> InputSchema {
        InputSchema::new(json!({
            "type": "object", "additionalProperties": false, "required": ["path"],
            "properties": {
                "path": {"type": "string"}, "limit": {"type": "integer"}, "all": {"type": "boolean"},
                "names": {"type": "array", "items": {"type": "string"}}
            }
        }))
    }

    #[test]
    fn common_slips_are_coerced() {
        let raw = json!({"path": "12", "limit": "3", "all": "true", "names": "[\"a\"]"});
        let checked = schema().check("T", &raw).unwrap();
        assert_eq!(*checked, json!({"path": "12", "limit": 3, "all": true, "names": ["a"]}));
        let raw = json!({"path": "p", "limit": null});
        assert_eq!(*schema().check("T", &raw).unwrap(), json!({"path": "p"}));
    }

    #[test]
    fn misfits_name_the_field() {
        let text = schema().check("T", &json!({"limit": "many", "x": 1})).unwrap_err().message;
        assert!(text.contains("`path` is missing"), "{text}");
        assert!(text.contains("`limit` is expected as `integer` but provided as `string`"), "{text}");
        assert!(text.contains("unexpected parameter was provided: `x`"), "{text}");
    }

    #[test]
    fn a_broken_schema_refuses_with_its_reason() {
        let broken = InputSchema::new(json!({"type": "no-such-type"}));
        assert!(broken.check("T", &json!({})).unwrap_err().message.contains("not usable"));
    }
}
