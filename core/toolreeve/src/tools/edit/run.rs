//! Does the edit: finds the text in what the file holds now, checks that the model has seen it, writes atomically.

use std::sync::Arc;

use memchr::memchr_iter;
use toolreeve_engine::{CallContext, CancelToken, Session, ToolError};

use super::permit;
use super::schema::{EditInput, EditOutput};
use crate::files::change::{self, Changing};
use crate::files::path::ResolvedPath;
use crate::files::replace::{self, Edit, Mismatch, Replaced};
use crate::files::state::{ReplacedLines, Seen, View};
use crate::files::{background, judged, nearest, patch};

/// How many line numbers an error lists.
const MAX_LISTED_LINES: usize = 10;

pub(super) async fn run(input: &EditInput, ctx: &CallContext) -> Result<EditOutput, ToolError> {
    let path = judged::approved(ctx, &input.file_path)?;
    let session = Arc::clone(&ctx.session);
    let input = input.clone();
    background::writing(ctx, move |cancel| {
        if input.old_string == input.new_string {
            return Err(change::rejected("`old_string` and `new_string` are the same.".to_owned()));
        }
        if input.old_string.is_empty() {
            create(input, &path, &session, cancel)
        } else {
            edit(input, &path, &session, cancel)
        }
    })
    .await
}

fn create(
    input: EditInput,
    path: &ResolvedPath,
    session: &Session,
    cancel: &CancelToken,
) -> Result<EditOutput, ToolError> {
    if change::exists("create", path)? {
        return Err(change::rejected(permit::creates_existing(path)));
    }
    change::create(path, &input.new_string, session, cancel)?;
    let patch = patch::between(b"", input.new_string.as_bytes());
    Ok(output(input, path, None, patch, 0))
}

fn edit(
    input: EditInput,
    path: &ResolvedPath,
    session: &Session,
    cancel: &CancelToken,
) -> Result<EditOutput, ToolError> {
    let file = Changing::begin("edit", path, cancel)?;
    let (seen, is_unchanged) = file.seen("edit", session)?;
    let body = file.body()?;
    let Replaced { body: new_body, edits } =
        replace::replace(&body, &input.old_string, &input.new_string, input.replace_all)
            .map_err(|mismatch| explain(mismatch, &input, &body, path, is_unchanged))?;
    if *body == *new_body {
        let text = "The edit changes nothing: `old_string` and `new_string` differ only in line endings.";
        return Err(change::rejected(text.to_owned()));
    }
    let lines = replaced_lines(&body, &new_body, &edits);
    require_seen(&seen, is_unchanged, &lines, path)?;
    let patch = patch::of_edits(&body, &new_body, &edits);
    let original = file.original();
    let written = file.finish(&new_body, cancel)?;
    if is_unchanged {
        written.note(session, &path.real, seen.view.after(&lines));
    }
    // Else the model has still not seen what somebody else changed, and what is known of the file stays old.
    Ok(output(input, path, original, patch, edits.len()))
}

fn output(
    input: EditInput,
    path: &ResolvedPath,
    original_file: Option<String>,
    structured_patch: Vec<toolreeve_engine::Hunk>,
    replaced: usize,
) -> EditOutput {
    EditOutput {
        file_path: path.path.display().to_string(),
        old_string: input.old_string,
        new_string: input.new_string,
        original_file,
        structured_patch,
        user_modified: false,
        replace_all: input.replace_all,
        replaced,
    }
}

/// Which whole lines the edits touch.
fn replaced_lines(old: &[u8], new: &[u8], edits: &[Edit]) -> Vec<ReplacedLines> {
    let newlines = |text: &[u8], range: std::ops::Range<usize>| {
        memchr_iter(b'\n', text.get(range).unwrap_or_default()).count() as u64
    };
    let (mut line, mut counted) = (1, 0);
    edits
        .iter()
        .map(|edit| {
            line += newlines(old, counted..edit.old.start);
            let start = line;
            let gone = newlines(old, edit.old.clone());
            line += gone;
            counted = edit.old.end;
            // A newline at the end of the text belongs to its last line, not to the one after.
            let ends_line = old.get(..edit.old.end).is_some_and(|text| text.ends_with(b"\n"));
            let end = start + gone + u64::from(!ends_line);
            let come = newlines(new, edit.new.clone());
            ReplacedLines { old: start..end, new_count: (end - start + come).saturating_sub(gone) }
        })
        .collect()
}

/// The model may change what it has read and is still there; and what somebody else changed only where the text was
/// found without any doubt.
fn require_seen(
    seen: &Seen,
    is_unchanged: bool,
    lines: &[ReplacedLines],
    path: &ResolvedPath,
) -> Result<(), ToolError> {
    if !is_unchanged {
        let is_certain = lines.len() == 1 && seen.view == View::Whole;
        return if is_certain { Ok(()) } else { Err(change::changed("edit", &path.path)) };
    }
    match lines.iter().find(|it| !seen.view.covers(&it.old)) {
        None => Ok(()),
        Some(unseen) => Err(change::rejected(format!(
            "Lines {}-{} of {} have not been read yet: read them with Read (offset and limit) before you edit them.",
            unseen.old.start,
            unseen.old.end - 1,
            path.path.display()
        ))),
    }
}

fn explain(mismatch: Mismatch, input: &EditInput, body: &[u8], path: &ResolvedPath, is_unchanged: bool) -> ToolError {
    let shown = path.path.display();
    let since = if is_unchanged { "" } else { " The file was changed since it was read: read it again." };
    match mismatch {
        Mismatch::NotFound => {
            let hint = nearest::place(&String::from_utf8_lossy(body), &input.old_string);
            let hint = hint.map(|hint| format!(" {hint}")).unwrap_or_default();
            ToolError::failed(format!("`old_string` was not found in {shown} (0 matches).{since}{hint}"))
                .with_safe_message("old_string not found")
        }
        Mismatch::Ambiguous { count } => {
            let lines: Vec<String> = replace::lines_of_matches(body, &input.old_string, MAX_LISTED_LINES)
                .iter()
                .map(|line| (line + 1).to_string())
                .collect();
            let more = if count > MAX_LISTED_LINES { ", …" } else { "" };
            ToolError::failed(format!(
                "`old_string` is not unique in {shown}: {count} matches (lines {}{more}). Add lines around it until it is unique, or set `replace_all`.{since}",
                lines.join(", ")
            ))
            .with_safe_message("old_string not unique")
        }
    }
}
