//! What rules see of a Glob: the folder in which it begins, read.

use toolreeve_engine::Context;

use super::pattern::{self, Split};
use super::schema::GlobInput;
use crate::files::path;
use crate::search::Place;

/// Why an input makes no sense, in words for the model.
pub(super) fn misfit(context: &Context, input: &GlobInput) -> Option<String> {
    let folder = input.path.as_deref().and_then(|folder| path::misfit(context, "path", folder));
    folder.or_else(|| pattern::misfit(context, &input.pattern))
}

/// The folder of a call, and the pattern below it. A literal beginning of the pattern counts as part of the folder, so
/// that a pattern cannot lead out of what was judged.
pub(super) fn place(context: &Context, input: &GlobInput) -> (Place, Split) {
    let folder = path::absolute(context, input.path.as_deref().unwrap_or("."));
    let split = pattern::split(context, &folder, &input.pattern);
    (Place::at(context, split.base.clone()), split)
}
