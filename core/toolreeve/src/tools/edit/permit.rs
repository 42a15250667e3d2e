//! What Edit checks before a file is opened, and what rules are matched against. Looks at no content: that must wait
//! until the call is permitted.

use toolreeve_engine::{CallContext, CallSubject, Validation};
use toolreeve_permission::Access;

use super::schema::EditInput;
use crate::files::state::{FileState, View};
use crate::files::{change, judged, open, path};

/// The path cannot be one.
const BAD_PATH: u32 = 1;
/// Both texts are the same.
const NO_CHANGE: u32 = 2;
/// A new file is wanted where there is one already.
const EXISTS: u32 = 3;
/// The file does not exist.
const MISSING: u32 = 4;
/// The file is a notebook.
const NOTEBOOK: u32 = 5;
/// The file has not been read.
const NOT_READ: u32 = 6;
/// Only the first page of the file has been read.
const PARTLY_READ: u32 = 7;
/// The path names a folder, a device or the like.
const NOT_A_FILE: u32 = 8;

pub(super) fn validate(input: &EditInput, ctx: &CallContext) -> Validation {
    let reject = |code, message| Validation::Reject { message, code };
    if let Some(message) = path::misfit(&ctx.context, "file_path", &input.file_path) {
        return reject(BAD_PATH, message);
    }
    if input.old_string == input.new_string {
        return reject(NO_CHANGE, "`old_string` and `new_string` are the same: there is nothing to change".to_owned());
    }
    let path = path::resolve(&ctx.context, &input.file_path);
    let shown = path.path.display();
    if let Some(what) = open::special_kind(&path.real) {
        return reject(NOT_A_FILE, format!("Cannot edit {shown}: it is {what}, not a file."));
    }
    if path::names_folder(&input.file_path) {
        return reject(NOT_A_FILE, format!("Cannot edit {}: the path names a folder.", input.file_path));
    }
    let exists = path.real.exists();
    if input.old_string.is_empty() {
        return if exists { reject(EXISTS, creates_existing(&path)) } else { Validation::Pass };
    }
    if !exists {
        // Similar names are for Read to tell: listing the folder needs a permission that is not given yet.
        let message = format!("Cannot edit {shown}: the file does not exist. Look for it with Glob, or create it.");
        return reject(MISSING, message);
    }
    if path.real.extension().is_some_and(|extension| extension == "ipynb") {
        return reject(
            NOTEBOOK,
            format!("{shown} is a notebook. Editing notebooks is not supported by this build yet."),
        );
    }
    match ctx.session.extension::<FileState>().get(&path.real).map(|seen| seen.view) {
        None => reject(NOT_READ, change::not_read("edit", &path.path)),
        Some(View::FirstPage) => reject(PARTLY_READ, change::partly_read("edit", &path.path)),
        Some(View::Whole | View::Ranges(_)) => Validation::Pass,
    }
}

/// What the model is told when it would create a file over another.
pub(super) fn creates_existing(path: &path::ResolvedPath) -> String {
    format!(
        "{} exists already, and an empty `old_string` creates a new file: give the text to replace, or use Write to replace all of it.",
        path.path.display()
    )
}

pub(super) fn subject(input: &EditInput, ctx: &CallContext) -> CallSubject {
    let resolved = judged::judge(ctx, &input.file_path);
    CallSubject::Path { path: resolved.path, real: resolved.real, access: Access::Write }
}
