//! Write: creating, replacing, what is kept of the old file, and what is refused.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use serde_json::json;
use toolreeve::engine::{CancelReason, ErrorKind, RenderNode, erase};
use toolreeve::tools::write::Write;

use crate::workspace::{Workspace, names_in};

#[tokio::test]
async fn a_new_file_is_created_with_its_folders() {
    let workspace = Workspace::new();
    let done = workspace.write("a/b/c.rs", "fn main() {}\n").await.unwrap();
    assert_eq!(workspace.content("a/b/c.rs"), "fn main() {}\n");
    assert_eq!(
        done.data,
        json!({
            "type": "create", "filePath": workspace.at("a/b/c.rs"), "content": "fn main() {}\n",
            "structuredPatch": [], "originalFile": null, "userModified": false
        })
    );
    let RenderNode::Group { children } = &done.render else { panic!("{:?}", done.render) };
    assert_eq!(children[0], RenderNode::title(format!("Create {}", workspace.at("a/b/c.rs"))));
    assert_eq!(children[1], RenderNode::Code { language: Some("rs".to_owned()), text: "fn main() {}\n".to_owned() });
    assert_eq!(names_in(&workspace.path("a/b")), ["c.rs"]);
    // What was just written is known, so it may be changed without reading it.
    workspace.write("a/b/c.rs", "fn other() {}\n").await.unwrap();
    workspace.edit("a/b/c.rs", "other", "third").await.unwrap();
    assert_eq!(workspace.content("a/b/c.rs"), "fn third() {}\n");
}

#[tokio::test]
async fn an_existing_file_must_be_read_in_full_and_unchanged() {
    let workspace = Workspace::new();
    workspace.put("a", "1\n2\n3\n");
    let failed = workspace.write("a", "x").await.unwrap_err();
    assert_eq!(failed.says(&["has not been read yet"]).code, Some(3));
    workspace.read_lines("a", 1, 2).await.unwrap();
    let failed = workspace.write("a", "x").await.unwrap_err();
    assert_eq!(failed.says(&["Only a part"]).code, Some(4));
    // The rest makes it whole.
    workspace.read_lines("a", 3, 1).await.unwrap();
    let done = workspace.write("a", "1\nx\n3\n").await.unwrap();
    assert_eq!(workspace.content("a"), "1\nx\n3\n");
    assert_eq!((&done.data["type"], &done.data["originalFile"]), (&json!("update"), &json!("1\n2\n3\n")));
    let hunk = json!({"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 3, "lines": [" 1", "-2", "+x", " 3"]});
    assert_eq!(done.data["structuredPatch"], json!([hunk]));
    workspace.put("a", "by somebody else\n");
    let failed = workspace.write("a", "y").await.unwrap_err();
    assert_eq!(failed.says(&["was changed since it was read"]).kind, Some(ErrorKind::Rejected));
    assert_eq!(workspace.content("a"), "by somebody else\n");
    assert_eq!(workspace.names(), ["a"]);
}

#[tokio::test]
async fn a_file_that_was_only_touched_is_not_changed() {
    let workspace = Workspace::new();
    workspace.put("a", "same\n");
    workspace.read("a").await.unwrap();
    workspace.put("a", "same\n");
    workspace.write("a", "new\n").await.unwrap();
    assert_eq!(workspace.content("a"), "new\n");
}

#[tokio::test]
async fn mode_encoding_and_mark_are_kept() {
    let workspace = Workspace::new();
    let path = workspace.put("run.sh", "old\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    workspace.read("run.sh").await.unwrap();
    workspace.write("run.sh", "new\n").await.unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o750);

    let rows: [(&[u8], &str, &[u8], &str); 5] = [
        (b"\xff\xfea\0", "b\u{fc}", b"\xff\xfeb\0\xfc\0", "Updated"),
        (b"\xef\xbb\xbfa", "b", b"\xef\xbb\xbfb", "Updated"),
        (b"\xef\xbb\xbfa", "\u{feff}b", b"\xef\xbb\xbfb", "Updated"),
        (b"caf\xe9 cr\xe8me", "th\u{e9}", b"th\xe9", "Updated"),
        (b"caf\xe9 cr\xe8me", "\u{2714}", "\u{2714}".as_bytes(), "It is written in UTF-8 now"),
    ];
    for (old, content, new, answer) in rows {
        workspace.put("text", old);
        workspace.read("text").await.unwrap();
        let done = workspace.write("text", content).await.unwrap();
        assert_eq!(workspace.bytes("text"), new, "{old:?}");
        assert!(done.text.contains(answer), "{}", done.text);
    }
    // Line endings are written as they are given.
    workspace.put("crlf", "a\r\nb\r\n");
    workspace.read("crlf").await.unwrap();
    workspace.write("crlf", "a\nb\r\n").await.unwrap();
    assert_eq!(workspace.content("crlf"), "a\nb\r\n");
}

#[tokio::test]
async fn links_are_written_through_and_stay() {
    let workspace = Workspace::new();
    workspace.put("real", "old");
    symlink("real", workspace.path("link")).unwrap();
    symlink("folder/new", workspace.path("dangling")).unwrap();
    workspace.read("link").await.unwrap();
    workspace.write("link", "new").await.unwrap();
    workspace.write("dangling", "made").await.unwrap();
    assert_eq!(workspace.content("real"), "new");
    assert_eq!(workspace.content("folder/new"), "made");
    for name in ["link", "dangling"] {
        assert!(workspace.path(name).symlink_metadata().unwrap().is_symlink());
    }
    // The file is the same whether it is named by the link or not.
    workspace.write("real", "again").await.unwrap();
    assert_eq!(workspace.content("link"), "again");
}

#[tokio::test]
async fn what_is_no_file_is_not_overwritten() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("folder")).unwrap();
    workspace.put("file", "x");
    symlink("loop", workspace.path("loop")).unwrap();
    let rows = [
        (workspace.at("folder"), "it is a folder"),
        (format!("{}/", workspace.at("new")), "names a folder"),
        (format!("{}/.", workspace.at("new")), "names a folder"),
        ("/dev/null".to_owned(), "it is a device"),
        ("/".to_owned(), "it is a folder"),
        (workspace.at("file/below"), "below something that is not a folder"),
        (String::new(), "empty"),
        ("a\0b".to_owned(), "NUL"),
    ];
    for (path, expected) in rows {
        let input = json!({"file_path": path, "content": "x"});
        workspace.run(&erase(Write), input).await.unwrap_err().says(&[expected]);
    }
    assert!(workspace.write("loop", "x").await.is_err());
    assert!(workspace.path("loop").symlink_metadata().unwrap().is_symlink());
    assert_eq!(workspace.names(), ["file", "folder", "loop"]);
}

