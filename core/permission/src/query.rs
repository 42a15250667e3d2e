//! What rules can see of one tool call. The engine builds a [`Query`]; nothing here decides.

use std::path::Path;

use serde_json::Value;
use toolreeve_shell::Analysis;

use crate::decision::{Behavior, Reason};

/// What a call does to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads it, or searches below it.
    Read,
    /// Changes or creates it.
    Write,
}

/// What the content of a rule is matched against.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// Nothing: only rules that name the whole tool can match.
    None,
    /// A bash command, taken apart.
    Command(&'a Analysis),
    /// A file or folder: absolute, lexically clean, and the place that symbolic links lead to where it differs.
    Path {
        /// The path as the caller named it, absolute and without `.` and `..`.
        path: &'a Path,
        /// Where it really leads. Equal to `path` where no symbolic link is involved.
        real: &'a Path,
        /// What is done to it.
        access: Access,
    },
    /// Any other text (a host name, an agent type, …): matched exactly or by `*`.
    Text(&'a str),
}

/// What a hook said about the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookVerdict {
    /// Its answer.
    pub behavior: Behavior,
    /// Its reason, shown to the person and to the model.
    pub message: String,
}

/// What the tool itself says about the call, before mode and allow rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OwnCheck {
    /// Nothing definite: the rules decide.
    #[default]
    Pass,
    /// The call is harmless.
    Allow(Reason),
    /// A person must look at it, whatever mode and allow rules say.
    Ask(Reason),
    /// It must not run.
    Deny(Reason),
}

/// One tool call, as rules see it.
#[derive(Debug, Clone)]
pub struct Query<'a> {
    /// The tool's primary name.
    pub tool: &'a str,
    /// The input as the model sent it, for rules on single parameters.
    pub input: &'a Value,
    /// What the content of rules is matched against.
    pub subject: Subject<'a>,
    /// Whether this call only reads.
    pub read_only: bool,
    /// Whether this call changes files as its purpose, which the `acceptEdits` mode lets through.
    pub edits_files: bool,
    /// Whether a person must answer whatever the rules say.
    pub requires_interaction: bool,
    /// What the PreToolUse hooks said, merged.
    pub hook: Option<HookVerdict>,
    /// What the tool itself says.
    pub own: OwnCheck,
}
