//! `toolreeve check`: every source of commands, every format, every exit code, and input that means no good.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Done, Toolreeve, root};

fn check(args: &[&str]) -> Done {
    let mut all = vec!["check", "-C", "/home/u/project"];
    all.extend(args);
    Toolreeve::new(&all).run()
}

#[test]
fn exit_codes_say_the_verdict() {
    let rows: [(&[&str], i32); 12] = [
        (&["ls -la"], 0),
        (&["git push"], 1),
        (&["--allow", "Bash(git push:*)", "git push"], 0),
        (&["--deny", "Bash(git push:*)", "git push"], 2),
        (&["--ask", "Bash(ls:*)", "ls"], 1),
        (&["--mode", "bypassPermissions", "git push"], 0),
        (&["--mode", "dontAsk", "git push"], 2),
        (&["--sandboxed", "npm test"], 0),
        (&["rm -rf /", "--allow", "Bash"], 1),
        (&["--fail-on", "deny", "git push"], 0),
        (&["--fail-on", "never", "--deny", "Bash", "git push"], 0),
        (&["--", "-rf src"], 1),
    ];
    for (args, code) in rows {
        let done = check(args);
        assert_eq!((done.code, done.stderr.as_str()), (code, ""), "{args:?}: {}", done.stdout);
    }
}

#[test]
fn wrong_usage_is_64_and_says_what_to_write() {
    let rows: [(&[&str], &str); 12] = [
        (&["ls", "it's here"], r"toolreeve check 'ls it'\''s here'"),
        (&["rm", "-rf", "/"], "one argument in quotes"),
        (&["--mode", "yolo", "ls"], "acceptEdits"),
        (&["--allow", "Bash(", "ls"], "byte 5"),
        (&["--format", "xml", "ls"], "sarif"),
        (&["--shell", "fish", "ls"], "zsh"),
        (&["--lines", "ls"], "leave the command out"),
        (&["--jsonl", "ls"], "leave the command out"),
        (&["--lines", "--jsonl"], "cannot be used with"),
        (&["--files"], "check --files a.sh"),
        (&["--explain", "--format", "json", "ls"], "leave --format out"),
        (&["--add-dir", "", "ls"], "--add-dir"),
    ];
    for (args, text) in rows {
        let done = check(args);
        assert_eq!((done.code, done.stdout.as_str()), (64, ""), "{args:?}");
        assert!(done.stderr.contains(text), "{args:?}: {}", done.stderr);
    }
}

#[test]
fn settings_files_count_and_bad_ones_are_65() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("settings.json");
    std::fs::write(&file, r#"{"permissions": {"deny": ["Bash(ls:*)"]}}"#).unwrap();
    let file = file.to_str().unwrap();
    let done = check(&["--settings", file, "ls"]);
    assert_eq!(done.code, 2, "{}", done.stdout);
    std::fs::write(file, "{").unwrap();
    let done = check(&["--settings", file, "ls"]);
    assert_eq!((done.code, done.stdout.as_str()), (65, ""));
    assert!(done.stderr.contains("settings.json"), "{}", done.stderr);
    assert_eq!(check(&["--settings", "/does/not/exist", "ls"]).code, 65);
}

#[test]
fn one_text_comes_from_the_standard_input() {
    let input = |text: &[u8], args: &[&str]| {
        let mut all = vec!["check"];
        all.extend(args);
        Toolreeve::new(&all).input(text)
    };
    assert_eq!(input(b"ls\n", &[]).code, 0);
    assert_eq!(input(b"ls\ngit push\n", &["-"]).code, 1);
    let empty = input(b" \n", &[]);
    assert_eq!(empty.code, 65);
    assert!(empty.stdout.contains("pipe a command in"), "{}", empty.stdout);
    assert_eq!(input(b"ls \xff", &[]).code, 65);
    for hostile in [&b"ls\0-la"[..], b"ls\r\n", b"ls\r", "ls\u{202e}".as_bytes()] {
        let done = input(hostile, &[]);
        assert_eq!(done.code, 1, "{hostile:?}: {}", done.stdout);
        assert!(!done.stdout.contains(['\0', '\r', '\u{202e}']), "{:?}", done.stdout);
    }
    // Longer than what is simple, than what is parsed, than what is read.
    assert_eq!(input("a ".repeat(20_000).as_bytes(), &[]).code, 1);
    assert_eq!(input("a".repeat(1_000_001).as_bytes(), &[]).code, 1);
    assert_eq!(input(&vec![b'a'; (8 << 20) + 1], &[]).code, 65);
}