#[tokio::test]
async fn a_write_protected_file_is_left_alone() {
    let workspace = Workspace::new();
    let path = workspace.put("locked", "old");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    workspace.read("locked").await.unwrap();
    match workspace.write("locked", "new").await {
        Err(failed) => {
            failed.says(&["write-protected", "Permission denied"]);
            assert_eq!(workspace.content("locked"), "old");
        }
        // The superuser may write it all the same.
        Ok(_) => assert_eq!(workspace.content("locked"), "new"),
    }
    assert_eq!(workspace.names(), ["locked"]);
}

#[tokio::test]
async fn a_link_that_was_turned_after_the_check_gets_nothing() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("open")).unwrap();
    std::fs::create_dir(workspace.path("closed")).unwrap();
    symlink("open", workspace.path("link")).unwrap();
    let input = json!({"file_path": workspace.at("link/new"), "content": "x"});
    let turn = || {
        std::fs::remove_file(workspace.path("link")).unwrap();
        symlink("closed", workspace.path("link")).unwrap();
    };
    let failed = workspace.run_with(&erase(Write), input, &workspace.context(), turn).await.unwrap_err();
    assert_eq!(failed.kind, Some(ErrorKind::PermissionDenied));
    assert!(names_in(&workspace.path("open")).is_empty() && names_in(&workspace.path("closed")).is_empty());
    // The same where the file itself becomes a link.
    let input = json!({"file_path": workspace.at("plain"), "content": "x"});
    let turn = || symlink("closed/new", workspace.path("plain")).unwrap();
    let failed = workspace.run_with(&erase(Write), input, &workspace.context(), turn).await.unwrap_err();
    assert_eq!(failed.kind, Some(ErrorKind::PermissionDenied));
    assert!(names_in(&workspace.path("closed")).is_empty());
}

#[tokio::test]
async fn a_file_that_appears_after_the_check_is_not_overwritten() {
    let workspace = Workspace::new();
    let input = json!({"file_path": workspace.at("new"), "content": "ours"});
    let appear = || drop(workspace.put("new", "theirs"));
    let failed = workspace.run_with(&erase(Write), input, &workspace.context(), appear).await.unwrap_err();
    failed.says(&["has not been read yet"]);
    assert_eq!(workspace.content("new"), "theirs");
}

#[tokio::test]
async fn a_cancelled_write_changes_nothing() {
    let workspace = Workspace::new();
    let ctx = workspace.context();
    ctx.cancel.cancel(CancelReason::User);
    let input = json!({"file_path": workspace.at("a/b"), "content": "x"});
    let failed = workspace.run_with(&erase(Write), input, &ctx, || ()).await.unwrap_err();
    assert_eq!(failed.kind, Some(ErrorKind::Cancelled(CancelReason::User)));
    assert!(workspace.names().is_empty());
}
