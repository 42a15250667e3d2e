//! Edit: the rows of `tests/data/edit`, and what depends on what was read before.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use toolreeve::engine::{CallContext, CancelToken, Context, ErrorKind, EventSink, RenderNode, Session, erase};
use toolreeve::files::path;
use toolreeve::files::state::record_read;
use toolreeve::tools::edit::Edit;

use crate::workspace::{Workspace, read};

/// One row: a file, an edit, and either what the file holds then or what the error says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// The content before: text, or bytes as hexadecimal digits.
    before: Option<String>,
    before_hex: Option<String>,
    old: String,
    new: String,
    #[serde(default)]
    all: bool,
    after: Option<String>,
    after_hex: Option<String>,
    /// The lines of the only hunk.
    patch: Option<Vec<String>>,
    /// Parts of the error.
    error: Option<Vec<String>>,
}

fn content(text: Option<&String>, hex: Option<&String>) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap();
    let from_hex = |hex: &String| {
        let digits: Vec<u8> = hex.bytes().filter(|byte| *byte != b' ').collect();
        digits.chunks(2).map(|pair| u8::try_from(digit(pair[0]) * 16 + digit(pair[1])).unwrap()).collect()
    };
    text.map(|text| text.clone().into_bytes()).or_else(|| hex.map(from_hex))
}

#[tokio::test]
async fn every_row_of_the_data_holds() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/edit");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        for line in std::fs::read_to_string(entry.unwrap().path()).unwrap().lines() {
            let row: Row = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            hold(&row).await;
            count += 1;
        }
    }
    assert!(count > 40, "only {count} rows were found");
}

async fn hold(row: &Row) {
    let name = &row.name;
    let workspace = Workspace::new();
    let before = content(row.before.as_ref(), row.before_hex.as_ref());
    if let Some(before) = &before {
        workspace.put("file.txt", before);
        workspace.read("file.txt").await.unwrap_or_else(|failed| panic!("{name}: {failed:?}"));
    }
    let path = workspace.at("file.txt");
    let input = json!({"file_path": path, "old_string": row.old, "new_string": row.new, "replace_all": row.all});
    let result = workspace.run(&erase(Edit), input).await;
    match (&row.error, result) {
        (Some(parts), Err(failed)) => {
            for part in parts {
                assert!(failed.message.contains(part), "{name}: {part:?} is not in {:?}", failed.message);
            }
            let now = std::fs::read(workspace.path("file.txt")).ok();
            assert_eq!(now, before, "{name}: a failed edit changed the file");
        }
        (None, Ok(done)) => {
            let after = content(row.after.as_ref(), row.after_hex.as_ref()).unwrap();
            assert_eq!(workspace.bytes("file.txt"), after, "{name}");
            if let Some(patch) = &row.patch {
                let hunks = done.data["structuredPatch"].as_array().unwrap();
                assert_eq!(hunks.len(), 1, "{name}");
                assert_eq!(hunks[0]["lines"], json!(patch), "{name}");
            }
            // The new state is known: a second edit needs no new read.
            assert!(workspace.edit("file.txt", "\u{1}not there", "x").await.unwrap_err().message.contains("0 matches"));
        }
        (expected, result) => panic!("{name}: expected error {expected:?}, got {result:?}"),
    }
    assert!(workspace.names().iter().all(|left| left == "file.txt"), "{name}: something was left behind");
}

#[tokio::test]
async fn the_output_has_the_public_shape() {
    let workspace = Workspace::new();
    let path = workspace.put("a.py", "x = 1\ny = 2\n");
    workspace.read("a.py").await.unwrap();
    let done = workspace.edit("a.py", "x = 1", "x = 10").await.unwrap();
    let hunk =
        json!({"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": ["-x = 1", "+x = 10", " y = 2"]});
    assert_eq!(
        done.data,
        json!({
            "filePath": path, "oldString": "x = 1", "newString": "x = 10", "originalFile": "x = 1\ny = 2\n",
            "structuredPatch": [hunk], "userModified": false, "replaceAll": false
        })
    );
    assert_eq!(done.text, format!("Updated {path}: 1 occurrence replaced."));
    let shown = done.render.to_plain_text();
    assert_eq!(shown, format!("Update {path}\n{path}\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 10\n y = 2"));
}

