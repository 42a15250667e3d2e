//! SARIF 2.1.0, for code scanning: one run, one result for every remark about a command that is not simply allowed, with
//! its place in the text. Offsets are bytes of UTF-8 and characters (code points). Source: OASIS SARIF 2.1.0.

use std::io::{self, Write};

use serde_json::{Value, json};
use toolreeve_permission::Behavior;

use super::catalogue::ENTRIES;
use super::input::Case;
use super::report::{Remark, remarks};
use crate::cli::style::line_and_column;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";
/// Of a longer text the snippet shows only this many characters.
const SNIPPET_CHARS: usize = 400;

/// The state of a report.
#[derive(Default)]
pub(super) struct Sarif {
    any: bool,
    failed: bool,
}

impl Sarif {
    pub(super) fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let rules: Vec<Value> = ENTRIES
            .iter()
            .map(|entry| {
                json!({
                    "id": entry.id,
                    "name": entry.name,
                    "shortDescription": {"text": entry.short},
                    "fullDescription": {"text": entry.short},
                    "help": {"text": entry.help},
                    "defaultConfiguration": {"level": if matches!(entry.id, "rule-deny" | "invalid-input") { "error" } else { "warning" }},
                    "properties": {"tags": ["security", "shell"]},
                })
            })
            .collect();
        let driver = json!({
            "name": "toolreeve",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        });
        write!(
            out,
            "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{driver}}},\
             \"columnKind\":\"unicodeCodePoints\",\"results\":["
        )
    }

    pub(super) fn case(&mut self, case: &Case, out: &mut dyn Write) -> io::Result<()> {
        match &case.outcome {
            Ok(judged) => {
                for remark in remarks(judged) {
                    self.result(&result(case, &judged.request.command, &remark), out)?;
                }
                Ok(())
            }
            Err(problem) => {
                self.failed = true;
                let message = match &problem.field {
                    Some(field) => format!("{field}: {}", problem.message),
                    None => problem.message.clone(),
                };
                let location = json!({"physicalLocation": {"artifactLocation": {"uri": uri(case)}}});
                let result = json!({
                    "ruleId": "invalid-input",
                    "ruleIndex": index("invalid-input"),
                    "level": "error",
                    "message": {"text": message},
                    "locations": [location],
                });
                self.result(&result, out)
            }
        }
    }

    fn result(&mut self, result: &Value, out: &mut dyn Write) -> io::Result<()> {
        let between = if std::mem::replace(&mut self.any, true) { ",\n" } else { "\n" };
        write!(out, "{between}{result}")
    }

    pub(super) fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "],\n\"invocations\":[{{\"executionSuccessful\":{}}}]}}]}}", !self.failed)
    }
}

fn index(rule: &str) -> Option<usize> {
    ENTRIES.iter().position(|entry| entry.id == rule)
}

fn result(case: &Case, command: &str, remark: &Remark<'_>) -> Value {
    let start = command.floor_char_boundary(remark.span.0.min(command.len()));
    let end = command.ceil_char_boundary(remark.span.1.clamp(start, command.len()));
    let (start_line, start_column) = line_and_column(command, start);
    let (end_line, end_column) = line_and_column(command, end);
    let covered = &command[start..end];
    let snippet: String = covered.chars().take(SNIPPET_CHARS).collect();
    let mut properties = json!({"behavior": remark.behavior});
    if let Some(rule) = remark.by {
        properties["rule"] = json!(rule);
    }
    if let Some(id) = &case.id {
        properties["id"] = id.clone();
    }
    json!({
        "ruleId": remark.rule,
        "ruleIndex": index(&remark.rule),
        "level": if remark.behavior == Behavior::Deny { "error" } else { "warning" },
        "message": {"text": remark.message},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(case)},
            "region": {
                "startLine": start_line,
                "startColumn": start_column,
                "endLine": end_line,
                "endColumn": end_column,
                "charOffset": command[..start].chars().count(),
                "charLength": covered.chars().count(),
                "byteOffset": start,
                "byteLength": end - start,
                "snippet": {"text": snippet},
            },
        }}],
        "properties": properties,
    })
}

/// What the text is called: the file, or a name for what came in another way.
fn uri(case: &Case) -> String {
    match &case.file {
        Some(file) => {
            let mut uri = if file.starts_with('/') { "file://".to_owned() } else { String::new() };
            for byte in file.bytes() {
                match byte {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                        uri.push(char::from(byte))
                    }
                    other => uri.push_str(&format!("%{other:02X}")),
                }
            }
            uri
        }
        None if case.label.is_empty() => "command".to_owned(),
        None => format!("command/{}", case.number),
    }
}
