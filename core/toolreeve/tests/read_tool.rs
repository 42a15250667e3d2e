//! Read: what the model sees of every kind of file, and what is refused and how.

use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolreeve::engine::{CancelReason, Context, ErrorKind, RenderNode, erase};
use toolreeve::tools::read::Read;

use crate::workspace::{Workspace, read};

#[tokio::test]
async fn lines_are_numbered_as_cat_does() {
    let workspace = Workspace::new();
    let path = workspace.put("a.txt", "first\n\n\tindented\nlast without newline");
    let done = workspace.read("a.txt").await.unwrap();
    let cat = Command::new("cat").args(["-n", &path]).output().unwrap();
    assert_eq!(done.text, String::from_utf8(cat.stdout).unwrap());
    let file = json!({
        "filePath": path, "content": "first\n\n\tindented\nlast without newline", "numLines": 4, "startLine": 1, "totalLines": 4
    });
    assert_eq!(done.data, json!({"type": "text", "file": file}));
    assert_eq!(done.render, RenderNode::text("Read 4 lines"));
}

#[tokio::test]
async fn a_range_begins_and_ends_where_it_was_asked_to() {
    let workspace = Workspace::new();
    workspace.put("a.txt", "1\n2\n3\n4\n5\n");
    let done = workspace.read_lines("a.txt", 2, 2).await.unwrap();
    assert_eq!(done.text, "     2\t2\n     3\t3");
    assert_eq!(done.data["file"]["totalLines"], 5);
    assert_eq!(workspace.read_lines("a.txt", 0, 1).await.unwrap().text, "     1\t1");
    assert_eq!(workspace.read_lines("a.txt", 4, u64::MAX).await.unwrap().text, "     4\t4\n     5\t5");
}

#[tokio::test]
async fn empty_files_and_offsets_past_the_end_get_notes() {
    let workspace = Workspace::new();
    workspace.put("empty", "");
    workspace.put("short", "a\nb\n");
    let done = workspace.read("empty").await.unwrap();
    assert_eq!(done.text, "[The file exists but is empty.]");
    assert_eq!(done.data["file"]["numLines"], 0);
    let done = workspace.read_lines("short", 3, 5).await.unwrap();
    assert_eq!(done.text, "[The file has only 2 lines: line 3 is past its end.]");
    assert!(workspace.read_lines("short", u64::MAX, 5).await.unwrap().text.contains("past its end"));
}

#[tokio::test]
async fn more_than_two_thousand_lines_are_announced() {
    let workspace = Workspace::new();
    workspace.put("long", "x\n".repeat(2500));
    let done = workspace.read("long").await.unwrap();
    assert_eq!(done.data["file"]["numLines"], 2000);
    assert!(done.text.ends_with("  2000\tx\n[These are lines 1-2000 of 2500. Read on with offset 2001.]"));
    let done = workspace.run(&read(), json!({"file_path": workspace.at("long"), "offset": 2001})).await.unwrap();
    assert_eq!(done.data["file"]["numLines"], 500);
}

#[tokio::test]
async fn long_lines_are_cut_with_a_mark() {
    let workspace = Workspace::new();
    workspace.put("wide", format!("{}\nshort\n", "\u{fc}".repeat(2500)));
    let done = workspace.read("wide").await.unwrap();
    let expected = format!("     1\t{}… [the rest of this line was cut]\n     2\tshort", "\u{fc}".repeat(2000));
    assert_eq!(done.text, expected);
}

#[tokio::test]
async fn a_whole_file_over_the_token_limit_gives_its_first_page() {
    let workspace = Workspace::new();
    let tool = erase(Read::with_max_tokens(100));
    let path = workspace.put("big", "some words in a line\n".repeat(50));
    let done = workspace.run(&tool, json!({"file_path": path})).await.unwrap();
    let file = &done.data["file"];
    assert_eq!((&file["truncatedByTokenCap"], &file["totalLines"]), (&json!(true), &json!(50)));
    assert!(file["numLines"].as_u64().is_some_and(|n| (1..50).contains(&n)));
    assert!(done.text.contains("[Partial view: these are lines 1-"));
    // The same range asked for by number is an error that says what would fit.
    let failed = workspace.run(&tool, json!({"file_path": path, "offset": 10, "limit": 40})).await.unwrap_err();
    failed.says(&["more than 100 tokens", "use offset 10 and limit"]);
    assert_eq!(failed.kind, Some(ErrorKind::Failed));
    let failed = workspace.run(&tool, json!({"file_path": path, "offset": 10})).await.unwrap_err();
    failed.says(&["more than 100 tokens"]);
}

