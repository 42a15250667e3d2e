//! A temporary folder with a session, to drive single tools in: validation, permission subject and call, as the
//! pipeline does, without rules.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use toolreeve::engine::{
    CallContext, CallSubject, CancelToken, ContentBlock, Context, DynTool, ErrorKind, EventSink, RenderNode, Session,
    Validation, erase,
};
use toolreeve::tools::{edit::Edit, read::Read, write::Write};

/// A folder of its own for one test.
pub(crate) struct Workspace {
    root: PathBuf,
    session: Arc<Session>,
    calls: AtomicUsize,
    _folder: tempfile::TempDir,
}

/// What a call gave.
#[derive(Debug)]
pub(crate) struct Done {
    /// What the model reads.
    pub(crate) text: String,
    /// What hosts see.
    pub(crate) data: Value,
    /// What is shown.
    pub(crate) render: RenderNode,
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failed {
    /// What the model reads.
    pub(crate) message: String,
    /// The code, if the tool's validation refused.
    pub(crate) code: Option<u32>,
    /// The kind, if the call itself failed.
    pub(crate) kind: Option<ErrorKind>,
    /// The class for telemetry, if the call itself failed.
    pub(crate) class: Option<String>,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let session = Arc::new(Session::new("s", Context::new(&root), root.join(".spill")));
        Self { root, session, calls: AtomicUsize::new(0), _folder: folder }
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The absolute path of a file as text.
    pub(crate) fn at(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self.at(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn content(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        names_in(&self.root)
    }

    pub(crate) fn context(&self) -> CallContext {
        let id = self.calls.fetch_add(1, Ordering::Relaxed);
        CallContext::new(format!("call-{id}"), Arc::clone(&self.session), CancelToken::new(), EventSink::none())
    }

    /// Validates, judges and calls.
    pub(crate) async fn run(&self, tool: &Arc<dyn DynTool>, input: Value) -> Result<Done, Failed> {
        self.run_with(tool, input, &self.context(), || ()).await
    }

    /// The same with something done between judging and calling.
    pub(crate) async fn run_with(
        &self,
        tool: &Arc<dyn DynTool>,
        input: Value,
        ctx: &CallContext,
        between: impl FnOnce(),
    ) -> Result<Done, Failed> {
        let plain = |message: String| Failed { message, code: None, kind: None, class: None };
        let input = tool.parse_input(&input).map_err(|error| plain(error.message))?;
        match tool.validate_input(&input, ctx).await {
            Validation::Pass => {}
            Validation::Reject { message, code } => return Err(Failed { code: Some(code), ..plain(message) }),
            Validation::Ask { message } => return Err(plain(message)),
        }
        assert!(matches!(tool.permission_subject(&input, ctx), CallSubject::Path { .. }));
        between();
        let output = tool.call(&input, ctx).await.map_err(|error| Failed {
            kind: Some(error.kind),
            class: Some(error.telemetry_class()),
            ..plain(error.message)
        })?;
        let content = output.data.content();
        let text: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
        Ok(Done { text: text.join("\n"), data: output.data.structured(), render: output.data.render() })
    }

    pub(crate) async fn read(&self, name: &str) -> Result<Done, Failed> {
        self.run(&read(), serde_json::json!({"file_path": self.at(name)})).await
    }

    pub(crate) async fn read_lines(&self, name: &str, offset: u64, limit: u64) -> Result<Done, Failed> {
        self.run(&read(), serde_json::json!({"file_path": self.at(name), "offset": offset, "limit": limit})).await
    }

    pub(crate) async fn edit(&self, name: &str, old: &str, new: &str) -> Result<Done, Failed> {
        let input = serde_json::json!({"file_path": self.at(name), "old_string": old, "new_string": new});
        self.run(&erase(Edit), input).await
    }

    pub(crate) async fn write(&self, name: &str, content: &str) -> Result<Done, Failed> {
        self.run(&erase(Write), serde_json::json!({"file_path": self.at(name), "content": content})).await
    }
}

pub(crate) fn read() -> Arc<dyn DynTool> {
    erase(Read::default())
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

impl Failed {
    /// Asserts that the message has all of these in it.
    pub(crate) fn says(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(self.message.contains(part), "{part:?} is not in {:?}", self.message);
        }
        self
    }
}
