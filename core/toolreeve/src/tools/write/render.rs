//! How Write is shown: a new file as code, a change as a diff.

use std::path::Path;

use toolreeve_engine::RenderNode;

use super::schema::{WriteInput, WriteKind, WriteOutput};

pub(super) fn for_model(output: &WriteOutput) -> String {
    let path = &output.file_path;
    match (output.r#type, output.encoding_lost) {
        (WriteKind::Create, _) => format!("Created {path}."),
        (WriteKind::Update, None) => format!("Updated {path}."),
        (WriteKind::Update, Some(old)) => {
            format!("Updated {path}. It is written in UTF-8 now: the new content cannot be written in {old}.")
        }
    }
}

pub(super) fn call(input: &WriteInput) -> RenderNode {
    let title = RenderNode::title(format!("Write {}", input.file_path));
    RenderNode::Group { children: vec![title, code(&input.file_path, &input.content)] }
}

pub(super) fn result(output: &WriteOutput) -> RenderNode {
    let path = &output.file_path;
    let children = match output.r#type {
        WriteKind::Create => vec![RenderNode::title(format!("Create {path}")), code(path, &output.content)],
        WriteKind::Update => {
            let diff = RenderNode::Diff { path: path.clone(), hunks: output.structured_patch.clone() };
            vec![RenderNode::title(format!("Update {path}")), diff]
        }
    };
    RenderNode::Group { children }
}

fn code(path: &str, text: &str) -> RenderNode {
    let language = Path::new(path).extension().map(|extension| extension.to_string_lossy().into_owned());
    RenderNode::Code { language, text: text.to_owned() }
}
