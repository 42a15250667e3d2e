//! The ground under the file tools: what was judged is what is opened, and a write is whole or has not happened.

use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use toolreeve::engine::{CancelReason, CancelToken, erase};
use toolreeve::files::atomic::{self, Expected, FolderLock, WriteError};
use toolreeve::files::open::{OpenError, Place};
use toolreeve::tools::edit::Edit;
use toolreeve::tools::write::Write;

use crate::workspace::{Workspace, names_in, read};

#[test]
fn a_place_stays_in_its_folder_whatever_happens_to_the_path() {
    let workspace = Workspace::new();
    workspace.put("folder/file", "inside");
    workspace.put("other/file", "outside");
    let place = Place::find(&workspace.path("folder/file")).unwrap();
    std::fs::rename(workspace.path("folder"), workspace.path("moved")).unwrap();
    symlink("other", workspace.path("folder")).unwrap();
    let (file, identity) = place.open().unwrap();
    assert_eq!(std::io::read_to_string(file).unwrap(), "inside");
    let lock = FolderLock::acquire(&place, &CancelToken::new()).unwrap();
    atomic::write(&place, &lock, &[b"new"], Expected::Unchanged(identity), &CancelToken::new()).unwrap();
    assert_eq!((workspace.content("moved/file"), workspace.content("other/file")), ("new".into(), "outside".into()));
    assert!(matches!(Place::find(&workspace.path("folder/file")), Err(OpenError::Moved)));
}

#[test]
fn a_write_that_is_not_as_expected_leaves_everything_as_it_is() {
    let workspace = Workspace::new();
    workspace.put("a", "old");
    let place = Place::find(&workspace.path("a")).unwrap();
    let (_, identity) = place.open().unwrap();
    let cancel = CancelToken::new();
    let lock = FolderLock::acquire(&place, &cancel).unwrap();
    let write = |expected, cancel: &CancelToken| atomic::write(&place, &lock, &[b"new"], expected, cancel);
    assert!(matches!(write(Expected::Absent, &cancel), Err(WriteError::Changed)));
    let cancelled = CancelToken::new();
    cancelled.cancel(CancelReason::User);
    assert!(matches!(write(Expected::Unchanged(identity), &cancelled), Err(WriteError::Cancelled(_))));
    workspace.put("a", "else");
    assert!(matches!(write(Expected::Unchanged(identity), &cancel), Err(WriteError::Changed)));
    std::fs::remove_file(workspace.path("a")).unwrap();
    assert!(matches!(write(Expected::Unchanged(identity), &cancel), Err(WriteError::Changed)));
    assert!(workspace.names().is_empty());
    symlink("elsewhere", workspace.path("a")).unwrap();
    assert!(matches!(write(Expected::Absent, &cancel), Err(WriteError::Open(OpenError::Moved))));
    assert_eq!(workspace.names(), ["a"]);
}

#[test]
fn a_folder_has_one_writer_at_a_time() {
    let workspace = Workspace::new();
    let place = Place::find(&workspace.path("a")).unwrap();
    let cancel = CancelToken::new();
    let first = FolderLock::acquire(&place, &cancel).unwrap();
    let waiting = cancel.clone();
    let waiter = std::thread::spawn({
        let place = Place::find(&workspace.path("b")).unwrap();
        move || FolderLock::acquire(&place, &waiting).map(drop)
    });
    cancel.cancel(CancelReason::User);
    assert!(waiter.join().unwrap().is_err(), "the second writer did not wait");
    drop(first);
    assert!(FolderLock::acquire(&place, &CancelToken::new()).is_ok());
}

