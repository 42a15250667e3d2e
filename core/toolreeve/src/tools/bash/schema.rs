//! What Bash takes and gives.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolreeve_shell::{Analysis, Shell, analyze};

/// The input of Bash.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BashInput {
    /// The command to run
    pub command: String,
    /// The time limit in milliseconds, 120000 by default, at most 600000
    #[serde(default)]
    pub timeout: Option<f64>,
    /// What the command does, in five to ten words
    #[serde(default)]
    pub description: Option<String>,
    /// Whether to run it in the background
    #[serde(default)]
    pub run_in_background: Option<bool>,
    /// Whether to run it outside of the sandbox
    #[serde(default, rename = "dangerouslyDisableSandbox")]
    pub dangerously_disable_sandbox: Option<bool>,
    /// The command, taken apart when it is first asked about.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) analysis: OnceLock<Arc<Analysis>>,
}

impl BashInput {
    /// What the command is and does.
    pub(super) fn analysis(&self) -> &Arc<Analysis> {
        self.analysis.get_or_init(|| Arc::new(analyze(&self.command, Shell::Bash)))
    }
}

/// The output of Bash.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BashOutput {
    /// The standard output, or as much of it as the model reads.
    pub stdout: String,
    /// The standard error output, or as much of it as the model reads.
    pub stderr: String,
    /// Whether the command was ended before it was done.
    pub interrupted: bool,
    /// The time limit, if it was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timed_out_after_ms: Option<u64>,
    /// What the exit status says by the convention of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_code_interpretation: Option<String>,
    /// Whether the command normally prints nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_output_expected: bool,
    /// The file with the whole output, if it was too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persisted_output_path: Option<PathBuf>,
    /// The size of the whole output in bytes, if it was too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persisted_output_size: Option<u64>,
    /// The exit status; that of a signal is 128 and its number.
    #[serde(skip)]
    pub exit_code: i32,
    /// Whether the command failed.
    #[serde(skip)]
    pub(super) failed: bool,
    /// What the model reads behind the output.
    #[serde(skip)]
    pub(super) notes: Vec<String>,
}
