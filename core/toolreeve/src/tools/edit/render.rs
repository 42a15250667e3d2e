//! How Edit is shown: a new file as code, a change as a diff.

use toolreeve_engine::RenderNode;

use super::schema::{EditInput, EditOutput};
use crate::files::patch;

pub(super) fn verb(input: &EditInput) -> &'static str {
    if input.old_string.is_empty() { "Create" } else { "Update" }
}

pub(super) fn for_model(output: &EditOutput) -> String {
    let path = &output.file_path;
    match output.replaced {
        0 => format!("Created {path}."),
        1 => format!("Updated {path}: 1 occurrence replaced."),
        n => format!("Updated {path}: {n} occurrences replaced."),
    }
}

/// The change that is wanted: as a diff of the two texts, since their place in the file is not known yet.
pub(super) fn call(input: &EditInput) -> RenderNode {
    let title = RenderNode::title(format!("{} {}", verb(input), input.file_path));
    let body = if input.old_string.is_empty() {
        code(&input.file_path, &input.new_string)
    } else {
        let hunks = patch::between(input.old_string.as_bytes(), input.new_string.as_bytes());
        RenderNode::Diff { path: input.file_path.clone(), hunks }
    };
    RenderNode::Group { children: vec![title, body] }
}

pub(super) fn result(output: &EditOutput) -> RenderNode {
    let path = &output.file_path;
    if output.replaced == 0 {
        let children = vec![RenderNode::title(format!("Create {path}")), code(path, &output.new_string)];
        return RenderNode::Group { children };
    }
    let diff = RenderNode::Diff { path: path.clone(), hunks: output.structured_patch.clone() };
    RenderNode::Group { children: vec![RenderNode::title(format!("Update {path}")), diff] }
}

fn code(path: &str, text: &str) -> RenderNode {
    let extension = std::path::Path::new(path).extension();
    RenderNode::Code { language: extension.map(|it| it.to_string_lossy().into_owned()), text: text.to_owned() }
}
