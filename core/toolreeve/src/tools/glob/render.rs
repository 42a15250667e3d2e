//! How a Glob and its result look, for the model and for people.

use toolreeve_engine::RenderNode;

use super::schema::{GlobInput, GlobOutput};

/// What the model reads.
pub(super) fn text(output: &GlobOutput) -> String {
    let mut text = match output.num_files {
        0 => "No files found".to_owned(),
        _ => output.filenames.join("\n"),
    };
    if output.timed_out {
        text.push_str("\n(The search ran out of time: there may be more files. Give a narrower path or pattern.)");
    } else if output.truncated {
        text.push_str(&format!(
            "\n(The {} files modified last of {} that match. Give a narrower path or pattern to see others.)",
            output.num_files, output.total_matches
        ));
    }
    text
}

/// What people see of a call.
pub(super) fn call(input: &GlobInput) -> RenderNode {
    RenderNode::title(match &input.path {
        Some(path) => format!("Glob({} in {path})", input.pattern),
        None => format!("Glob({})", input.pattern),
    })
}

/// What people see of a result.
pub(super) fn result(output: &GlobOutput) -> RenderNode {
    let plural = if output.total_matches == 1 { "" } else { "s" };
    let title = RenderNode::title(format!("Found {} file{plural}", output.total_matches));
    match output.num_files {
        0 => title,
        _ => RenderNode::Group { children: vec![title, RenderNode::text(output.filenames.join("\n"))] },
    }
}
