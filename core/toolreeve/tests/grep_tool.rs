//! Grep on small trees, against rows of what ripgrep prints for the same search.

use serde_json::{Value, json};
use toolreeve::engine::{CancelReason, ErrorKind, erase};
use toolreeve::tools::grep::Grep;

use crate::calls::Place;

fn tree() -> Place {
    let place = Place::new();
    let files: [(&str, &[u8]); 11] = [
        ("x.txt", b"a\nfoo\nb\nc\nd\ne\nfoo bar foo\nz\n"),
        ("y.txt", b"one\nfoo\nbar\nfoo\nbar\n"),
        ("src/m.rs", b"fn foo() {}\nFOO\n"),
        ("src/crlf.rs", b"foo\r\nx\r\n"),
        ("src/no_end.py", b"x\nfoo"),
        ("bin.dat", b"foo\n\0foo\n"),
        ("utf16.txt", b"\xff\xfef\0o\0o\0\n\0"),
        ("latin1.txt", b"caf\xe9 foo\n"),
        (".hidden/h.txt", b"foo\n"),
        (".git/config", b"foo\n"),
        ("ignored/i.txt", b"foo\n"),
    ];
    for (age, (name, text)) in files.iter().enumerate() {
        place.file(name, text);
        place.modified(name, 1_000 - age as u64);
    }
    place.file(".gitignore", "ignored\n");
    std::os::unix::fs::symlink("x.txt", place.at("link.txt")).unwrap();
    place
}

/// Adds `pattern: "foo"` where there is none.
fn with(mut input: Value) -> Value {
    let map = input.as_object_mut().unwrap();
    map.entry("pattern").or_insert("foo".into());
    input
}

#[tokio::test]
async fn content_has_the_form_of_ripgrep() {
    let place = tree();
    let tool = erase(Grep::default());
    let content = |more: Value| {
        let mut input = with(more);
        input["output_mode"] = "content".into();
        input
    };
    let rows = [
        (
            json!({"path": "x.txt", "-C": 1}),
            "x.txt-1-a\nx.txt:2:foo\nx.txt-3-b\n--\nx.txt-6-e\nx.txt:7:foo bar foo\nx.txt-8-z",
        ),
        (
            json!({"glob": "[xy].txt", "context": 1}),
            "x.txt-1-a\nx.txt:2:foo\nx.txt-3-b\n--\nx.txt-6-e\nx.txt:7:foo bar foo\nx.txt-8-z\n--\n\
             y.txt-1-one\ny.txt:2:foo\ny.txt-3-bar\ny.txt:4:foo\ny.txt-5-bar",
        ),
        (
            json!({"path": "x.txt", "-C": 1, "-o": true}),
            "x.txt-1-a\nx.txt:2:foo\nx.txt-3-b\n--\nx.txt-6-e\nx.txt:7:foo\nx.txt:7:foo\nx.txt-8-z",
        ),
        (json!({"path": "x.txt", "-A": 1}), "x.txt:2:foo\nx.txt-3-b\n--\nx.txt:7:foo bar foo\nx.txt-8-z"),
        (json!({"path": "x.txt", "-B": 1}), "x.txt-1-a\nx.txt:2:foo\n--\nx.txt-6-e\nx.txt:7:foo bar foo"),
        (json!({"path": "x.txt", "-B": 0, "-C": 1, "pattern": "bar"}), "x.txt:7:foo bar foo\nx.txt-8-z"),
        (json!({"path": "x.txt", "-n": false}), "x.txt:foo\nx.txt:foo bar foo"),
        (json!({"path": "x.txt", "-n": false, "-o": true}), "x.txt:foo\nx.txt:foo\nx.txt:foo"),
        (
            json!({"path": "src", "-i": true}),
            "src/crlf.rs:1:foo\nsrc/m.rs:1:fn foo() {}\nsrc/m.rs:2:FOO\nsrc/no_end.py:2:foo",
        ),
        (json!({"path": "src", "type": "py"}), "src/no_end.py:2:foo"),
        (json!({"glob": "*.{rs,py}, !m.rs"}), "src/crlf.rs:1:foo\nsrc/no_end.py:2:foo"),
        (json!({"glob": "src/*.rs", "pattern": "^foo"}), "src/crlf.rs:1:foo"),
        (
            json!({"path": "y.txt", "pattern": "foo\\nbar", "multiline": true}),
            "y.txt:2:foo\ny.txt:3:bar\ny.txt:4:foo\ny.txt:5:bar",
        ),
        (
            json!({"path": "y.txt", "pattern": "oo\\nb", "multiline": true, "-o": true}),
            "y.txt:2:oo\ny.txt:3:b\ny.txt:4:oo\ny.txt:5:b",
        ),
        (json!({"path": "x.txt", "pattern": "b.*d", "multiline": true}), "x.txt:3:b\nx.txt:4:c\nx.txt:5:d"),
        (json!({"path": "x.txt", "pattern": "b.*d"}), "No matches found"),
        (json!({"path": "latin1.txt"}), "latin1.txt:1:caf\u{fffd} foo"),
        (json!({"path": "utf16.txt"}), "utf16.txt:1:foo"),
        (json!({"path": "link.txt", "pattern": "bar"}), "link.txt:7:foo bar foo"),
        (json!({"path": "bin.dat"}), "bin.dat: binary file matches"),
        (json!({"path": "ignored/i.txt"}), "ignored/i.txt:1:foo"),
        (json!({"path": "x.txt", "pattern": "x*", "-o": true}), "No matches found"),
    ];
    for (more, expected) in rows {
        let answer = place.call(&*tool, content(more.clone())).await.unwrap();
        assert_eq!(answer.text, expected, "{more}");
    }
}

