//! The rows of `tests/data/bash` that judge a whole decision, run through the check interface: attacks must never be
//! allowed, everyday commands should not prompt, rules must match as documented.

use std::collections::BTreeSet;

use serde_json::{Value, json};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/bash");

fn rows(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(format!("{DATA}/{file}")).unwrap();
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}: {error}: {line}")))
        .collect();
    assert!(!rows.is_empty(), "{file} has no rows");
    rows
}

/// The answer to a command in the project folder of a user `u`.
fn answer(command: &Value, rules: Value, extra: &[(&str, &Value)]) -> Value {
    let mut request = json!({"command": command, "cwd": "/home/u/project", "home": "/home/u", "rules": rules});
    for (name, value) in extra {
        request[*name] = (*value).clone();
    }
    let answer = toolreeve::check(&request);
    assert!(answer.get("error").is_none(), "{request}: {answer}");
    answer
}

fn answer_to(row: &Value) -> Value {
    answer(&row["command"], row["rules"].clone(), &[("shell", &row["shell"]), ("cwd", &row["cwd"])])
}

fn report(what: &str, wrong: &[String], total: usize) {
    println!("{what}: {} of {total} rows wrong", wrong.len());
    assert!(wrong.is_empty(), "{what}: {} of {total} rows wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn line(row: &Value, got: &Value) -> String {
    format!(
        "{} {} {} -> {} ({}: {})",
        row["id"].as_str().unwrap_or_default(),
        row["kind"].as_str().or_else(|| row["area"].as_str()).unwrap_or_default(),
        if row["command"].is_null() { &row["input"] } else { &row["command"] },
        got["behavior"],
        got["reason"]["kind"],
        got["reason"]["message"]
    )
}

#[test]
fn attacks_are_never_allowed() {
    let rows = rows("attacks.jsonl");
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let got = answer_to(row);
            let behavior = &got["behavior"];
            let right = match row.get("must") {
                Some(must) => behavior == must,
                None => behavior != &row["must_not"],
            };
            (!right).then(|| line(row, &got))
        })
        .collect();
    report("attacks", &wrong, rows.len());
}

#[test]
fn everyday_commands_prompt_only_where_the_list_of_faults_says_so() {
    let listed = std::fs::read_to_string(format!("{DATA}/known_prompts.txt")).unwrap();
    let known: BTreeSet<&str> =
        listed.lines().map(|line| line.split('#').next().unwrap_or("").trim()).filter(|id| !id.is_empty()).collect();
    let rows = rows("benign.jsonl");
    let (mut wrong, mut prompts, mut contested) = (Vec::new(), BTreeSet::new(), 0);
    for row in &rows {
        let got = answer_to(row);
        if got["behavior"] == row["expect"] {
            continue;
        }
        if row.get("contested").is_some() {
            contested += 1;
            println!("contested: {}", line(row, &got));
        } else if row["expect"] == "allow" && got["behavior"] == "ask" {
            prompts.insert(row["id"].as_str().unwrap());
            if !known.contains(row["id"].as_str().unwrap()) {
                wrong.push(format!("prompts: {}", line(row, &got)));
            }
        } else {
            wrong.push(line(row, &got));
        }
    }
    println!("everyday commands: {} prompt, {contested} contested rows differ", prompts.len());
    wrong.extend(known.iter().filter(|id| !prompts.contains(*id)).map(|id| format!("take {id} off known_prompts.txt")));
    report("everyday commands", &wrong, rows.len());
}

/// Runs the rows of one area through a judge, which says what is wrong.
fn area(name: &str, judge: impl Fn(&Value, &Value) -> Option<Value>) {
    let rows: Vec<Value> = rows("rules.jsonl").into_iter().filter(|row| row["area"] == name).collect();
    assert!(!rows.is_empty(), "no rows of {name}");
    let wrong: Vec<String> =
        rows.iter().filter_map(|row| judge(&row["input"], &row["expect"]).map(|got| line(row, &got))).collect();
    report(name, &wrong, rows.len());
}

#[test]
fn allow_rules_match_as_documented() {
    area("rule-match-allow", |input, expect| {
        let got = answer(&input["command"], json!({"allow": [input["rule"]]}), &[]);
        let by_rule = got["commands"].as_array().unwrap().iter().all(|command| command["rule"] == input["rule"]);
        let matched = got["behavior"] == "allow" && by_rule;
        (json!(matched) != expect["match"]).then_some(got)
    });
}

#[test]
fn deny_rules_match_as_documented() {
    area("rule-match-deny", |input, expect| {
        let got = answer(&input["command"], json!({"deny": [input["rule"]]}), &[]);
        (json!(got["behavior"] == "deny") != expect["match"]).then_some(got)
    });
}

#[test]
fn decisions_come_out_as_documented() {
    area("decision", |input, expect| {
        let got = answer(&input["command"], input["rules"].clone(), &[]);
        let wanted = if expect["behavior"] == "passthrough" { &json!("ask") } else { &expect["behavior"] };
        (got["behavior"] != *wanted).then_some(got)
    });
}

#[test]
fn critical_removals_ask_whatever_the_rules() {
    area("dangerous-removal", |input, expect| {
        for home in [json!("/home/u"), Value::Null] {
            let got = answer(&input["command"], input["rules"].clone(), &[("home", &home)]);
            let critical = got["reason"]["kind"] == "critical-path" && got["behavior"] == "ask";
            if json!(critical) != expect["dangerous"] {
                return Some(got);
            }
        }
        None
    });
}

/// In the mode that allows everything, and under a rule that does, critical losses ask and nothing else does.
#[test]
fn critical_losses_ask_in_the_mode_that_allows_everything() {
    let rows = rows("losses.jsonl");
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let where_it_runs = [("cwd", &row["cwd"]), ("home", &row["home"])];
            let got = answer(&row["command"], Value::Null, &[&where_it_runs[..], &[("mode", &row["mode"])]].concat());
            let is_critical = got["reason"]["kind"] == "critical-path";
            if got["behavior"] != row["expect"] || is_critical != (row["expect"] == "ask") {
                return Some(line(row, &got));
            }
            let ruled = answer(&row["command"], json!({"allow": ["Bash"]}), &where_it_runs);
            ((ruled["reason"]["kind"] == "critical-path") != is_critical).then(|| line(row, &ruled))
        })
        .collect();
    report("critical losses", &wrong, rows.len());
}
