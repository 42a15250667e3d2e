//! What Grep takes and gives.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputMode {
    /// The lines that match.
    Content,
    /// The files that match.
    #[default]
    FilesWithMatches,
    /// The number of matches of each file.
    Count,
}

/// The input of Grep.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepInput {
    /// The regular expression to search for, in ripgrep's syntax
    pub pattern: String,
    /// The file or directory to search in. The working directory if omitted
    #[serde(default)]
    pub path: Option<String>,
    /// Glob patterns that select files (`*.js`, `*.{ts,tsx}`) or, behind a `!`, leave files out
    #[serde(default)]
    pub glob: Option<String>,
    /// The type of files to search, for example `js`, `py`, `rust`, `go`, `java`
    #[serde(default, rename = "type")]
    pub file_type: Option<String>,
    /// `content` lists matching lines, `files_with_matches` (the default) paths, `count` the number of matches per file
    #[serde(default)]
    pub output_mode: OutputMode,
    /// Lines to show before each match. Only with output_mode `content`
    #[serde(default, rename = "-B")]
    pub before: Option<usize>,
    /// Lines to show after each match. Only with output_mode `content`
    #[serde(default, rename = "-A")]
    pub after: Option<usize>,
    /// The same as `context`
    #[serde(default, rename = "-C")]
    pub context_short: Option<usize>,
    /// Lines to show before and after each match. Only with output_mode `content`
    #[serde(default)]
    pub context: Option<usize>,
    /// Whether lines are numbered, true by default. Only with output_mode `content`
    #[serde(default, rename = "-n")]
    pub line_numbers: Option<bool>,
    /// Whether only the matching parts of lines are shown. Only with output_mode `content`
    #[serde(default, rename = "-o")]
    pub only_matching: bool,
    /// Whether upper and lower case are the same
    #[serde(default, rename = "-i")]
    pub ignore_case: bool,
    /// How many lines or files to list, 250 by default; 0 lists all, which can be a lot
    #[serde(default)]
    pub head_limit: Option<usize>,
    /// How many lines or files to leave out in front
    #[serde(default)]
    pub offset: usize,
    /// Whether `.` matches line ends and a match may span lines
    #[serde(default)]
    pub multiline: bool,
}

/// The output of Grep.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GrepOutput {
    /// What is listed.
    pub mode: OutputMode,
    /// The number of files listed.
    pub num_files: usize,
    /// The files listed: relative to the working directory, or absolute outside of it.
    pub filenames: Vec<String>,
    /// The lines listed (`content` and `count`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The number of lines listed (`content`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_lines: Option<usize>,
    /// The number of all matches, listed or not (`count`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_matches: Option<u64>,
    /// The number of all files with a match, listed or not.
    pub total_files: usize,
    /// The number of all lines, listed or not (`content`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<usize>,
    /// The limit, if it left something out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_limit: Option<usize>,
    /// The offset, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_offset: Option<usize>,
    /// Whether the time ran out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// Why some files could not be searched: their number and the first reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Skipped>,
}

/// Files that could not be searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Skipped {
    /// How many.
    pub num_files: usize,
    /// Why the first of them, by its path.
    pub example: String,
}