#[tokio::test]
async fn an_empty_old_string_creates_a_file_only_where_there_is_none() {
    let workspace = Workspace::new();
    let done = workspace.edit("new/a.rs", "", "fn a() {}\n").await.unwrap();
    assert_eq!(workspace.content("new/a.rs"), "fn a() {}\n");
    assert_eq!((&done.data["originalFile"], &done.data["oldString"]), (&Value::Null, &json!("")));
    let RenderNode::Group { children } = &done.render else { panic!("{:?}", done.render) };
    assert!(
        matches!(&children[..], [RenderNode::Title { text }, RenderNode::Code { .. }] if text.starts_with("Create "))
    );
    let failed = workspace.edit("new/a.rs", "", "x").await.unwrap_err();
    assert_eq!(failed.says(&["exists already"]).code, Some(3));
    // The same when the file appears after the check.
    let input = json!({"file_path": workspace.at("b"), "old_string": "", "new_string": "ours"});
    let appear = || drop(workspace.put("b", "theirs"));
    let failed = workspace.run_with(&erase(Edit), input, &workspace.context(), appear).await.unwrap_err();
    failed.says(&["exists already"]);
    assert_eq!(workspace.content("b"), "theirs");
}

#[tokio::test]
async fn inputs_that_make_no_sense_are_refused_with_codes() {
    let workspace = Workspace::new();
    workspace.put("a", "x");
    workspace.put("n.ipynb", "{}");
    std::fs::create_dir(workspace.path("folder")).unwrap();
    let rows = [
        ("", "a", "b", 1, "empty"),
        ("a", "x", "x", 2, "are the same"),
        ("a", "", "", 2, "are the same"),
        ("missing", "x", "y", 4, "does not exist"),
        ("n.ipynb", "x", "y", 5, "notebook"),
        ("a", "x", "y", 6, "has not been read yet"),
        ("folder", "x", "y", 8, "it is a folder"),
        ("new/", "", "y", 8, "names a folder"),
    ];
    for (name, old, new, code, expected) in rows {
        let path = if name.is_empty() { String::new() } else { workspace.at(name) };
        let input = json!({"file_path": path, "old_string": old, "new_string": new});
        let failed = workspace.run(&erase(Edit), input).await.unwrap_err();
        assert_eq!(failed.says(&[expected]).code, Some(code), "{name}");
    }
    let input = json!({"file_path": workspace.at("a"), "old_string": "x", "new_string": "y", "extra": 1});
    workspace.run(&erase(Edit), input).await.unwrap_err().says(&["extra"]);
    assert_eq!(workspace.content("a"), "x");
}

#[tokio::test]
async fn only_lines_that_were_read_may_be_edited() {
    let workspace = Workspace::new();
    let lines: String = (1..=20).map(|n| format!("line {n};\n")).collect();
    workspace.put("a", &lines);
    workspace.read_lines("a", 5, 4).await.unwrap();
    workspace.edit("a", "line 9;", "x").await.unwrap_err().says(&["Lines 9-9", "have not been read yet"]);
    workspace.edit("a", "line 8;\nline 9;", "x").await.unwrap_err().says(&["Lines 8-9"]);
    workspace.edit("a", "line 8;\n", "").await.unwrap();
    workspace.edit("a", "line 5;", "line 5a;\nline 5b;").await.unwrap();
    // What was seen moved with the lines: 5a, 5b, 6, 7 are known, what follows is not.
    workspace.edit("a", "line 7;", "seven").await.unwrap();
    workspace.edit("a", "line 9;", "x").await.unwrap_err().says(&["Lines 9-9"]);
    workspace.read_lines("a", 1, 4).await.unwrap();
    workspace.edit("a", "line 1;", "one").await.unwrap();
    workspace.edit("a", "line 10;", "x").await.unwrap_err().says(&["Lines 10-10"]);
}

#[tokio::test]
async fn a_first_page_does_not_count_as_reading() {
    let workspace = Workspace::new();
    let path = workspace.put("a", "some words in a line\n".repeat(50) + "last\n");
    let small = erase(toolreeve::tools::read::Read::with_max_tokens(50));
    workspace.run(&small, json!({"file_path": path})).await.unwrap();
    let failed = workspace.edit("a", "last", "x").await.unwrap_err();
    assert_eq!(failed.says(&["Only a part"]).code, Some(7));
    workspace.read("a").await.unwrap();
    workspace.edit("a", "last", "x").await.unwrap();
}

#[tokio::test]
async fn a_file_that_somebody_changed_may_be_edited_where_it_is_certain() {
    let workspace = Workspace::new();
    workspace.put("a", "one\ntwo\nthree\n");
    workspace.read("a").await.unwrap();
    workspace.put("a", "zero\none\ntwo\nthree\n");
    workspace.edit("a", "two", "2").await.unwrap();
    assert_eq!(workspace.content("a"), "zero\none\n2\nthree\n");
    // The rest of the change is still unseen, so a rewrite is not allowed.
    workspace.write("a", "x").await.unwrap_err().says(&["was changed since it was read"]);
    workspace.put("a", "two two\n");
    workspace.edit("a", "two", "2").await.unwrap_err().says(&["2 matches", "was changed since it was read"]);
    let input = json!({"file_path": workspace.at("a"), "old_string": "two", "new_string": "2", "replace_all": true});
    workspace.run(&erase(Edit), input).await.unwrap_err().says(&["was changed since it was read"]);
    workspace.edit("a", "one", "1").await.unwrap_err().says(&["0 matches", "read it again"]);
    assert_eq!(workspace.content("a"), "two two\n");
}