#[tokio::test]
async fn files_are_listed_newest_first() {
    let place = tree();
    let tool = erase(Grep::default());
    let all =
        ["x.txt", "y.txt", "src/m.rs", "src/crlf.rs", "src/no_end.py", "utf16.txt", "latin1.txt", ".hidden/h.txt"];
    let answer = place.call(&*tool, with(json!({}))).await.unwrap();
    assert_eq!(answer.data["filenames"], json!(all));
    assert_eq!(answer.text, format!("Found 8 files\n{}", all.join("\n")));
    let rows = [
        (
            json!({"head_limit": 2}),
            "Found 8 files\nx.txt\ny.txt\n\n(Showing files 1-2 of 8. Continue with offset 2, or narrow the search.)",
        ),
        (json!({"head_limit": 2, "offset": 6}), "Found 8 files\nlatin1.txt\n.hidden/h.txt"),
        (json!({"offset": 8}), "Nothing is left behind offset 8: there are only 8 files. Use a smaller offset."),
        (json!({"path": "bin.dat"}), "Found 1 file\nbin.dat"),
        (json!({"path": "src", "-A": 3, "type": "py"}), "Found 1 file\nsrc/no_end.py"),
        (json!({"pattern": "nowhere"}), "No files found"),
    ];
    for (more, expected) in rows {
        let answer = place.call(&*tool, with(more.clone())).await.unwrap();
        assert_eq!(answer.text, expected, "{more}");
    }
}

#[tokio::test]
async fn counts_are_of_lines_and_the_total_covers_everything() {
    let place = tree();
    let tool = erase(Grep::default());
    let count = |more: Value| {
        let mut input = with(more);
        input["output_mode"] = "count".into();
        input
    };
    let rows = [
        (json!({"glob": "[xy].txt"}), "x.txt:2\ny.txt:2\n\n4 matches in 2 files"),
        (
            json!({"glob": "[xy].txt", "head_limit": 1}),
            "x.txt:2\n\n4 matches in 2 files\n\n(Showing files 1-1 of 2. Continue with offset 1, or narrow the search.)",
        ),
        (json!({"path": "y.txt", "pattern": "foo\\nbar", "multiline": true}), "y.txt:2\n\n2 matches in 1 file"),
        (json!({"path": "bin.dat"}), "bin.dat:2\n\n2 matches in 1 file"),
        (json!({"pattern": "nowhere"}), "No matches found"),
    ];
    for (more, expected) in rows {
        let answer = place.call(&*tool, count(more.clone())).await.unwrap();
        assert_eq!(answer.text, expected, "{more}");
    }
    let answer = place.call(&*tool, count(json!({"glob": "[xy].txt", "head_limit": 1}))).await.unwrap();
    assert_eq!((&answer.data["numMatches"], &answer.data["numFiles"]), (&json!(4), &json!(1)));
}

