//! The input and the structured output of Read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the model sends.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadInput {
    /// The absolute path of the file.
    pub file_path: String,
    /// The line to start at, from 1. Only for files that are too large to read at once.
    pub offset: Option<u64>,
    /// How many lines to read. Only for files that are too large to read at once.
    pub limit: Option<u64>,
    /// Pages of a PDF document, for example "1-5". Only for PDF files.
    pub pages: Option<String>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum ReadOutput {
    /// Text.
    Text {
        /// The lines.
        file: TextFile,
    },
}

/// Lines of a text file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextFile {
    /// The absolute path.
    pub file_path: String,
    /// The lines without numbers, joined by `\n`, without the newline that ends the last.
    pub content: String,
    /// How many lines there are in `content`.
    pub num_lines: u64,
    /// The number of the first, from 1.
    pub start_line: u64,
    /// How many lines the file has. Missing for a part of a file so large that counting them would take long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
    /// Whether the whole file was wanted and only its first page fitted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated_by_token_cap: bool,
    /// What the model is told beside the lines.
    #[serde(skip)]
    pub notes: Vec<String>,
}
