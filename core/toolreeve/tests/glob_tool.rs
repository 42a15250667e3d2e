//! Glob on small trees: what is found, in which order, and how bad input is answered.

use serde_json::json;
use toolreeve::engine::{CallSubject, CancelReason, ErrorKind, erase};
use toolreeve::tools::glob::Glob;

use crate::calls::Place;

fn tree() -> Place {
    let place = Place::new();
    let names =
        ["a.rs", "src/b.rs", "src/deep/c.rs", "src/d.ts", ".hidden/e.rs", ".git/f.rs", "target/g.rs", "h[1].rs"];
    for (age, name) in names.iter().enumerate() {
        place.file(name, "x");
        place.modified(name, 1_000 - age as u64);
    }
    place.file(".gitignore", "target\n");
    std::os::unix::fs::symlink("a.rs", place.at("link.txt")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.at("dangling.txt")).unwrap();
    std::os::unix::fs::symlink("src", place.at("linked")).unwrap();
    std::fs::create_dir(place.at("folder.rs")).unwrap();
    place
}

#[tokio::test]
async fn patterns_find_files_newest_first() {
    let place = tree();
    let tool = erase(Glob::default());
    let rows: [(&str, Option<&str>, &[&str]); 14] = [
        ("**/*.rs", None, &["a.rs", "src/b.rs", "src/deep/c.rs", ".hidden/e.rs", "target/g.rs", "h[1].rs"]),
        ("*.rs", None, &["a.rs", "src/b.rs", "src/deep/c.rs", ".hidden/e.rs", "target/g.rs", "h[1].rs"]),
        ("./*.rs", None, &["a.rs", "h[1].rs"]),
        ("src/*.{rs,ts}", None, &["src/b.rs", "src/d.ts"]),
        ("src/**/*.rs", None, &["src/b.rs", "src/deep/c.rs"]),
        ("src/", None, &["src/b.rs", "src/deep/c.rs", "src/d.ts"]),
        ("*.rs", Some("src"), &["src/b.rs", "src/deep/c.rs"]),
        ("**/c.rs", Some("./src/../src"), &["src/deep/c.rs"]),
        ("../*.rs", Some("src"), &["a.rs", "h[1].rs"]),
        (r"./h\[1\].rs", None, &["h[1].rs"]),
        ("linked/*.ts", None, &["linked/d.ts"]),
        ("{link,dangling}.txt", None, &["link.txt"]),
        ("no/such/*.rs", None, &[]),
        ("*.RS", None, &[]),
    ];
    for (pattern, path, files) in rows {
        let answer = place.call(&*tool, json!({"pattern": pattern, "path": path})).await.unwrap();
        assert_eq!(answer.data["filenames"], json!(files), "{pattern} {path:?}");
        assert_eq!(answer.data["numFiles"], files.len());
        assert_eq!((&answer.data["truncated"], answer.is_error), (&json!(false), false));
        let text = if files.is_empty() { "No files found".to_owned() } else { files.join("\n") };
        assert_eq!(answer.text, text, "{pattern}");
    }
    let absolute = place.at("src/*.ts");
    let answer = place.call(&*tool, json!({"pattern": absolute.to_str().unwrap()})).await.unwrap();
    assert_eq!(answer.text, "src/d.ts");
}

#[tokio::test]
async fn files_outside_of_the_working_directory_are_listed_absolute() {
    let place = tree();
    place.session.update_context(|context| context.policy.cwd = context.policy.cwd.join("src"));
    let tool = erase(Glob::default());
    let answer = place.call(&*tool, json!({"pattern": "../*.rs"})).await.unwrap();
    assert_eq!(answer.data["filenames"], json!([place.at("a.rs"), place.at("h[1].rs")]));
}

#[tokio::test]
async fn options_leave_out_ignored_and_hidden_files() {
    let place = tree();
    let tool = erase(Glob { no_ignore: false, hidden: false, ..Glob::default() });
    let answer = place.call(&*tool, json!({"pattern": "**/*.rs"})).await.unwrap();
    assert_eq!(answer.data["filenames"], json!(["a.rs", "src/b.rs", "src/deep/c.rs", "h[1].rs"]));
}