#[tokio::test]
async fn long_results_are_paged_by_lines() {
    let place = Place::new();
    for file in ["b", "a"] {
        place.file(file, (0..300).map(|line| format!("{file}{line}\n")).collect::<String>());
    }
    let tool = erase(Grep::default());
    let page = |more: Value| {
        let mut input = json!({"pattern": ".", "output_mode": "content", "-n": false});
        input.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
        input
    };
    let lines = |from: usize, to: usize| -> String {
        let all: Vec<String> = (0..300).map(|l| format!("a:a{l}")).chain((0..300).map(|l| format!("b:b{l}"))).collect();
        all[from..to].join("\n")
    };
    for (more, from, to) in [
        (json!({}), 0, 250),
        (json!({"offset": 250}), 250, 500),
        (json!({"offset": 500}), 500, 600),
        (json!({"head_limit": 0}), 0, 600),
        (json!({"head_limit": 1, "offset": 300}), 300, 301),
    ] {
        let answer = place.call(&*tool, page(more.clone())).await.unwrap();
        assert_eq!(answer.data["content"], lines(from, to), "{more}");
        assert_eq!((&answer.data["numLines"], &answer.data["totalLines"]), (&json!(to - from), &json!(600)));
        assert_eq!(answer.data.get("appliedLimit").is_some(), to < 600, "{more}");
    }
    let answer = place.call(&*tool, page(json!({"offset": 600}))).await.unwrap();
    assert_eq!(answer.text, "Nothing is left behind offset 600: there are only 600 lines. Use a smaller offset.");
}

#[tokio::test]
async fn large_files_and_late_nul_bytes_are_searched_as_ripgrep_does() {
    let place = Place::new();
    let mut large = b"needle one\n".to_vec();
    large.extend(b"filler line\n".repeat(20_000));
    large.extend(b"needle two\n");
    place.file("large.txt", &large);
    large[120_000] = 0;
    place.file("late_nul.txt", &large);
    place.file("long_line.js", format!("{}needle{}", "a".repeat(300_000), "b".repeat(300_000)));
    let tool = erase(Grep::default());
    let search = |path: &str| json!({"pattern": "needle", "output_mode": "content", "path": path, "glob": "*"});
    let answer = place.call(&*tool, search("large.txt")).await.unwrap();
    assert_eq!(answer.text, "large.txt:1:needle one\nlarge.txt:20002:needle two");
    let answer =
        place.call(&*tool, json!({"pattern": "needle", "output_mode": "content", "glob": "late*"})).await.unwrap();
    assert_eq!(answer.text, "late_nul.txt:1:needle one");
    let answer = place.call(&*tool, search("long_line.js")).await.unwrap();
    assert!(answer.text.contains("aneedleb") && answer.text.ends_with("[line of 600006 bytes]"), "{}", answer.text);
    assert!(answer.text.len() < 700);
}

#[tokio::test]
async fn ignore_files_above_a_repository_or_without_one_are_handled() {
    let place = Place::new();
    place.file(".gitignore", "*\n");
    place.file("project/sub/a.txt", "foo");
    place.file("project/sub/.gitignore", "skip.txt\n");
    place.file("project/sub/skip.txt", "foo");
    let tool = erase(Grep::default());
    // Not a repository: only what lies in the searched tree counts.
    let answer = place.call(&*tool, json!({"pattern": "foo", "path": "project"})).await.unwrap();
    assert_eq!(answer.data["filenames"], json!(["project/sub/a.txt"]));
    // A repository: its own files count, those above it do not.
    std::fs::create_dir(place.at("project/.git")).unwrap();
    place.file("project/.gitignore", "*.log\n");
    place.file("project/sub/x.log", "foo");
    let answer = place.call(&*tool, json!({"pattern": "foo", "path": "project/sub"})).await.unwrap();
    assert_eq!(answer.data["filenames"], json!(["project/sub/a.txt"]));
}

