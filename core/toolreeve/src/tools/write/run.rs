//! Does the writing: creates the file with its folders, or replaces all of one that was read and is unchanged since.

use std::sync::Arc;

use toolreeve_engine::{CallContext, CancelToken, Session, ToolError};

use super::schema::{WriteInput, WriteKind, WriteOutput};
use crate::files::change::{self, Changing};
use crate::files::path::ResolvedPath;
use crate::files::state::View;
use crate::files::text::Codec;
use crate::files::{background, judged, patch};

pub(super) async fn run(input: &WriteInput, ctx: &CallContext) -> Result<WriteOutput, ToolError> {
    let path = judged::approved(ctx, &input.file_path)?;
    let session = Arc::clone(&ctx.session);
    let content = input.content.clone();
    background::writing(ctx, move |cancel| {
        if change::exists("write", &path)? {
            update(content, &path, &session, cancel)
        } else {
            change::create(&path, &content, &session, cancel)?;
            Ok(output(WriteKind::Create, content, &path))
        }
    })
    .await
}

fn update(
    content: String,
    path: &ResolvedPath,
    session: &Session,
    cancel: &CancelToken,
) -> Result<WriteOutput, ToolError> {
    let file = Changing::begin("overwrite", path, cancel)?;
    let (seen, is_unchanged) = file.seen("overwrite", session)?;
    if seen.view != View::Whole {
        return Err(change::rejected(change::partly_read("overwrite", &path.path)));
    }
    if !is_unchanged {
        return Err(change::changed("overwrite", &path.path));
    }
    let mut output = output(WriteKind::Update, content, path);
    let codec = file.codec();
    output.original_file = file.original();
    // A byte order mark is kept as it is in the file; the one in the content would be a second one.
    let body = if codec.bom_len() > 0 { output.content.trim_start_matches('\u{feff}') } else { &output.content };
    let written = if let Codec::Legacy(old) = codec
        && codec.encode(body).is_err()
    {
        output.encoding_lost = Some(old.name());
        file.finish_as_utf8(body, cancel)?
    } else {
        file.finish(body.as_bytes(), cancel)?
    };
    output.structured_patch = match file.body() {
        Ok(old) => patch::between(&old, body.as_bytes()),
        // What is lost in decoding does not matter for showing what changed.
        Err(_) => patch::between(output.original_file.as_deref().unwrap_or_default().as_bytes(), body.as_bytes()),
    };
    written.note(session, &path.real, View::Whole);
    Ok(output)
}

fn output(kind: WriteKind, content: String, path: &ResolvedPath) -> WriteOutput {
    WriteOutput {
        r#type: kind,
        file_path: path.path.display().to_string(),
        content,
        structured_patch: Vec::new(),
        original_file: None,
        user_modified: false,
        encoding_lost: None,
    }
}
