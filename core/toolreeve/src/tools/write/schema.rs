//! The input and the structured output of Write.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolreeve_engine::Hunk;

/// What the model sends.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteInput {
    /// The absolute path of the file.
    pub file_path: String,
    /// The whole new content.
    pub content: String,
}

/// Whether there was a file before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WriteKind {
    /// There was none.
    Create,
    /// There was one.
    Update,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WriteOutput {
    /// Whether there was a file before.
    pub r#type: WriteKind,
    /// The absolute path.
    pub file_path: String,
    /// The content, as it was given.
    pub content: String,
    /// What changed; empty for a new file.
    pub structured_patch: Vec<Hunk>,
    /// The whole text before. Missing (null) for a new file and for one of more than 32 MiB.
    pub original_file: Option<String>,
    /// Whether a person changed the content before it was written.
    pub user_modified: bool,
    /// Set when the encoding could not be kept, with the old one.
    #[serde(skip)]
    pub encoding_lost: Option<&'static str>,
}
