//! The input and the structured output of Edit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolreeve_engine::Hunk;

/// What the model sends.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditInput {
    /// The absolute path of the file.
    pub file_path: String,
    /// The text to replace, exactly as it is in the file. Empty to create a new file.
    pub old_string: String,
    /// The text to put in its place; must differ from old_string.
    pub new_string: String,
    /// Whether to replace every occurrence instead of the only one.
    #[serde(default)]
    pub replace_all: bool,
}

/// What was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EditOutput {
    /// The absolute path.
    pub file_path: String,
    /// The text that was replaced.
    pub old_string: String,
    /// The text that took its place.
    pub new_string: String,
    /// The whole text before. Missing (null) for a new file and for one of more than 32 MiB.
    pub original_file: Option<String>,
    /// What changed, with three lines around.
    pub structured_patch: Vec<Hunk>,
    /// Whether a person changed the edit before it was applied.
    pub user_modified: bool,
    /// Whether every occurrence was meant.
    pub replace_all: bool,
    /// How many places were replaced; 0 for a new file.
    #[serde(skip)]
    pub replaced: usize,
}
