//! Stage 5: the work itself, with its panics caught and its cancellation enforced.

use std::time::Duration;

use futures_util::FutureExt;

use super::finish::cancelled_error;
use crate::context::CallContext;
use crate::error::{ErrorKind, ToolError, unknown_error_class};
use crate::tool::{DynOutput, DynTool, ToolInput};

/// How long a cancelled tool may take to stop by itself before its future is dropped.
const CANCEL_GRACE: Duration = Duration::from_secs(5);

/// Runs the tool.
pub(super) async fn call(tool: &dyn DynTool, input: &ToolInput, ctx: &CallContext) -> Result<DynOutput, ToolError> {
    if let Some(reason) = ctx.cancel.reason() {
        return Err(cancelled_error(reason));
    }
    // Building the future may run the tool's code too, so it happens inside of the guard.
    let work = std::panic::AssertUnwindSafe(async { tool.call(input, ctx).await }).catch_unwind();
    tokio::pin!(work);
    let finished = tokio::select! {
        biased;
        finished = &mut work => finished,
        reason = ctx.cancel.cancelled() => {
            // Boxed, because it is rare and every call would carry its size.
            match tokio::time::timeout(CANCEL_GRACE, &mut work).boxed().await {
                Ok(finished) => finished,
                Err(_) => return Err(cancelled_error(reason)),
            }
        },
    };
    match finished {
        Ok(Err(ToolError { kind: ErrorKind::Cancelled(reason), .. })) => Err(cancelled_error(reason)),
        Ok(result) => result,
        Err(panic) => Err(panicked(tool.name(), panic.as_ref())),
    }
}

fn panicked(tool: &str, panic: &(dyn std::any::Any + Send)) -> ToolError {
    let words = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    match words {
        Some(words) => ToolError::new(ErrorKind::Panicked, format!("{tool} failed unexpectedly: {words}")),
        None => ToolError::new(ErrorKind::Panicked, format!("{tool} failed unexpectedly."))
            .with_safe_message(unknown_error_class()),
    }
}