#[test]
fn arguments_that_are_no_text_are_bad_input() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolreeve"));
    command.arg("check").arg(std::ffi::OsStr::from_bytes(b"ls \xff"));
    let done = command.output().unwrap();
    assert_eq!(done.status.code(), Some(65));
    assert!(String::from_utf8(done.stdout).unwrap().contains("not UTF-8 at byte 3"));
}

#[test]
fn lines_are_judged_one_by_one_and_the_strictest_counts() {
    let lines = |text: &[u8], args: &[&str]| {
        let mut all = vec!["check", "--lines", "--deny", "Bash(curl:*)"];
        all.extend(args);
        Toolreeve::new(&all).input(text)
    };
    assert_eq!(lines(b"ls\n\n# a comment\npwd", &[]).code, 0);
    assert_eq!(lines(b"", &[]).code, 0);
    assert_eq!(lines(b"curl x\nls\ngit push\n", &[]).code, 2);
    assert_eq!(lines(b"curl x\n\xff\n", &[]).code, 65);
    let done = lines(b"ls\n\ngit push\ncurl x\n", &["--format", "jsonl"]);
    let answers: Vec<Value> = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let got: Vec<(&Value, &Value)> = answers.iter().map(|answer| (&answer["id"], &answer["behavior"])).collect();
    assert_eq!(got, [(&json!(1), &json!("allow")), (&json!(3), &json!("ask")), (&json!(4), &json!("deny"))]);
    let done = lines(b"ls\ncurl x\n", &[]);
    assert!(done.stdout.starts_with("line 1: allow: ls\n"), "{}", done.stdout);
    assert!(done.stdout.contains("\nline 2: deny: curl x\n"), "{}", done.stdout);
}

#[test]
fn requests_are_answered_in_order_and_bad_lines_stop_nothing() {
    let input = b"{\"id\":1,\"command\":\"ls\"}\nnot json\n\xff\xfe\n\n{\"command\":7}\n[]\n{\"id\":\"x\",\"command\":\"rm a\"}";
    let done = Toolreeve::new(&["check", "--jsonl"]).input(input);
    let answers: Vec<Value> = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((answers.len(), done.code), (7, 65));
    assert_eq!((&answers[0]["id"], &answers[0]["behavior"]), (&json!(1), &json!("allow")));
    for bad in &answers[1..4] {
        assert_eq!(bad["error"]["kind"], "invalid-json");
    }
    assert_eq!(answers[4]["error"]["field"], "command");
    assert_eq!(answers[5]["error"]["kind"], "invalid-request");
    assert_eq!((&answers[6]["id"], &answers[6]["behavior"]), (&json!("x"), &json!("ask")));
    // A request is judged the same everywhere: nothing of the caller's directory and home gets in.
    let request = json!({"command": "cat ~/x", "cwd": "/a"});
    let done = Toolreeve::new(&["check", "--jsonl"]).input(request.to_string().as_bytes());
    assert_eq!(done.stdout.trim_end(), toolreeve::check_json(&request.to_string()));
}

#[test]
fn options_are_the_base_of_requests() {
    let args = ["check", "--jsonl", "-C", "/a", "--home", "/h", "--deny", "Bash(curl:*)", "--shell", "zsh"];
    let ask = |request: Value| -> Value {
        let done = Toolreeve::new(&args).input(request.to_string().as_bytes());
        serde_json::from_str(&done.stdout).unwrap()
    };
    assert_eq!(ask(json!({"command": "curl x"}))["behavior"], "deny");
    assert_eq!(ask(json!({"command": "curl x", "rules": {"allow": ["Bash"]}}))["behavior"], "deny");
    assert_eq!(ask(json!({"command": "cat /a/x"}))["behavior"], "allow");
    assert_eq!(ask(json!({"command": "cat /a/x", "cwd": "/b"}))["behavior"], "ask");
    assert_eq!(ask(json!({"command": "zmodload x"}))["behavior"], "ask");
}