#[tokio::test]
async fn a_file_that_a_command_printed_counts_as_read() {
    let workspace = Workspace::new();
    let named = workspace.put("a", "one\ntwo\n");
    let path = path::resolve(&workspace.session().context(), &named);
    record_read(workspace.session(), &path, Some(1..2)).unwrap();
    workspace.edit("a", "two", "2").await.unwrap_err().says(&["Lines 2-2"]);
    record_read(workspace.session(), &path, None).unwrap();
    workspace.edit("a", "two", "2").await.unwrap();
    let none = path::resolve(&workspace.session().context(), "none");
    assert!(record_read(workspace.session(), &none, None).is_err());
}

#[tokio::test]
async fn mode_and_link_are_kept() {
    let workspace = Workspace::new();
    let path = workspace.put("real.sh", "echo a\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    symlink("real.sh", workspace.path("link")).unwrap();
    workspace.read("link").await.unwrap();
    workspace.edit("link", "a", "b").await.unwrap();
    assert_eq!(workspace.content("real.sh"), "echo b\n");
    assert!(workspace.path("link").symlink_metadata().unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o700);
    assert_eq!(workspace.names(), ["link", "real.sh"]);
}

#[tokio::test]
async fn a_file_over_one_gibibyte_is_refused() {
    let workspace = Workspace::new();
    let path = workspace.put("huge", "head\n".repeat(300));
    std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len((1 << 30) + 1).unwrap();
    workspace.read_lines("huge", 1, 2).await.unwrap();
    workspace.edit("huge", "head", "x").await.unwrap_err().says(&["larger than 1 GiB"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_edits_lose_nothing() {
    const SESSIONS: usize = 4;
    const EDITS: usize = 50;
    let workspace = Workspace::new();
    let path = workspace.put("count", "");
    let marks: String = (0..SESSIONS).map(|n| format!("<{n}>\n")).collect();
    std::fs::write(&path, marks).unwrap();
    let tasks = (0..SESSIONS).map(|n| {
        let (path, root) = (path.clone(), workspace.path(""));
        // Each has a session of its own, as different programs would.
        let session = Arc::new(Session::new(format!("s{n}"), Context::new(root.clone()), root));
        tokio::spawn(async move {
            let ctx = || CallContext::new("c", Arc::clone(&session), CancelToken::new(), EventSink::none());
            let run = async |tool: &Arc<dyn toolreeve::engine::DynTool>, input: Value| {
                tool.call(&tool.parse_input(&input).unwrap(), &ctx()).await
            };
            let (read, edit) = (read(), erase(Edit));
            run(&read, json!({"file_path": path})).await.unwrap();
            let mut refused = 0;
            for _ in 0..EDITS {
                // The place is unique, so the changes of the others do not stand in the way.
                let input = json!({"file_path": path, "old_string": format!("<{n}>"), "new_string": format!("<{n}>+")});
                loop {
                    match run(&edit, input.clone()).await {
                        Ok(_) => break,
                        Err(error) => {
                            assert!(error.message.contains("changed"), "{error}");
                            refused += 1;
                            assert!(refused < 10_000);
                            run(&read, json!({"file_path": path})).await.unwrap();
                        }
                    }
                }
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    let expected: String = (0..SESSIONS).map(|n| format!("<{n}>{}\n", "+".repeat(EDITS))).collect();
    assert_eq!(workspace.content("count"), expected);
    assert_eq!(workspace.names(), ["count"]);
}

#[tokio::test]
async fn the_tool_describes_itself() {
    let tool = erase(Edit);
    assert_eq!(tool.input_schema().as_value()["required"], json!(["file_path", "old_string", "new_string"]));
    let parse = |value: Value| tool.parse_input(&value).unwrap();
    let edit = parse(json!({"file_path": "a", "old_string": "x\ny", "new_string": "x\nz"}));
    assert!(!tool.is_read_only(&edit) && !tool.is_concurrency_safe(&edit) && tool.edits_files(&edit));
    assert!(!tool.stops_on_interrupt(&edit));
    assert_eq!(tool.user_facing_name(Some(&edit)), "Update");
    assert!(
        tool.render_use(&edit)
            .to_plain_text()
            .ends_with(" x\n-y\n\\ No newline at end of file\n+z\n\\ No newline at end of file")
    );
    let create = parse(json!({"file_path": "a", "old_string": "", "new_string": "x"}));
    assert_eq!(tool.user_facing_name(Some(&create)), "Create");
    let failed = Workspace::new().edit("a", "x", "y").await.unwrap_err();
    assert_eq!((failed.code, failed.kind), (Some(4), None::<ErrorKind>));
}
