//! What Glob takes and gives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The input of Glob.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlobInput {
    /// The glob pattern to match files against, for example `**/*.rs` or `src/**/*.{ts,tsx}`
    pub pattern: String,
    /// The directory to search in. The working directory if omitted
    #[serde(default)]
    pub path: Option<String>,
}

/// The output of Glob.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GlobOutput {
    /// How long the search took.
    pub duration_ms: u64,
    /// The number of files listed.
    pub num_files: usize,
    /// The files, the one modified last first: relative to the working directory, or absolute outside of it.
    pub filenames: Vec<String>,
    /// Whether there are more files than listed.
    pub truncated: bool,
    /// How many files match, as far as they were counted.
    pub total_matches: usize,
    /// Whether every file was counted.
    pub count_is_complete: bool,
    /// Whether the time ran out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
}
