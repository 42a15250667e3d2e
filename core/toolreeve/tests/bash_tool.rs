//! Bash with real commands: what comes back, and that nothing is left behind whatever a command does.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use toolreeve::engine::{CallSubject, CancelReason, ErrorKind, erase};
use toolreeve::tools::bash::Bash;

use crate::calls::Place;

/// The living processes whose command line contains a text.
fn processes_with(text: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&command).replace('\0', " ").contains(text) {
            found.push(pid);
        }
    }
    found
}

/// A number that tells the `sleep` of one test from all others: about a day.
fn long_time(test: u32) -> String {
    format!("8{:05}.{test:03}", std::process::id() % 100_000)
}

#[tokio::test]
async fn commands_come_back_with_output_and_status() {
    let place = Place::new();
    place.file("a.txt", "one\ntwo\n");
    let tool = erase(Bash::default());
    let rows = [
        ("echo hi", "hi", false),
        ("printf 'a\\n\\nb\\n\\n'", "a\n\nb", false),
        ("true", "(no output)", false),
        ("echo out; echo err >&2", "out\n[stderr]\nerr", false),
        ("echo err >&2", "[stderr]\nerr", false),
        ("exit 3", "Exit code 3", true),
        ("echo out; echo err >&2; exit 3", "Exit code 3\nout\n[stderr]\nerr", true),
        ("grep three a.txt", "(no output)\n(exit code 1: no match)", false),
        ("grep -q three nope.txt", "Exit code 2\n[stderr]\ngrep: nope.txt: No such file or directory", true),
        ("false", "Exit code 1", true),
        (
            "nosuchprogram",
            "Exit code 127\n[stderr]\nbash: line 1: nosuchprogram: command not found\n(the program was not found)",
            true,
        ),
        ("kill -KILL $$", "Exit code 137\n(killed)", true),
        ("kill -TERM $$", "Exit code 143\n(terminated)", true),
        ("kill -SEGV $$", "Exit code 139\n(crashed by a memory fault)", true),
        // Nothing to read, and nothing between the command and bash.
        ("cat; read x; echo \"[$x]\"", "[]", false),
        ("echo $# $0", "0 bash", false),
        ("-x 2>/dev/null || echo 'a  b'", "a  b", false),
        ("echo \"it's\" '$HOME' \\\\", "it's $HOME \\", false),
        ("cat <<'END'\n$x `y`\nEND\n", "$x `y`", false),
        ("trap 'echo bye' EXIT; echo hi", "hi\nbye", false),
        ("set -euo pipefail; cat a.txt | head -1", "one", false),
        ("exec echo replaced", "replaced", false),
        ("echo \"[${BASH_ENV-unset}]\"", "[unset]", false),
        ("printf '\\xff\\xe2\\x82'", "\u{fffd}\u{fffd}", false),
        ("printf 'a\\0b' | od -An -c | tr -s ' '", " a \\0 b", false),
    ];
    for (command, text, is_error) in rows {
        let answer = place.call(&*tool, json!({"command": command})).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.is_error), (text, is_error), "{command}");
        assert_eq!(answer.data["interrupted"], false);
    }
    let answer = place.call(&*tool, json!({"command": "if"})).await.unwrap();
    assert!(
        answer.text.starts_with("Exit code 2\n[stderr]\nbash: ") && answer.text.contains("syntax error"),
        "{}",
        answer.text
    );
    let answer = place.call(&*tool, json!({"command": "grep three a.txt"})).await.unwrap();
    assert_eq!(answer.data["returnCodeInterpretation"], "no match");
    let answer = place.call(&*tool, json!({"command": "touch b"})).await.unwrap();
    assert_eq!(answer.data["noOutputExpected"], true);
}