#[tokio::test]
async fn encodings_are_read_as_text() {
    let workspace = Workspace::new();
    let rows: [(&[u8], &str, Option<&str>); 7] = [
        (b"a\r\nb\r\n", "a\nb", None),
        (b"\xef\xbb\xbfa\n", "a", None),
        (b"\xff\xfea\0\r\0\n\0\xfc\0", "a\n\u{fc}", Some("The file is written in UTF-16LE.")),
        (b"\xfe\xff\0a\0\n\0b", "a\nb", Some("The file is written in UTF-16BE.")),
        (b"caf\xe9 cr\xe8me\n", "caf\u{e9} cr\u{e8}me", Some("The file is written in windows-1252.")),
        (b"gr\xc3\xbcn \xff \xc3\xbc\n", "gr\u{fc}n \u{fffd} \u{fc}", Some("no valid characters")),
        (b"old\rmac", "old\rmac", None),
    ];
    for (bytes, expected, note) in rows {
        workspace.put("file", bytes);
        let done = workspace.read("file").await.unwrap();
        assert_eq!(done.data["file"]["content"], expected, "{bytes:?}");
        match note {
            Some(note) => assert!(done.text.contains(note), "{}", done.text),
            None => assert!(!done.text.contains('['), "{}", done.text),
        }
    }
}

#[tokio::test]
async fn what_is_no_text_is_refused_by_name() {
    let workspace = Workspace::new();
    let rows: [(&str, &[u8], &str); 7] = [
        ("a.txt", b"\x89PNG\r\n\x1a\n\0\0", "an image (PNG). Reading images is not supported by this build yet"),
        ("b.png", b"\xff\xd8\xff\xe0\0", "an image (JPEG)"),
        ("c", b"%PDF-1.7\n%\xe2\xe3", "a PDF document. Reading PDF is not supported by this build yet"),
        ("d.ipynb", b"{\"cells\": []}", "a Jupyter notebook. Reading notebooks is not supported by this build yet"),
        ("e", b"\x7fELF\x02\x01\x01\0", "an ELF program"),
        ("f.rs", b"fn main\0", "binary data"),
        ("g", b"PK\x03\x04\0\0", "a ZIP archive"),
    ];
    for (name, bytes, expected) in rows {
        workspace.put(name, bytes);
        workspace.read(name).await.unwrap_err().says(&[expected, &workspace.at(name)]);
    }
    // The name decides nothing: text in a file called .png is text.
    workspace.put("text.png", "hello\n");
    assert_eq!(workspace.read("text.png").await.unwrap().text, "     1\thello");
}

#[tokio::test]
async fn what_is_no_stored_file_is_refused_at_once() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("folder")).unwrap();
    assert!(Command::new("mkfifo").arg(workspace.path("pipe")).status().unwrap().success());
    let _listener = UnixListener::bind(workspace.path("socket")).unwrap();
    symlink(workspace.path("pipe"), workspace.path("link-to-pipe")).unwrap();
    let rows = [
        (workspace.at("folder"), "it is a folder, not a file. List it with Glob"),
        (workspace.at("pipe"), "it is a named pipe"),
        (workspace.at("link-to-pipe"), "it is a named pipe"),
        (workspace.at("socket"), "it is a socket"),
        ("/dev/zero".to_owned(), "it is a device"),
        ("/dev/tty".to_owned(), "it is a device"),
        ("/".to_owned(), "it is a folder"),
    ];
    for (path, expected) in &rows {
        let started = Instant::now();
        workspace.run(&read(), json!({"file_path": path})).await.unwrap_err().says(&[expected]);
        assert!(started.elapsed() < Duration::from_secs(5), "{path} took too long");
    }
    if cfg!(target_os = "linux") {
        for path in ["/proc/self/status", "/proc/kmsg", "/sys/kernel/mm/transparent_hugepage/enabled"] {
            if std::path::Path::new(path).exists() {
                let failed = workspace.run(&read(), json!({"file_path": path})).await.unwrap_err();
                failed.says(&["made up by the kernel"]);
            }
        }
        // A descriptor of this very process is no way in.
        assert!(workspace.run(&read(), json!({"file_path": "/dev/fd/0"})).await.is_err());
    }
}

#[tokio::test]
async fn a_missing_file_brings_similar_names() {
    let workspace = Workspace::new();
    workspace.put("src/config.rs", "");
    let failed = workspace.read("src/confg.rs").await.unwrap_err();
    failed.says(&["Cannot read", "No such file or directory", "Similar names in", "config.rs"]);
    assert_eq!((failed.kind, failed.class.as_deref()), (Some(ErrorKind::Io), Some("Error:ENOENT")));
    workspace.read("none/x.rs").await.unwrap_err().says(&["The folder", "does not exist"]);
    workspace.read("src/config.rs/x").await.unwrap_err().says(&["below something that is not a folder"]);
}

#[tokio::test]
async fn an_unreadable_file_is_an_error_of_the_system() {
    let workspace = Workspace::new();
    let path = workspace.put("secret", "x");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    match workspace.read("secret").await {
        Err(failed) => {
            failed.says(&["Permission denied"]);
            assert_eq!(failed.class.as_deref(), Some("Error:EACCES"));
        }
        // The superuser may read it all the same.
        Ok(done) => assert_eq!(done.text, "     1\tx"),
    }
}