#[tokio::test]
async fn a_hundred_files_are_listed_and_all_are_counted() {
    let place = Place::new();
    for index in 0..150 {
        let name = format!("d{}/f{index:03}", index % 7);
        place.file(&name, "");
        place.modified(&name, 5_000 - index);
    }
    let tool = erase(Glob::default());
    let answer = place.call(&*tool, json!({"pattern": "**"})).await.unwrap();
    let expected: Vec<String> = (0..100).map(|index| format!("d{}/f{index:03}", index % 7)).collect();
    assert_eq!(answer.data["filenames"], json!(expected));
    assert_eq!((&answer.data["totalMatches"], &answer.data["truncated"]), (&json!(150), &json!(true)));
    assert!(answer.text.contains("The 100 files modified last of 150"), "{}", answer.text);
}

#[tokio::test]
async fn bad_input_is_answered_with_the_field_and_the_fix() {
    let place = tree();
    let tool = erase(Glob::default());
    let rows = [
        (json!({"pattern": ""}), "`pattern` is empty"),
        (json!({"pattern": "a\0b"}), "NUL"),
        (json!({"pattern": "[a"}), "not a valid glob"),
        (json!({"pattern": "*/../x"}), "`..` behind a wildcard"),
        (json!({"pattern": "*", "path": "x\0"}), "NUL"),
        (json!({"pattern": "*", "path": "nope"}), "No such file or directory"),
        (json!({"pattern": "*", "path": "a.rs"}), "is not a directory"),
        (json!({"path": "src"}), "`pattern` is missing"),
        (json!({"pattern": "*", "depth": 1}), "unexpected parameter was provided: `depth`"),
    ];
    for (input, words) in rows {
        let error = place.call(&*tool, input.clone()).await.unwrap_err();
        assert!(error.message.contains(words), "{input}: {}", error.message);
    }
}

#[tokio::test]
async fn rules_see_the_folder_that_the_pattern_begins_in() {
    let place = tree();
    let tool = erase(Glob::default());
    for (pattern, path, named, real) in [
        ("*.rs", None, "", ""),
        ("src/deep/*.rs", None, "src/deep", "src/deep"),
        ("linked/*.rs", None, "linked", "src"),
        ("../*", Some("src"), "", ""),
    ] {
        let input = place.input(&*tool, &json!({"pattern": pattern, "path": path})).await.unwrap();
        let CallSubject::Path { path, real: leads_to, .. } = tool.permission_subject(&input, &place.context()) else {
            panic!("not a path");
        };
        assert_eq!((path.as_path(), leads_to.as_path()), (&*place.at(named), &*place.at(real)), "{pattern}");
        assert!(tool.is_read_only(&input) && tool.is_concurrency_safe(&input));
    }
}

#[tokio::test]
async fn denied_files_are_not_listed() {
    let place = tree();
    place.deny("Read(./src/deep/**)");
    place.deny("Read(//**/h\\[1\\].rs)");
    let answer = place.call(&*erase(Glob::default()), json!({"pattern": "**/*.rs"})).await.unwrap();
    assert_eq!(answer.data["filenames"], json!(["a.rs", "src/b.rs", ".hidden/e.rs", "target/g.rs"]));
    assert_eq!(answer.data["totalMatches"], 4);
    // Nor under another name of their folder.
    let answer = place.call(&*erase(Glob::default()), json!({"pattern": "linked/deep/*"})).await.unwrap();
    assert_eq!(answer.text, "No files found");
}

#[tokio::test]
async fn a_cancelled_or_late_search_ends() {
    let place = tree();
    let tool = erase(Glob { time_limit: std::time::Duration::ZERO, ..Glob::default() });
    let error = place.call(&*tool, json!({"pattern": "**"})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    place.cancel.cancel(CancelReason::User);
    let error = place.call(&*erase(Glob::default()), json!({"pattern": "**"})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Cancelled(CancelReason::User));
}
