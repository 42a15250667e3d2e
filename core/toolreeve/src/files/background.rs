//! Runs blocking file work beside the async runtime, with a cancel check the work can poll.
//! Never abandons work that may still change a file.

use toolreeve_engine::{CallContext, CancelToken, ErrorKind, ToolError};

/// Runs work that only looks. On cancel the answer comes at once; the work notices at its next check.
///
/// # Errors
/// Those of the work, and cancellation.
pub async fn reading<T: Send + 'static>(
    ctx: &CallContext,
    work: impl FnOnce(&CancelToken) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    check(&ctx.cancel)?;
    let cancel = ctx.cancel.clone();
    let task = tokio::task::spawn_blocking(move || work(&cancel));
    tokio::select! {
        biased;
        done = task => done.unwrap_or_else(|_| Err(panicked())),
        reason = ctx.cancel.cancelled() => Err(cancelled(reason)),
    }
}

/// Runs work that changes files. It is waited for even when the call is cancelled, so that the answer says what really
/// happened; the work itself stops at its next check before anything is changed.
///
/// # Errors
/// Those of the work, and cancellation.
pub async fn writing<T: Send + 'static>(
    ctx: &CallContext,
    work: impl FnOnce(&CancelToken) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    check(&ctx.cancel)?;
    let cancel = ctx.cancel.clone();
    tokio::task::spawn_blocking(move || work(&cancel)).await.unwrap_or_else(|_| Err(panicked()))
}

/// Stops the work if the call was cancelled.
///
/// # Errors
/// The cancellation, with its reason.
pub fn check(cancel: &CancelToken) -> Result<(), ToolError> {
    match cancel.reason() {
        Some(reason) => Err(cancelled(reason)),
        None => Ok(()),
    }
}

fn cancelled(reason: toolreeve_engine::CancelReason) -> ToolError {
    ToolError::new(ErrorKind::Cancelled(reason), "The call was cancelled before it was done. No file was changed.")
}

fn panicked() -> ToolError {
    ToolError::new(ErrorKind::Panicked, "The file work failed inside of the library; this is a bug.")
}