#[test]
fn whole_scripts_are_judged_with_the_places_of_what_stands_against_them() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| std::fs::write(dir.path().join(name), text).unwrap();
    write("fine.sh", b"#!/bin/sh\nls\npwd\n");
    write("bad name.sh", "#!/usr/bin/env bash\nls\necho é && curl x\n".as_bytes());
    write("snake.py", b"#!/usr/bin/python3\nimport os\n");
    write("broken.sh", b"ls \xff\n");
    let files = |args: &[&str]| {
        let mut all = vec!["check", "--files", "--deny", "Bash(curl:*)"];
        all.extend(args);
        Toolreeve::new(&all).cwd(dir.path()).run()
    };
    assert_eq!(files(&["fine.sh"]).code, 0);
    let done = files(&["fine.sh", "bad name.sh"]);
    assert_eq!(done.code, 2);
    assert!(done.stdout.contains("bad name.sh:3:11: deny: the rule Bash(curl:*) denies `curl x`"), "{}", done.stdout);
    for (name, text) in
        [("snake.py", "python3"), ("broken.sh", "not UTF-8"), ("none.sh", "cannot be read"), (".", "not a file")]
    {
        let done = files(&[name]);
        assert_eq!(done.code, 65, "{name}");
        assert!(done.stdout.contains(text), "{name}: {}", done.stdout);
    }
    let done = files(&["--format", "sarif", "fine.sh", "bad name.sh"]);
    let sarif: Value = serde_json::from_str(&done.stdout).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "bad%20name.sh");
    let region = &place["region"];
    assert_eq!(
        (&region["startLine"], &region["startColumn"], &region["endColumn"]),
        (&json!(3), &json!(11), &json!(17))
    );
    assert_eq!((&region["byteOffset"], &region["charOffset"]), (&json!(34), &json!(33)));
    assert_eq!(region["snippet"]["text"], "curl x");
}

/// The parts of the SARIF 2.1.0 schema that concern what is written.
fn assert_is_sarif(text: &str) -> Value {
    let sarif: Value = serde_json::from_str(text).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert!(sarif["$schema"].as_str().unwrap().ends_with("sarif-schema-2.1.0.json"));
    let [run] = sarif["runs"].as_array().unwrap().as_slice() else { panic!("one run") };
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "toolreeve");
    let rules = driver["rules"].as_array().unwrap();
    for rule in rules {
        for field in ["shortDescription", "fullDescription", "help"] {
            assert!(!rule[field]["text"].as_str().unwrap().is_empty(), "{rule}");
        }
    }
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        assert!(!place["artifactLocation"]["uri"].as_str().unwrap().contains(' '));
        if let Some(region) = place.get("region") {
            for field in ["startLine", "startColumn", "endLine", "endColumn"] {
                assert!(region[field].as_u64().unwrap() >= 1, "{region}");
            }
        }
    }
    sarif
}

#[test]
fn sarif_names_rules_levels_and_places() {
    let input = b"ls\ngit push\ncurl x\necho \xc3\xa9 > $f\n\xff\ncat $(id)\n";
    let done = Toolreeve::new(&["check", "--lines", "--format", "sarif", "--deny", "Bash(curl:*)"]).input(input);
    assert_eq!(done.code, 65);
    let sarif = assert_is_sarif(&done.stdout);
    let run = &sarif["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let got: Vec<(String, String)> = run["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| (result["ruleId"].as_str().unwrap().to_owned(), result["level"].as_str().unwrap().to_owned()))
        .collect();
    for wanted in [("no-rule", "warning"), ("rule-deny", "error"), ("invalid-input", "error")] {
        assert!(got.contains(&(wanted.0.to_owned(), wanted.1.to_owned())), "{wanted:?} in {got:?}");
    }
    let nothing = check(&["--format", "sarif", "ls"]);
    assert_eq!(assert_is_sarif(&nothing.stdout)["runs"][0]["results"], json!([]));
    // Blanks in front of a command are part of the text that offsets count in.
    let sarif = assert_is_sarif(&check(&["--format", "sarif", "  git push"]).stdout);
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["byteOffset"], &region["byteLength"]), (&json!(2), &json!(8)));
}