#[tokio::test]
async fn input_that_makes_no_sense_is_refused() {
    let place = Place::new();
    let tool = erase(Bash::default());
    let rows = [
        (json!({"command": " \n"}), "`command` is empty"),
        (json!({"command": "a\0b"}), "NUL"),
        (json!({"command": "x".repeat(131_072)}), "write a script with Write"),
        (json!({"command": "ls", "timeout": -1}), "`timeout` is negative"),
        (json!({"command": "ls", "run_in_background": true}), "`run_in_background` is not available yet"),
        (json!({"command": "ls", "shell": "zsh"}), "unexpected parameter was provided: `shell`"),
        (json!({}), "`command` is missing"),
    ];
    for (input, words) in rows {
        let error = place.call(&*tool, input).await.unwrap_err();
        assert!(error.message.contains(words), "{words}: {}", error.message);
    }
    let longest = format!("true {}", "x".repeat(131_066));
    assert!(!place.call(&*tool, json!({"command": longest})).await.unwrap().is_error);
    let harmless = json!({"command": "echo hi", "timeout": 5000.0, "run_in_background": false,
        "dangerouslyDisableSandbox": true, "description": "Say hi"});
    assert_eq!(place.call(&*tool, harmless).await.unwrap().text, "hi");
}

#[tokio::test]
async fn calls_are_classified_by_their_command() {
    let place = Place::new();
    let tool = erase(Bash::default());
    let rows = [
        // command, read-only, beside others, cancels siblings, destructive
        ("ls -l", true, true, false, false),
        ("cd src && ls", true, false, false, false),
        ("touch x", false, false, true, false),
        ("rm -rf build", false, false, true, true),
        ("echo $(", false, false, true, false),
    ];
    for (command, read_only, beside, cancels, destructive) in rows {
        let input = place.input(&*tool, &json!({"command": command})).await.unwrap();
        let found = (
            tool.is_read_only(&input),
            tool.is_concurrency_safe(&input),
            tool.failure_cancels_siblings(&input),
            tool.is_destructive(&input),
        );
        assert_eq!(found, (read_only, beside, cancels, destructive), "{command}");
        assert_eq!(tool.destructive_warnings(&input).is_empty(), !destructive);
        assert_eq!(tool.classifier_input(&input), command);
        let CallSubject::Command(analysis) = tool.permission_subject(&input, &place.context()) else {
            panic!("not a command");
        };
        assert_eq!(analysis.text, command);
    }
}

#[tokio::test]
async fn the_working_directory_carries_over_and_the_environment_does_not() {
    let place = Place::new();
    std::fs::create_dir_all(place.at("sub/deep dir")).unwrap();
    let tool = erase(Bash::default());
    let reset = format!(
        "(The working directory was reset to {}: / is outside of the allowed directories.)",
        place.at("").display().to_string().trim_end_matches('/')
    );
    let rows = [
        ("cd sub; X=1; export Y=2; exit 0", "(no output)".to_owned(), "sub"),
        ("cd \"deep dir\"; echo \"[$X$Y]\"", "[]".to_owned(), "sub/deep dir"),
        ("(cd /; true); cd .. & wait; bash -c 'cd /'", "(no output)".to_owned(), "sub/deep dir"),
        ("set -C; cd ..; false", "Exit code 1".to_owned(), "sub"),
        ("cd deep\\ dir; exec true", "(no output)".to_owned(), "sub"),
        ("cd /; pwd", format!("/\n{reset}"), ""),
        ("pwd", place.at("").display().to_string().trim_end_matches('/').to_owned(), ""),
    ];
    for (command, text, cwd) in rows {
        let answer = place.call(&*tool, json!({"command": command})).await.unwrap();
        assert_eq!(answer.text, text, "{command}");
        assert_eq!(place.session.context().cwd(), place.at(cwd), "{command}");
    }
}

#[tokio::test]
async fn a_removed_working_directory_is_named_and_left() {
    let place = Place::new();
    std::fs::create_dir(place.at("sub")).unwrap();
    let tool = erase(Bash::default());
    place.call(&*tool, json!({"command": "cd sub"})).await.unwrap();
    place.call(&*tool, json!({"command": "rmdir ../sub"})).await.unwrap();
    let answer = place.call(&*tool, json!({"command": "touch made"})).await.unwrap();
    assert!(answer.is_error && answer.text.contains("sub does not exist any more"), "{}", answer.text);
    assert!(!place.at("made").exists());
    let answer = place.call(&*tool, json!({"command": "touch made"})).await.unwrap();
    assert!(!answer.is_error && place.at("made").exists());
}

#[tokio::test]
async fn variables_come_from_the_context_and_start_files_still_run() {
    let place = Place::new();
    let start = place.file("start.sh", "GREETING=hello");
    place.session.update_context(|context| {
        context.env.push(("COLOUR".into(), "green".into()));
        context.env.push(("BASH_ENV".into(), start.display().to_string()));
    });
    let tool = erase(Bash::default());
    let answer = place.call(&*tool, json!({"command": "echo $COLOUR $GREETING $BASH_ENV"})).await.unwrap();
    assert_eq!(answer.text, format!("green hello {}", start.display()));
}

