//! How a Grep and its result look, for the model and for people.

use toolreeve_engine::RenderNode;

use super::schema::{GrepInput, GrepOutput, OutputMode};

/// What the model reads.
pub(super) fn text(output: &GrepOutput) -> String {
    let mut text = listing(output);
    if output.mode == OutputMode::Count && output.total_files > 0 {
        let matches = output.num_matches.unwrap_or_default();
        text.push_str(&format!("\n\n{} in {}", counted(matches, "match", "es"), files(output.total_files)));
    }
    let (unit, total) = match output.total_lines {
        Some(lines) => ("lines", lines),
        None => ("files", output.total_files),
    };
    if let Some(listed) = output.applied_limit
        && listed > 0
    {
        let first = output.applied_offset.unwrap_or(0) + 1;
        let last = first + listed - 1;
        text.push_str(&format!(
            "\n\n(Showing {unit} {first}-{last} of {total}. Continue with offset {last}, or narrow the search.)"
        ));
    }
    if output.timed_out {
        text.push_str("\n\n(The search ran out of time: there may be more. Give a narrower path, glob or type.)");
    }
    if let Some(skipped) = &output.skipped {
        let number = files(skipped.num_files);
        text.push_str(&format!("\n\n({number} could not be searched, for example {})", skipped.example));
    }
    text
}

fn listing(output: &GrepOutput) -> String {
    if output.total_files == 0 {
        return match output.mode {
            OutputMode::FilesWithMatches => "No files found".to_owned(),
            _ => "No matches found".to_owned(),
        };
    }
    let total = output.total_lines.unwrap_or(output.total_files);
    if let Some(offset) = output.applied_offset
        && offset >= total
    {
        let unit = if output.total_lines.is_some() { "lines" } else { "files" };
        return format!("Nothing is left behind offset {offset}: there are only {total} {unit}. Use a smaller offset.");
    }
    match &output.content {
        Some(content) => content.clone(),
        None => format!("Found {}\n{}", files(output.total_files), output.filenames.join("\n")),
    }
}

fn files(number: usize) -> String {
    counted(number as u64, "file", "s")
}

fn counted(number: u64, noun: &str, plural: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { plural })
}

/// What people see of a call.
pub(super) fn call(input: &GrepInput) -> RenderNode {
    let mut text = format!("Grep(\"{}\"", input.pattern);
    if let Some(path) = &input.path {
        text.push_str(&format!(" in {path}"));
    }
    for (name, value) in [("glob", &input.glob), ("type", &input.file_type)] {
        if let Some(value) = value {
            text.push_str(&format!(", {name}: {value}"));
        }
    }
    text.push(')');
    RenderNode::title(text)
}

/// What people see of a result.
pub(super) fn result(output: &GrepOutput) -> RenderNode {
    let title = match (output.num_lines, output.num_matches) {
        (Some(_), _) => format!("Found {}", counted(output.total_lines.unwrap_or(0) as u64, "line", "s")),
        (_, Some(matches)) => format!("Found {} in {}", counted(matches, "match", "es"), files(output.total_files)),
        _ => format!("Found {}", files(output.total_files)),
    };
    let listed = match &output.content {
        Some(content) => content.clone(),
        None => output.filenames.join("\n"),
    };
    match listed.is_empty() {
        true => RenderNode::title(title),
        false => RenderNode::Group { children: vec![RenderNode::title(title), RenderNode::text(listed)] },
    }
}