#[test]
fn junit_counts_and_escapes() {
    let input = b"ls\ngit push '<&\"\x1b>'\n\xff\n";
    let done = Toolreeve::new(&["check", "--lines", "--format", "junit"]).input(input);
    let text = &done.stdout;
    assert_eq!(done.code, 65);
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "), "{text}");
    assert!(
        text.contains("<testsuite name=\"toolreeve check\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\">")
    );
    assert!(text.contains("name=\"line 1: ls\"/>"), "{text}");
    assert!(text.contains("name=\"line 2: git push '&lt;&amp;&quot;\\u{1b}&gt;'\""), "{text}");
    assert!(text.contains("<failure type=\"ask\" message=\"ask: "), "{text}");
    assert!(text.contains("<error type=\"invalid-input\" "), "{text}");
    for tag in ["testsuites", "testsuite", "failure"] {
        assert_eq!(text.matches(&format!("<{tag} ")).count(), text.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    assert!(!text.contains('\x1b'));
}

#[test]
fn json_is_one_answer_or_a_list_of_them() {
    let answer: Value = serde_json::from_str(&check(&["--format", "json", "ls"]).stdout).unwrap();
    assert_eq!(answer["behavior"], "allow");
    let many = |text: &[u8]| -> Value {
        serde_json::from_str(&Toolreeve::new(&["check", "--lines", "--format", "json"]).input(text).stdout).unwrap()
    };
    assert_eq!(many(b""), json!([]));
    assert_eq!(many(b"ls\ngit push")[1]["behavior"], "ask");
}

#[test]
fn an_explanation_shows_how_the_decision_came_about() {
    let done = check(&[
        "--explain",
        "--deny",
        "Bash(git push:*)",
        "--allow",
        "Bash(npm:*)",
        "NODE_ENV=x timeout 5 npm test \"$x\" && cat a > out.txt && git push",
    ]);
    let text = &done.stdout;
    assert_eq!(done.code, 2);
    for part in [
        "deny: the rule Bash(git push:*) denies `git push`\n",
        "simple: bash runs the commands below",
        "as rules see npm test \"$x\"",
        "\"$x\" (unknown)",
        "NODE_ENV=x  harmless: allow rules look past it",
        "> out.txt  (writes a file)",
        "writes out.txt  (/home/u/project/out.txt, by a redirection)",
        "no: it changes out.txt",
        "[rule-deny, step 2: deny rules] rule Bash(git push:*) from the command line",
        "├─ allow: NODE_ENV=x timeout 5 npm test \"$x\"",
        "└─ deny: git push",
        "without the rule Bash(git push:*): ask (",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.trim_start().starts_with("^^^^^^^^")).unwrap();
    let column = lines[at].chars().position(|c| c == '^').unwrap();
    assert_eq!(lines[at - 1].chars().skip(column).collect::<String>(), "git push");
    let hidden = check(&["--explain", "ls\u{202e}\u{1b}[2J \u{a0}x"]).stdout;
    assert!(hidden.contains("ls\\u{202e}\\u{1b}[2J \\u{a0}x") && !hidden.contains('\u{1b}'), "{hidden}");
    let suggested = check(&["--explain", "git push"]).stdout;
    assert!(suggested.contains("with the allow rules Bash(git push:*): allow"), "{suggested}");
    assert!(suggested.contains("in the mode bypassPermissions: allow"), "{suggested}");
    let critical = check(&["--explain", "rm -rf /"]).stdout;
    assert!(critical.contains("nothing here would"), "{critical}");
    assert_eq!(check(&["--explain", ""]).code, 1);
}

#[test]
fn colours_obey_the_option_and_the_environment() {
    let colored = |args: &[&str], env: &[(&str, &str)]| {
        let mut all = vec!["check"];
        all.extend(args);
        all.push("git push");
        env.iter().fold(Toolreeve::new(&all), |run, (name, value)| run.env(name, value)).run().stdout.contains('\x1b')
    };
    // The output is a pipe here, not a terminal.
    assert!(!colored(&[], &[]));
    assert!(!colored(&["--color", "never"], &[]));
    assert!(colored(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(colored(&["--explain", "--color", "always"], &[]));
}

#[test]
fn on_a_terminal_there_are_colours_unless_no_color_is_set() {
    // `script` runs its command on a terminal of its own.
    let on_terminal = |env: &[(&str, &str)]| {
        let line = format!("{} check 'git push'", env!("CARGO_BIN_EXE_toolreeve"));
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).env_remove("NO_COLOR").env("TERM", "xterm").stdin(Stdio::null());
        command.envs(env.iter().copied()).output().ok().map(|done| String::from_utf8_lossy(&done.stdout).into_owned())
    };
    let Some(plain) = on_terminal(&[]) else {
        println!("no `script` here, so nothing was checked");
        return;
    };
    assert!(plain.contains("\x1b[33mask\x1b[0m"), "{plain:?}");
    for env in [[("NO_COLOR", "1")], [("TERM", "dumb")]] {
        let text = on_terminal(&env).unwrap();
        assert!(text.contains("ask: git push") && !text.contains('\x1b'), "{text:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_allow() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolreeve"))
        .args(["check", "--lines", "--format", "jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin.write_all(b"ls\n").unwrap();
    // Each answer leaves before the next line comes.
    let mut first = String::new();
    stdout.read_line(&mut first).unwrap();
    assert!(first.contains("\"allow\""), "{first}");
    drop(stdout);
    for _ in 0..1000 {
        if stdin.write_all(b"ls\n").is_err() {
            break;
        }
    }
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), done.stderr.as_slice()), (Some(1), &b""[..]));
}

#[test]
fn memory_does_not_grow_with_the_number_of_lines() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolreeve"))
        .args(["check", "--lines", "--format", "junit"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let peak = |id: u32| -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let block = "true\n".repeat(300);
    let mut write = |blocks: usize| (0..blocks).for_each(|_| stdin.write_all(block.as_bytes()).unwrap());
    write(1);
    let before = peak(child.id());
    write(4);
    let after = peak(child.id());
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(after < before + 4096, "{before} kB, then {after} kB");
}

/// What `.pre-commit-hooks.yaml` says for a hook.
fn pre_commit_entry(id: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let (_, hook) = text.split_once(&format!("- id: {id}\n")).unwrap();
    let entry = hook.lines().find_map(|line| line.trim().strip_prefix("entry: toolreeve ")).unwrap();
    entry.split(' ').map(str::to_owned).collect()
}

#[test]
fn the_pre_commit_hook_fails_on_danger_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let mut rows: Vec<(&str, &[u8], i32)> = vec![
        ("plain.sh", b"#!/bin/sh\nset -e\nfor f in *.c; do cc -c \"$f\"; done\nnpm publish\n", 0),
        ("removes.sh", b"#!/bin/bash\nnpm test\nrm -rf / \n", 1),
        ("denied.sh", b"if true; then\n  curl x | sh\nfi\n", 2),
    ];
    let hidden = "ls # \u{202e}\n".to_owned();
    rows.push(("hidden.sh", hidden.as_bytes(), 1));
    let entry = pre_commit_entry("toolreeve-check");
    let run = |names: &[&str]| {
        let mut args: Vec<&str> = entry.iter().map(String::as_str).collect();
        args.extend(["--deny", "Bash(curl:*)"]);
        args.extend(names);
        Toolreeve::new(&args).cwd(dir.path()).run()
    };
    for (name, text, code) in &rows {
        std::fs::write(dir.path().join(name), text).unwrap();
        let done = run(&[name]);
        assert_eq!((done.code, done.stderr.as_str()), (*code, ""), "{name}: {}", done.stdout);
    }
    let done = run(&rows.iter().map(|row| row.0).collect::<Vec<_>>());
    assert_eq!(done.code, 2);
    assert!(done.stdout.contains("removes.sh:3:1: ask: it would remove"), "{}", done.stdout);
    assert!(done.stdout.contains("denied.sh:2:3: deny: the rule Bash(curl:*)"), "{}", done.stdout);
    assert!(!done.stdout.contains("npm test"), "{}", done.stdout);
}

#[test]
fn the_pre_commit_hook_for_settings_names_each_place() {
    let dir = tempfile::tempdir().unwrap();
    let entry = pre_commit_entry("toolreeve-settings");
    let run = |names: &[&str]| {
        let args: Vec<&str> = entry.iter().map(String::as_str).chain(names.iter().copied()).collect();
        Toolreeve::new(&args).cwd(dir.path()).run()
    };
    std::fs::write(dir.path().join("good.json"), r#"{"permissions": {"allow": ["Bash(npm test)"]}}"#).unwrap();
    std::fs::write(dir.path().join("bad.json"), "{\"permissions\": {\n\"deny\": [\"Bash(rm\"]}}").unwrap();
    let done = run(&["good.json"]);
    assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (0, "", ""));
    let done = run(&["good.json", "bad.json"]);
    assert_eq!(done.code, 65);
    assert!(done.stdout.starts_with("bad.json:2:"), "{}", done.stdout);
    assert_eq!(run(&["none.json"]).code, 65, "{}", run(&["none.json"]).stdout);
    assert_eq!(run(&[]).code, 64);
}
