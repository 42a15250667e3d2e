//! `toolreeve hook`: the rows of `tests/data/hook` through the real command, one file for each agent and one for input
//! that must block.

use serde_json::Value;

use super::{Done, Toolreeve, root};

fn rows(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(root().join("tests/data/hook").join(file)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}: {error}: {line}")))
        .collect()
}

/// A home and a project in it, with the files of a row.
struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new(files: &Value) -> Self {
        let world = Self { dir: tempfile::tempdir().unwrap() };
        for dir in ["home", "project/src/deep"] {
            std::fs::create_dir_all(world.dir.path().join(dir)).unwrap();
        }
        for (name, content) in files.as_object().into_iter().flatten() {
            let path = world.dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
            std::fs::write(path, text).unwrap();
        }
        world
    }

    fn place(&self, name: &str) -> String {
        self.dir.path().canonicalize().unwrap().join(name).to_str().unwrap().to_owned()
    }

    fn run(&self, args: &Value, input: &str) -> Done {
        let mut all = vec!["hook"];
        all.extend(args.as_array().into_iter().flatten().map(|arg| arg.as_str().unwrap()));
        let (home, project) = (self.place("home"), self.place("project"));
        let input = input.replace("$HOME", &home).replace("$PROJECT", &project);
        Toolreeve::new(&all).env("HOME", &home).cwd(project.as_ref()).input(input.as_bytes())
    }
}

/// What stands at a path such as `hookSpecificOutput.decision`; the whole for an empty one.
fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('.').filter(|name| !name.is_empty()).fold(value, |value, name| &value[name])
}

fn judge(file: &str) {
    let rows = rows(file);
    let mut wrong = Vec::new();
    for row in &rows {
        let done = World::new(&row["files"]).run(&row["args"], &row["input"].to_string());
        let got: Value = serde_json::from_str(&done.stdout).unwrap_or(Value::Null);
        let fits = row["expect"].as_object().unwrap().iter().all(|(path, value)| at(&got, path) == value);
        if done.code != 0 || !done.stderr.is_empty() || !fits {
            wrong.push(format!(
                "{} {}: {} {}{}",
                row["id"],
                row["why"],
                done.code,
                done.stdout.trim_end(),
                done.stderr
            ));
        }
    }
    assert!(
        rows.len() > 10 && wrong.is_empty(),
        "{} of {} rows are wrong:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

#[test]
fn claude_code_is_answered_in_its_shape() {
    judge("claude.jsonl");
}

#[test]
fn codex_is_answered_in_its_shape() {
    judge("codex.jsonl");
}

#[test]
fn gemini_cli_is_answered_in_its_shape() {
    judge("gemini.jsonl");
}

#[test]
fn cursor_is_answered_in_its_shape() {
    judge("cursor.jsonl");
}

#[test]
fn whatever_goes_wrong_blocks() {
    for row in rows("bad.jsonl") {
        let done = World::new(&Value::Null).run(&row["args"], row["raw"].as_str().unwrap());
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{row}");
        assert!(done.stderr.contains(row["blocked"].as_str().unwrap()), "{row}: {}", done.stderr);
    }
    let done = Toolreeve::new(&["hook"]).input(b"{\"hook_event_name\": \"\xff\"}");
    assert_eq!((done.code, done.stdout.as_str()), (2, ""));
}

#[test]
fn an_answer_that_nobody_can_read_blocks() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_toolreeve"));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let Ok(full) = full else { return };
    command.arg("hook").stdin(std::process::Stdio::piped()).stdout(full).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let input = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8(done.stderr).unwrap().contains("could not be written"));
}

/// A stricter rule never loosens what an agent is told.
#[test]
fn a_further_deny_or_ask_rule_never_loosens() {
    let strength = |done: &Done| {
        let answer: Value = serde_json::from_str(&done.stdout).unwrap();
        match at(&answer, "hookSpecificOutput.permissionDecision").as_str() {
            Some("allow") => 0,
            None => 1,
            Some("ask") => 2,
            _ => 3,
        }
    };
    for row in rows("claude.jsonl").into_iter().step_by(3) {
        let world = World::new(&row["files"]);
        let before = strength(&world.run(&row["args"], &row["input"].to_string()));
        for rule in [["--deny", "Bash(git:*)"], ["--ask", "Read"]] {
            let mut args = row["args"].as_array().cloned().unwrap_or_default();
            args.extend(rule.map(Value::from));
            let after = strength(&world.run(&Value::Array(args), &row["input"].to_string()));
            assert!(after >= before, "{row} with {rule:?}: {before} became {after}");
        }
    }
}