#[tokio::test]
async fn a_shell_that_is_missing_or_broken_is_named() {
    let place = Place::new();
    let broken = place.file("broken", "x");
    for (bash, words) in [(Path::new("/no/bash"), "cannot run /no/bash: No such file"), (&broken, "Permission denied")]
    {
        let tool = erase(Bash { bash: Some(bash.into()), ..Bash::default() });
        let error = place.call(&*tool, json!({"command": "true"})).await.unwrap_err();
        assert!(error.message.contains(words), "{}", error.message);
        assert_eq!(error.kind, ErrorKind::Io);
    }
}

#[tokio::test]
async fn a_hanging_command_is_stopped_at_its_time_limit() {
    let place = Place::new();
    let tool = erase(Bash::default());
    let time = long_time(1);
    for command in [
        format!("echo before; sleep {time}; echo after"),
        // Ignores the request to end, and so do its children.
        format!("trap '' TERM; echo before; (sleep {time} & sleep {time}); sleep {time}"),
        // Closes its output and lives on.
        format!("echo before; exec >&- 2>&-; sleep {time}"),
        // Stopped, as if it had asked a terminal.
        format!("echo before; kill -STOP $$; sleep {time}"),
    ] {
        let answer = place.call(&*tool, json!({"command": command, "timeout": 300})).await.unwrap();
        assert!(answer.is_error, "{command}");
        assert!(answer.text.starts_with("Exit code 1") && answer.text.contains("\nbefore\n"), "{}", answer.text);
        assert!(answer.text.contains("stopped after 300 ms, its time limit"), "{}", answer.text);
        assert_eq!((&answer.data["interrupted"], &answer.data["timedOutAfterMs"]), (&json!(true), &json!(300)));
        assert!(processes_with(&time).is_empty(), "{command}");
    }
}

#[tokio::test]
async fn long_time_limits_are_cut() {
    let place = Place::new();
    let limit = Duration::from_millis(200);
    let tool = erase(Bash { default_timeout: limit, max_timeout: limit, ..Bash::default() });
    for timeout in [json!(1e300), json!(0), json!(null)] {
        let command = format!("sleep {}", long_time(2));
        let answer = place.call(&*tool, json!({"command": command, "timeout": timeout})).await.unwrap();
        assert_eq!(answer.data["timedOutAfterMs"], 200);
    }
}

#[tokio::test]
async fn a_cancel_takes_the_whole_tree() {
    let time = long_time(3);
    for command in [
        format!("sleep {time} & sleep {time} & echo ready; wait"),
        // A daemon in a session of its own, whose parents are gone, that ignores the request to end.
        format!("(setsid bash -c \"trap '' TERM; sleep {time} & echo ready; sleep {time}\" &); sleep {time}"),
        // One that is found only by its parent.
        format!("(env -i setsid sleep {time} & echo ready; sleep {time}) & wait"),
        format!("trap 'sleep {time}' TERM; echo ready; sleep {time}; sleep {time}"),
    ] {
        let place = Place::new();
        let tool = erase(Bash::default());
        let (result, ()) = tokio::join!(place.call(&*tool, json!({"command": command})), async {
            place.until_shown("ready").await;
            place.cancel.cancel(CancelReason::User);
        });
        assert_eq!(result.unwrap_err().kind, ErrorKind::Cancelled(CancelReason::User), "{command}");
        assert!(processes_with(&time).is_empty(), "{command}");
    }
}