#[tokio::test]
async fn inputs_that_make_no_sense_are_refused() {
    let workspace = Workspace::new();
    let path = workspace.put("a", "x\n");
    let rows = [
        (json!({}), "file_path"),
        (json!({"file_path": 7}), "file_path"),
        (json!({"file_path": ""}), "`file_path` is empty"),
        (json!({"file_path": "a\u{0}b"}), "NUL byte"),
        (json!({"file_path": "~/x"}), "no home directory"),
        (json!({"file_path": path, "limit": 0}), "`limit` is 0"),
        (json!({"file_path": path, "offset": -1}), "offset"),
        (json!({"file_path": path, "limit": "many"}), "limit"),
        (json!({"file_path": path, "colour": 1}), "colour"),
        (json!({"file_path": path, "pages": "1-5"}), "`pages` is only for PDF files"),
        (json!({"file_path": "x".repeat(5000)}), "File name too long"),
    ];
    for (input, expected) in rows {
        workspace.run(&read(), input).await.unwrap_err().says(&[expected]);
    }
    let done = workspace.run(&read(), json!({"file_path": path, "pages": "", "limit": "5"})).await.unwrap();
    assert_eq!(done.text, "     1\tx");
}

#[tokio::test]
async fn ranges_of_a_sparse_file_of_two_gigabytes_are_found() {
    let workspace = Workspace::new();
    let path = workspace.put("huge", "head\n".repeat(1000));
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(b"\ntail one\ntail two\n", 2 << 30).unwrap();
    let done = workspace.read_lines("huge", 500, 2).await.unwrap();
    assert_eq!(done.data["file"]["content"], "head\nhead");
    // Line 1001 is two gigabytes of zeros, the tail comes after.
    for _ in 0..2 {
        let done = workspace.read_lines("huge", 1002, 5).await.unwrap();
        assert_eq!(done.data["file"]["content"], "tail one\ntail two");
        assert_eq!(done.data["file"]["totalLines"], 1003);
    }
    // And one terabyte that ends in a hole.
    file.set_len(1 << 40).unwrap();
    let done = workspace.read_lines("huge", 1003, 1).await.unwrap();
    assert_eq!(done.data["file"]["content"], "tail two");
}

#[tokio::test]
async fn a_changed_file_is_not_read_by_its_old_index() {
    let workspace = Workspace::new();
    let lines = |mark: &str| (1..=60_000).map(|n| format!("{mark} {n}\n")).collect::<String>();
    workspace.put("log", lines("old"));
    assert_eq!(workspace.read_lines("log", 50_000, 1).await.unwrap().data["file"]["content"], "old 50000");
    workspace.put("log", format!("one more\n{}", lines("new")));
    assert_eq!(workspace.read_lines("log", 50_000, 1).await.unwrap().data["file"]["content"], "new 49999");
}

#[tokio::test]
async fn a_link_that_was_turned_after_the_check_is_refused() {
    let workspace = Workspace::new();
    workspace.put("open/file", "open");
    workspace.put("closed/file", "closed");
    symlink("open", workspace.path("link")).unwrap();
    let ctx = workspace.context();
    let input = json!({"file_path": workspace.at("link/file")});
    let turn = || {
        std::fs::remove_file(workspace.path("link")).unwrap();
        symlink("closed", workspace.path("link")).unwrap();
    };
    let failed = workspace.run_with(&read(), input.clone(), &ctx, turn).await.unwrap_err();
    failed.says(&["changed after permission was given"]);
    assert_eq!(failed.kind, Some(ErrorKind::PermissionDenied));
    // A new call is judged anew and may read the new target.
    assert_eq!(workspace.run(&read(), input).await.unwrap().text, "     1\tclosed");
}

#[tokio::test]
async fn a_cancelled_call_says_so() {
    let workspace = Workspace::new();
    workspace.put("a", "x");
    let ctx = workspace.context();
    ctx.cancel.cancel(CancelReason::User);
    let failed = workspace.run_with(&read(), json!({"file_path": workspace.at("a")}), &ctx, || ()).await.unwrap_err();
    assert_eq!(failed.kind, Some(ErrorKind::Cancelled(CancelReason::User)));
}

#[test]
fn the_tool_describes_itself() {
    let tool = read();
    let schema = tool.input_schema().as_value();
    assert_eq!(schema["required"], json!(["file_path"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    let parse = |value: Value| tool.parse_input(&value).unwrap();
    let inputs: Vec<_> = ["a", "b", "a", "c", "d"].map(|name| parse(json!({"file_path": name}))).into();
    assert!(tool.is_read_only(&inputs[0]) && tool.is_concurrency_safe(&inputs[0]) && !tool.edits_files(&inputs[0]));
    let grouped = tool.render_grouped(&inputs.iter().collect::<Vec<_>>());
    assert_eq!(grouped, Some(RenderNode::title("Read 4 files: a, b, c, …")));
    let range = parse(json!({"file_path": "a", "offset": 5, "limit": 10}));
    assert_eq!(tool.render_use(&range), RenderNode::title("Read a lines 5-14"));
    let mut observed = json!({"file_path": "src/../a.rs"});
    tool.backfill_observable_input(&mut observed, &Context::new("/w"));
    assert_eq!(observed, json!({"file_path": "/w/a.rs"}));
}
