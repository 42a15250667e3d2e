//! Every command handler has rows: a form of its program that only reads, if there is one, and one that does more.

use std::collections::BTreeSet;

use toolreeve_shell::{Shell, analyze};

use crate::rows;

/// Files of `commands/` that are no handlers.
const SHARED: [&str; 5] = ["mod", "table", "forms", "git_forms", "sed_script"];

#[test]
fn handlers_tell_reading_from_changing() {
    let mut failures = Vec::new();
    for row in rows::read("handlers.jsonl") {
        let command = row["command"].as_str().unwrap_or_default();
        let found = analyze(command, Shell::Bash).read_only;
        if Some(found) != row["read_only"].as_bool() {
            failures.push(format!("{} {command:?}: read_only is {found}", row["id"]));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "only the crate itself is pure; this test lists its source files")]
fn every_handler_has_rows() {
    let covered: BTreeSet<String> =
        rows::read("handlers.jsonl").iter().filter_map(|row| row["handler"].as_str().map(str::to_owned)).collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/commands");
    let handlers: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.ok()?.path().file_stem().map(|stem| stem.to_string_lossy().into_owned()))
        .filter(|stem| !SHARED.contains(&stem.as_str()))
        .collect();
    assert_eq!(covered, handlers);
}