/// A thread turns a link between an open and a closed folder while calls go through it. Each call may be refused; none
/// may reach the closed folder unless it was judged to lead there.
#[tokio::test]
async fn a_link_that_keeps_turning_is_no_way_out() {
    let workspace = Workspace::new();
    for folder in ["open", "closed"] {
        std::fs::create_dir(workspace.path(folder)).unwrap();
    }
    workspace.put("open/file", "open");
    workspace.put("closed/file", "closed");
    symlink("open", workspace.path("link")).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let turner = std::thread::spawn({
        let (stop, link, spare) = (Arc::clone(&stop), workspace.path("link"), workspace.path("spare"));
        move || {
            let mut turns = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                turns += 1;
                symlink(if turns.is_multiple_of(2) { "open" } else { "closed" }, &spare).unwrap();
                std::fs::rename(&spare, &link).unwrap();
            }
        }
    });
    let mut done = 0;
    for n in 0..1500 {
        let ctx = workspace.context();
        let tool = if n % 3 == 0 { erase(Write) } else { read() };
        let input = match n % 3 {
            0 => json!({"file_path": workspace.at(&format!("link/new{n}")), "content": "x"}),
            _ => json!({"file_path": workspace.at("link/file")}),
        };
        let parsed = tool.parse_input(&input).unwrap();
        let toolreeve::engine::CallSubject::Path { real, .. } = tool.permission_subject(&parsed, &ctx) else {
            panic!()
        };
        if !real.starts_with(workspace.path("open")) {
            // The permission chain would refuse this one.
            continue;
        }
        if let Ok(output) = tool.call(&parsed, &ctx).await {
            done += 1;
            if n % 3 != 0 {
                assert_eq!(output.data.structured()["file"]["content"], "open", "a read escaped");
            }
        }
    }
    stop.store(true, Ordering::Relaxed);
    turner.join().unwrap();
    assert_eq!(names_in(&workspace.path("closed")), ["file"], "a write escaped");
    assert!(names_in(&workspace.path("open")).iter().all(|name| !name.ends_with(".tmp")));
    // It must have come to calls at all, or nothing was tested.
    assert!(done > 0);
}

#[tokio::test]
async fn forms_of_a_path_lead_to_one_file() {
    let workspace = Workspace::new();
    workspace.put("folder/file", "text\n");
    std::fs::hard_link(workspace.path("folder/file"), workspace.path("hard")).unwrap();
    let root = workspace.at("");
    let mut forms = vec![
        "folder/file".to_owned(),
        "./folder//file".to_owned(),
        "folder/../folder/./file".to_owned(),
        format!("{root}//folder/file"),
        format!("{root}/none/../folder/file"),
        workspace.at("hard"),
    ];
    if cfg!(target_os = "linux") {
        forms.push(format!("/proc/self/root{root}/folder/file"));
    }
    for form in forms {
        let done = workspace.run(&read(), json!({"file_path": form})).await.unwrap_or_else(|e| panic!("{form}: {e:?}"));
        assert_eq!(done.text, "     1\ttext", "{form}");
    }
    // Names that only look alike are other files.
    for form in ["Folder/file", "folder/\u{ff46}ile", "folder\u{2215}file", "folder/file\u{200b}", "folder\\file"] {
        assert!(workspace.run(&read(), json!({"file_path": form})).await.is_err(), "{form}");
    }
}

/// Reads and edits once in the folder that the environment names. Run by `tests/faults/files.sh` under strace, which
/// makes single system calls fail or kills the process there.
#[tokio::test]
#[ignore = "driven by tests/faults/files.sh"]
async fn edit_once_for_the_fault_script() {
    let Some(folder) = std::env::var_os("TOOLREEVE_FAULT_FOLDER") else { return };
    let context = toolreeve::engine::Context::new(&folder);
    let session = Arc::new(toolreeve::engine::Session::new("s", context, &folder));
    let call = async |tool: Arc<dyn toolreeve::engine::DynTool>, input: serde_json::Value| {
        let events = toolreeve::engine::EventSink::none();
        let ctx = toolreeve::engine::CallContext::new("c", Arc::clone(&session), CancelToken::new(), events);
        let input = tool.parse_input(&input).unwrap();
        tool.call(&input, &ctx).await.map(drop).map_err(|error| error.message)
    };
    // The script reads these lines.
    let read = call(read(), json!({"file_path": "file"})).await;
    println!("read: {read:?}");
    if read.is_ok() {
        let input = json!({"file_path": "file", "old_string": "old", "new_string": "new"});
        println!("edit: {:?}", call(erase(Edit), input).await);
        println!("write: {:?}", call(erase(Write), json!({"file_path": "made/here", "content": "made\n"})).await);
    }
}
