//! How a Bash call and its result look, for the model and for people.

use toolreeve_engine::RenderNode;

use super::schema::{BashInput, BashOutput};

/// Stands between standard output and standard error.
pub(super) const STDERR_NAME: &str = "\n[stderr]\n";

/// What the model reads.
pub(super) fn text(output: &BashOutput) -> String {
    let mut parts = Vec::new();
    if output.failed {
        parts.push(format!("Exit code {}", output.exit_code));
    }
    if output.failed || !output.stdout.is_empty() || !output.stderr.is_empty() {
        parts.extend(streams(output));
    } else {
        parts.push("(no output)".to_owned());
    }
    if let Some(meaning) = &output.return_code_interpretation {
        parts.push(match output.failed {
            true => format!("({meaning})"),
            false => format!("(exit code {}: {meaning})", output.exit_code),
        });
    }
    parts.extend(output.notes.iter().map(|note| format!("({note})")));
    parts.join("\n")
}

/// Standard output, then standard error under its name.
fn streams(output: &BashOutput) -> Vec<String> {
    let mut parts = Vec::new();
    if !output.stdout.is_empty() {
        parts.push(output.stdout.clone());
    }
    if !output.stderr.is_empty() {
        parts.push(format!("{}{}", STDERR_NAME.trim_start(), output.stderr));
    }
    parts
}

/// What people see of a call.
pub(super) fn call(input: &BashInput) -> RenderNode {
    RenderNode::title(format!("Bash({})", input.command))
}

/// What people see of a result.
pub(super) fn result(output: &BashOutput) -> RenderNode {
    let mut parts = streams(output);
    parts.extend(output.notes.iter().map(|note| format!("({note})")));
    RenderNode::Terminal { text: parts.join("\n"), exit_code: Some(output.exit_code) }
}
