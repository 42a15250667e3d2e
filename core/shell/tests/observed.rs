//! What a real bash 5.2 did with each of the recorded texts (every program and builtin with its arguments, every file
//! opened for writing, over several patterns of exit statuses): a text that is called simple must list all of it.
//! The rows were recorded by the tools in `tests/oracle`.

use serde_json::Value;
use toolreeve_shell::{Analysis, Arg, Shell, analyze};

use crate::rows;

/// Whether listed words may become these arguments: an unknown word stands for any number of them.
fn covers(listed: &[Arg], run: &[&str]) -> bool {
    match listed.split_first() {
        None => run.is_empty(),
        Some((Arg::Known(word), rest)) => run.first() == Some(&word.as_str()) && covers(rest, &run[1..]),
        Some((Arg::Unknown { .. }, rest)) => (0..=run.len()).any(|taken| covers(rest, &run[taken..])),
    }
}

fn lists(analysis: &Analysis, run: &[&str]) -> bool {
    analysis.commands.iter().any(|command| {
        let mut words = command.argv.as_slice();
        loop {
            if covers(words, run) {
                return true;
            }
            // `command x` and `builtin x` run x as well.
            match words.first().and_then(Arg::known) {
                Some("command" | "builtin") => {
                    words = &words[1..];
                    while words.first().and_then(Arg::known) == Some("--") {
                        words = &words[1..];
                    }
                }
                _ => return false,
            }
        }
    })
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn simple_texts_list_all_that_bash_did() {
    let mut failures = Vec::new();
    let (mut simple, mut count) = (0, 0);
    for row in rows::read("observed.jsonl") {
        count += 1;
        let command = row["command"].as_str().unwrap_or_default();
        let analysis = analyze(command, Shell::Bash);
        if !analysis.is_simple() {
            continue;
        }
        simple += 1;
        for run in row["runs"].as_array().into_iter().flatten() {
            if !lists(&analysis, &strings(run)) {
                failures.push(format!("{} {command:?} ran {run}", row["id"]));
            }
        }
        for written in strings(&row["writes"]) {
            let listed = analysis
                .commands
                .iter()
                .flat_map(|command| &command.redirects)
                .any(|redirect| redirect.writes && redirect.target.known().is_none_or(|target| target == written));
            if !listed {
                failures.push(format!("{} {command:?} wrote {written}", row["id"]));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    // The reading must not get there by refusing everything.
    assert!(count > 2000 && simple * 100 > count * 45, "{simple} of {count} are simple");
}

#[test]
fn benign_texts_are_simple() {
    let rows = rows::read("benign.jsonl");
    let refused: Vec<&str> = rows
        .iter()
        .filter_map(|row| row["command"].as_str())
        .filter(|command| !analyze(command, Shell::Bash).is_simple())
        .collect();
    assert!(refused.len() * 100 <= rows.len(), "{refused:?}");
}
