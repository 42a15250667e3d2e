//! What rules see of a Grep: the place that is searched, read.

use toolreeve_engine::Context;

use super::schema::GrepInput;
use super::{matcher, window};
use crate::files::path;
use crate::search::Place;

/// More lines of context than this cannot be meant.
const MAX_CONTEXT: usize = 10_000;

/// Why an input makes no sense, in words for the model.
pub(super) fn misfit(context: &Context, input: &GrepInput) -> Option<String> {
    if let Some(problem) = input.path.as_deref().and_then(|text| path::misfit(context, "path", text)) {
        return Some(problem);
    }
    let around = [input.before, input.after, input.context, input.context_short];
    if around.into_iter().flatten().any(|lines| lines > MAX_CONTEXT) {
        return Some(format!("at most {MAX_CONTEXT} lines of context can be shown: use Read to see more of a file"));
    }
    if input.offset > window::MAX_OFFSET {
        return Some(format!("`offset` is too large: at most {}", window::MAX_OFFSET));
    }
    matcher::types(input.file_type.as_deref()).err()
}

/// The place of a call.
pub(super) fn place(context: &Context, input: &GrepInput) -> Place {
    Place::new(context, input.path.as_deref())
}
