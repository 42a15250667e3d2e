//! What Write checks before a file is opened, and what rules are matched against. Looks at no content: that must wait
//! until the call is permitted.

use toolreeve_engine::{CallContext, CallSubject, Validation};
use toolreeve_permission::Access;

use super::schema::WriteInput;
use crate::files::state::{FileState, View};
use crate::files::{change, judged, open, path};

/// The path cannot be one.
const BAD_PATH: u32 = 1;
/// The path names a folder, a device or the like.
const NOT_A_FILE: u32 = 2;
/// The file exists and has not been read.
const NOT_READ: u32 = 3;
/// Only a part of the file has been read.
const PARTLY_READ: u32 = 4;

pub(super) fn validate(input: &WriteInput, ctx: &CallContext) -> Validation {
    let reject = |code, message| Validation::Reject { message, code };
    if let Some(message) = path::misfit(&ctx.context, "file_path", &input.file_path) {
        return reject(BAD_PATH, message);
    }
    let path = path::resolve(&ctx.context, &input.file_path);
    let shown = path.path.display();
    if let Some(what) = open::special_kind(&path.real) {
        return reject(NOT_A_FILE, format!("Cannot write {shown}: it is {what}, not a file."));
    }
    if path::names_folder(&input.file_path) {
        return reject(NOT_A_FILE, format!("Cannot write {}: the path names a folder.", input.file_path));
    }
    if !path.real.exists() {
        return Validation::Pass;
    }
    match ctx.session.extension::<FileState>().get(&path.real).map(|seen| seen.view) {
        None => reject(NOT_READ, change::not_read("overwrite", &path.path)),
        Some(View::Whole) => Validation::Pass,
        Some(View::Ranges(_) | View::FirstPage) => reject(PARTLY_READ, change::partly_read("overwrite", &path.path)),
    }
}

pub(super) fn subject(input: &WriteInput, ctx: &CallContext) -> CallSubject {
    let resolved = judged::judge(ctx, &input.file_path);
    CallSubject::Path { path: resolved.path, real: resolved.real, access: Access::Write }
}
