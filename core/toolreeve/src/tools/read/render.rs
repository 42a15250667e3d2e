//! How Read is shown: to the model with line numbers, to people in one line.

use std::fmt::Write;

use toolreeve_engine::RenderNode;

use super::schema::{ReadInput, ReadOutput};

/// How many names a group shows.
const NAMES_IN_GROUP: usize = 3;

/// The lines as `cat -n` prints them, then the notes in brackets.
pub(super) fn for_model(output: &ReadOutput) -> String {
    let ReadOutput::Text { file } = output;
    let mut out = String::with_capacity(file.content.len() + file.content.len() / 4 + 64);
    if file.num_lines > 0 {
        for (number, line) in (file.start_line..).zip(file.content.split('\n')) {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{number:>6}\t{line}");
        }
    }
    for note in &file.notes {
        let _ = writeln!(out, "[{note}]");
    }
    out.truncate(out.trim_end_matches('\n').len());
    out
}

pub(super) fn call(input: &ReadInput) -> RenderNode {
    let path = &input.file_path;
    RenderNode::title(match (input.offset, input.limit) {
        (None, None) => format!("Read {path}"),
        (offset, None) => format!("Read {path} from line {}", offset.unwrap_or(1)),
        (offset, Some(limit)) => {
            let first = offset.unwrap_or(1).max(1);
            format!("Read {path} lines {first}-{}", first.saturating_add(limit).saturating_sub(1))
        }
    })
}

pub(super) fn result(output: &ReadOutput) -> RenderNode {
    let ReadOutput::Text { file } = output;
    let lines = if file.num_lines == 1 { "line" } else { "lines" };
    let mut text = format!("Read {} {lines}", file.num_lines);
    for note in &file.notes {
        text.push_str(&format!("\n{note}"));
    }
    RenderNode::text(text)
}

pub(super) fn grouped(inputs: &[&ReadInput]) -> RenderNode {
    let mut names: Vec<&str> = Vec::new();
    for input in inputs {
        if !names.contains(&input.file_path.as_str()) {
            names.push(&input.file_path);
        }
    }
    let files = if names.len() == 1 { "file" } else { "files" };
    let more = if names.len() > NAMES_IN_GROUP { ", …" } else { "" };
    let shown = names.get(..NAMES_IN_GROUP).unwrap_or(&names).join(", ");
    RenderNode::title(format!("Read {} {files}: {shown}{more}", names.len()))
}
