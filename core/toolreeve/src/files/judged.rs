//! Ties the path that a permission was given for to the path that is opened: what was judged is remembered per call,
//! and a path that leads elsewhere by the time of the call is refused. Judges nothing itself.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use toolreeve_engine::{CallContext, ErrorKind, ToolError};

use super::path::{self, ResolvedPath};

/// How many judged calls a session remembers. Far more than can be between their check and their run at one time.
const MAX_REMEMBERED: usize = 16_384;

#[derive(Debug, Default)]
struct Judged(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    paths: HashMap<Arc<str>, ResolvedPath>,
    /// The ids in the order they came, so that the oldest is forgotten first.
    order: VecDeque<Arc<str>>,
}

/// Resolves the path of a call for the permission check and remembers where it led.
pub fn judge(ctx: &CallContext, text: &str) -> ResolvedPath {
    let resolved = path::resolve(&ctx.context, text);
    let judged = ctx.session.extension::<Judged>();
    let mut remembered = judged.0.lock().unwrap_or_else(PoisonError::into_inner);
    let id = Arc::clone(&ctx.tool_use_id);
    if remembered.paths.insert(Arc::clone(&id), resolved.clone()).is_none() {
        remembered.order.push_back(id);
        if remembered.order.len() > MAX_REMEMBERED
            && let Some(oldest) = remembered.order.pop_front()
        {
            remembered.paths.remove(&oldest);
        }
    }
    resolved
}

/// The path that the call may open. A call that was never judged (a host that runs tools without our permissions)
/// gets the path as it leads now.
///
/// # Errors
/// If the path leads elsewhere than when it was judged, or another path was judged under the same call.
pub fn approved(ctx: &CallContext, text: &str) -> Result<ResolvedPath, ToolError> {
    let now = path::resolve(&ctx.context, text);
    let judged = ctx.session.extension::<Judged>();
    let remembered = judged.0.lock().unwrap_or_else(PoisonError::into_inner);
    match remembered.paths.get(&ctx.tool_use_id) {
        Some(then) if *then != now => Err(moved(&now)),
        _ => Ok(now),
    }
}

/// The error of a path that changed between the permission check and the opening.
pub fn moved(path: &ResolvedPath) -> ToolError {
    let shown = path.path.display();
    let text = format!(
        "{shown} was not opened: a symbolic link on its way changed after permission was given. Try again; the new target is then checked."
    );
    ToolError::new(ErrorKind::PermissionDenied, text).with_safe_message("path changed after its permission check")
}
