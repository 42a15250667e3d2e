//! Which of the files below a permitted folder may be shown: not those that a deny rule names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use toolreeve_engine::Context;
use toolreeve_permission::{Access, Behavior, OwnCheck, Query, Subject, evaluate};

use crate::files::path::ResolvedPath;

/// Asks the rules about single files of a search. Permission for the folder was given before; it does not cover what
/// is denied inside of it.
#[derive(Debug)]
pub(crate) struct Visible {
    tool: &'static str,
    /// Missing where no rule can deny a single file.
    context: Option<Arc<Context>>,
    root: ResolvedPath,
}

impl Visible {
    pub(super) fn new(tool: &'static str, context: &Arc<Context>, root: ResolvedPath) -> Self {
        let can_deny = context.policy.deny.iter().any(|sourced| sourced.rule.content().is_some());
        Self { tool, context: can_deny.then(|| Arc::clone(context)), root }
    }

    /// Whether a file, given by its path below the real root, may be shown.
    pub(crate) fn shows(&self, file: &Path) -> bool {
        let Some(context) = &self.context else { return true };
        let named = match file.strip_prefix(&self.root.real) {
            Ok(below) if below.as_os_str().is_empty() => self.root.path.clone(),
            Ok(below) => self.root.path.join(below),
            Err(_) => PathBuf::from(file),
        };
        let query = Query {
            tool: self.tool,
            input: &Value::Null,
            subject: Subject::Path { path: &named, real: file, access: Access::Read },
            read_only: true,
            edits_files: false,
            requires_interaction: false,
            hook: None,
            own: OwnCheck::Pass,
        };
        // In the mode that asks nobody a question becomes a denial; the folder itself was allowed, so it is none here.
        let decision = evaluate(&context.policy, &query);
        decision.behavior != Behavior::Deny || decision.reason.rule.is_none()
    }
}
