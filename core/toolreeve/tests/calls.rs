//! Calls of single tools, in a folder of their own, the way the pipeline makes them but without permissions.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tempfile::TempDir;
use toolreeve::engine::{
    CallContext, CancelToken, ContentBlock, Context, DynTool, Event, EventSink, Session, ToolError, ToolInput,
    Validation,
};
use toolreeve::permission::{Behavior, RuleSource};

/// A folder to work in, and a session in it.
pub(crate) struct Place {
    _dir: TempDir,
    root: PathBuf,
    pub(crate) session: Arc<Session>,
    pub(crate) cancel: CancelToken,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct Progress {
    reports: Mutex<Vec<Value>>,
    changed: tokio::sync::Notify,
}

/// What came back of a call.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) data: Value,
    pub(crate) is_error: bool,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("work");
        std::fs::create_dir(&root).unwrap();
        let session = Session::new("test", Context::new(&root), root.with_file_name("spill"));
        Self { _dir: dir, root, session: Arc::new(session), cancel: CancelToken::new(), progress: Arc::default() }
    }

    /// A path in the folder.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file, with its folders.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Sets the time of the last change of a file, in seconds since 1970.
    pub(crate) fn modified(&self, name: &str, seconds: u64) {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        std::fs::File::options().append(true).open(self.at(name)).unwrap().set_modified(time).unwrap();
    }

    /// Adds a deny rule.
    pub(crate) fn deny(&self, rule: &str) {
        self.session.update_context(|context| {
            context.policy.add(Behavior::Deny, rule, RuleSource::ProjectSettings).unwrap();
        });
    }

    /// What a call gets. Its progress is kept.
    pub(crate) fn context(&self) -> CallContext {
        let progress = Arc::clone(&self.progress);
        let sink = EventSink::new(move |event| {
            if let Event::ToolProgress { data, .. } = event {
                progress.reports.lock().unwrap().push(data);
                progress.changed.notify_waiters();
            }
        });
        CallContext::new("call", Arc::clone(&self.session), self.cancel.clone(), sink)
    }

    /// The progress reported so far.
    pub(crate) fn progress(&self) -> Vec<Value> {
        self.progress.reports.lock().unwrap().clone()
    }

    /// What was reported of one stream so far.
    pub(crate) fn shown(&self, stream: &str) -> String {
        let reports = self.progress();
        reports
            .iter()
            .filter(|report| report["stream"] == stream)
            .filter_map(|report| report["text"].as_str())
            .collect()
    }

    /// Waits until standard output was reported to contain a text.
    pub(crate) async fn until_shown(&self, text: &str) {
        loop {
            let changed = self.progress.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.shown("stdout").contains(text) {
                return;
            }
            changed.await;
        }
    }

    /// Validates an input; a refusal is an error with its text.
    pub(crate) async fn input(&self, tool: &dyn DynTool, input: &Value) -> Result<ToolInput, ToolError> {
        let input = tool.parse_input(input).map_err(|error| ToolError::failed(error.message))?;
        match tool.validate_input(&input, &self.context()).await {
            Validation::Reject { message, .. } => Err(ToolError::failed(message)),
            _ => Ok(input),
        }
    }

    /// Validates and calls; a change of the context is applied.
    pub(crate) async fn call(&self, tool: &dyn DynTool, input: Value) -> Result<Answer, ToolError> {
        let input = self.input(tool, &input).await?;
        let output = tool.call(&input, &self.context()).await?;
        if let Some(change) = output.context_change {
            self.session.update_context(|context| change.apply(context));
        }
        let content = output.data.content();
        let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
        Ok(Answer { text: texts.join("\n"), data: output.data.structured(), is_error: output.is_error })
    }
}
