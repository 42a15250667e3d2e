//! What Read checks before anything is opened, and what rules are matched against.

use toolreeve_engine::{CallContext, CallSubject, Context, Validation};
use toolreeve_permission::Access;

use super::schema::ReadInput;
use crate::files::{judged, path};

/// The path cannot be one.
const BAD_PATH: u32 = 1;
/// The limit is zero.
const NO_LINES: u32 = 2;

pub(super) fn validate(input: &ReadInput, context: &Context) -> Validation {
    if let Some(message) = path::misfit(context, "file_path", &input.file_path) {
        return Validation::Reject { message, code: BAD_PATH };
    }
    if input.limit == Some(0) {
        let message = "`limit` is 0: ask for at least one line, or leave it out".to_owned();
        return Validation::Reject { message, code: NO_LINES };
    }
    Validation::Pass
}

pub(super) fn subject(input: &ReadInput, ctx: &CallContext) -> CallSubject {
    let resolved = judged::judge(ctx, &input.file_path);
    CallSubject::Path { path: resolved.path, real: resolved.real, access: Access::Read }
}