#[tokio::test]
async fn a_dropped_call_takes_the_whole_tree() {
    let time = long_time(4);
    let place = Place::new();
    let tool = erase(Bash::default());
    let command = format!("(setsid sleep {time} &); trap '' TERM; sleep {time} & echo ready; sleep {time}");
    tokio::select! {
        _ = place.call(&*tool, json!({"command": command})) => panic!("it ended"),
        () = place.until_shown("ready") => {}
    }
    // The kill was sent when the call was dropped; to die takes a moment.
    while !processes_with(&time).is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn what_runs_on_in_the_background_does_not_hold_the_call() {
    let place = Place::new();
    let tool = erase(Bash::default());
    let time = long_time(5);
    let answer = place.call(&*tool, json!({"command": format!("sleep {time} & echo started")})).await.unwrap();
    let note = "(Processes that the command started in the background are still running.)";
    assert_eq!(answer.text, format!("started\n{note}"));
    let left = processes_with(&format!("sleep {time}"));
    assert_eq!(left.len(), 1);
    let stop = format!("kill {}", left[0]);
    assert_eq!(place.call(&*tool, json!({"command": stop})).await.unwrap().text, "(no output)");
}

#[tokio::test]
async fn output_is_shown_while_it_comes_and_characters_stay_whole() {
    let place = Place::new();
    std::process::Command::new("mkfifo").arg(place.at("go")).status().unwrap();
    let tool = erase(Bash::default());
    // The command goes on when its first half was shown, in the middle of a character.
    let command = "printf 'first \\xe2\\x82'; cat go; printf '\\xac last'; echo err >&2";
    let (answer, ()) = tokio::join!(place.call(&*tool, json!({"command": command})), async {
        place.until_shown("first ").await;
        tokio::fs::write(place.at("go"), "").await.unwrap();
    });
    assert_eq!(answer.unwrap().text, "first € last\n[stderr]\nerr");
    assert_eq!((place.shown("stdout").as_str(), place.shown("stderr").as_str()), ("first € last", "err\n"));
    assert!(place.progress().len() >= 3);
}

#[tokio::test]
async fn long_output_goes_to_a_file() {
    let place = Place::new();
    let tool = erase(Bash::default());
    let fits = place.call(&*tool, json!({"command": "head -c 30000 /dev/zero | tr '\\0' x"})).await.unwrap();
    assert_eq!(fits.text, "x".repeat(30_000));
    for name in ["call-stdout.txt", "call-stdout-1.txt"] {
        let answer = place.call(&*tool, json!({"command": "seq 100000; echo err >&2"})).await.unwrap();
        let path = place.session.spill_dir().join(name);
        assert_eq!(answer.data["persistedOutputPath"], json!(path));
        assert_eq!(answer.data["persistedOutputSize"], 588_895 + 4);
        let expected: String = (1..=100_000).map(|n| format!("{n}\n")).collect();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
        assert!(
            answer
                .text
                .starts_with("<persisted-output>\nOutput too large (588895 bytes). The whole text was saved to:")
        );
        assert!(answer.text.contains("\n1\n2\n3\n") && answer.text.ends_with("</persisted-output>\n[stderr]\nerr"));
        assert!(answer.text.len() < 3_000);
    }
    let answer = place.call(&*tool, json!({"command": "seq 100000; exit 9"})).await.unwrap();
    assert!(
        answer.text.starts_with("Exit code 9\n1\n2\n") && answer.text.ends_with("\n99999\n100000"),
        "{}",
        answer.text
    );
    assert!(answer.text.contains("bytes left out") && answer.text.chars().count() < 10_100);
    assert_eq!(answer.data.get("persistedOutputPath"), None);
}

/// The most memory that this process ever used, in KiB.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn memory_does_not_grow_with_output() {
    let place = Place::new();
    let tool = erase(Bash::default());
    let before = peak_memory();
    let answer = place.call(&*tool, json!({"command": "head -c 200000000 /dev/zero | tr '\\0' x"})).await.unwrap();
    assert_eq!(answer.data["persistedOutputSize"], 200_000_000);
    let path = answer.data["persistedOutputPath"].as_str().unwrap();
    assert_eq!(std::fs::metadata(path).unwrap().len(), 64 * 1024 * 1024);
    assert!(answer.text.contains("Its first 67108864 bytes were saved"), "{}", answer.text);
    let grown = peak_memory() - before;
    assert!(grown < 64 * 1024, "{grown} KiB");
}

#[tokio::test]
async fn a_command_that_writes_too_much_is_stopped() {
    let place = Place::new();
    let tool = erase(Bash { max_output_bytes: 1_000_000, ..Bash::default() });
    let answer = place.call(&*tool, json!({"command": "yes toolreeve-test-output"})).await.unwrap();
    assert!(answer.is_error && answer.text.contains("it wrote more than 1000000 bytes"), "{}", answer.text);
    assert!(answer.text.chars().count() < 10_500);
    assert!(processes_with("yes toolreeve-test-output").is_empty());
}
