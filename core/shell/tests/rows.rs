//! Reads the data rows that all languages share (`tests/data/bash` at the root of the repository).

use serde_json::Value;

/// The rows of a file, each a JSON object.
#[expect(clippy::disallowed_methods, reason = "only the crate itself is pure; its tests read rows from files")]
pub(crate) fn read(name: &str) -> Vec<Value> {
    let path = format!("{}/../../tests/data/bash/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}: {error}: {line}")))
        .collect()
}