#[tokio::test]
async fn bad_input_is_answered_with_the_reason() {
    let place = tree();
    std::process::Command::new("mkfifo").arg(place.at("pipe")).status().unwrap();
    let tool = erase(Grep::default());
    let rows = [
        (json!({"pattern": "(foo"}), "regex parse error:\n    (foo\n    ^\nerror: unclosed group"),
        (json!({"pattern": "foo\\nbar"}), "set `multiline` to true"),
        (json!({"pattern": "((a{999}){999}){999}"}), "too large once compiled"),
        (json!({"type": "nope"}), "`type` \"nope\" is not known"),
        (json!({"glob": "[a"}), "`glob` is not valid"),
        (json!({"path": "nope"}), "No such file or directory"),
        (json!({"path": "pipe"}), "neither a file nor a directory"),
        (json!({"path": "/dev/zero"}), "neither a file nor a directory"),
        (json!({"path": "a\0"}), "NUL"),
        (json!({"-C": 1_000_000}), "lines of context"),
        (json!({"-A": -1}), "`-A`"),
        (json!({"output_mode": "lines"}), "`output_mode`"),
    ];
    for (more, words) in rows {
        let error = place.call(&*tool, with(more.clone())).await.unwrap_err();
        assert!(error.message.contains(words), "{more}: {}", error.message);
    }
}

#[tokio::test]
async fn denied_files_are_not_listed() {
    let place = tree();
    place.deny("Read(./src/m.rs)");
    place.deny("Read(y.txt)");
    let tool = erase(Grep::default());
    for mode in ["content", "count", "files_with_matches"] {
        let answer = place.call(&*tool, json!({"pattern": "foo", "output_mode": mode, "head_limit": 0})).await.unwrap();
        assert_eq!(answer.data["totalFiles"], 6, "{mode}");
        assert!(!answer.text.contains("m.rs") && !answer.text.contains("y.txt"), "{}", answer.text);
    }
}

#[tokio::test]
async fn hard_patterns_stay_linear() {
    let place = Place::new();
    place.file("a.txt", "a".repeat(200_000));
    let tool = erase(Grep::default());
    let answer = place.call(&*tool, json!({"pattern": "(a*)*b", "output_mode": "count"})).await.unwrap();
    assert_eq!(answer.text, "No matches found");
}

#[tokio::test]
async fn files_that_cannot_be_searched_are_named() {
    let place = Place::new();
    place.file("a.txt", "foo\n");
    // A line that does not fit into memory limits, without the disk space for it.
    let sparse = std::fs::File::create(place.at("big.bin")).unwrap();
    sparse.set_len(1 << 30).unwrap();
    let tool = erase(Grep::default());
    let answer = place.call(&*tool, json!({"pattern": "foo"})).await.unwrap();
    assert_eq!(answer.text, "Found 1 file\na.txt");
    std::fs::write(place.at("big.txt"), vec![b'x'; 17 << 20]).unwrap();
    let answer = place.call(&*tool, json!({"pattern": "foo"})).await.unwrap();
    assert!(answer.text.contains("(1 file could not be searched, for example big.txt: "), "{}", answer.text);
}

#[tokio::test]
async fn a_cancelled_or_late_search_ends() {
    let place = tree();
    let tool = erase(Grep { time_limit: std::time::Duration::ZERO, ..Grep::default() });
    let error = place.call(&*tool, json!({"pattern": "foo"})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    place.cancel.cancel(CancelReason::User);
    let error = place.call(&*erase(Grep::default()), json!({"pattern": "foo"})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Cancelled(CancelReason::User));
}
