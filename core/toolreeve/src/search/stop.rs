//! Ending a search that runs on threads of its own: when the call is cancelled, when its future is dropped, or when
//! its time is up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use toolreeve_engine::{CancelToken, ErrorKind, ToolError};

/// How long a search may go on after its limit before it is left alone: it hangs in the file system then.
const HANG_GRACE: Duration = Duration::from_secs(5);

/// Asked by the threads of a search, often: must they stop?
#[derive(Debug)]
pub(crate) struct Stop {
    wanted: AtomicBool,
    timed_out: AtomicBool,
    deadline: Instant,
}

impl Stop {
    /// A stop that comes by itself after `limit`.
    pub(crate) fn after(limit: Duration) -> Self {
        Self { wanted: AtomicBool::new(false), timed_out: AtomicBool::new(false), deadline: Instant::now() + limit }
    }

    /// Whether to stop now.
    pub(crate) fn is_due(&self) -> bool {
        if self.wanted.load(Ordering::Relaxed) {
            return true;
        }
        let late = Instant::now() >= self.deadline;
        if late {
            self.timed_out.store(true, Ordering::Relaxed);
            self.wanted.store(true, Ordering::Relaxed);
        }
        late
    }

    /// Whether the time ran out before the work was done.
    pub(crate) fn timed_out(&self) -> bool {
        self.timed_out.load(Ordering::Relaxed)
    }

    fn want(&self) {
        self.wanted.store(true, Ordering::Relaxed);
    }
}

/// Wants the stop when it is dropped, so that a dropped call leaves no search behind.
struct StopOnDrop(Arc<Stop>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.want();
    }
}

/// Runs a search on a thread of the blocking pool. A cancel is answered at once; the threads notice it soon after.
///
/// # Errors
/// If the call is cancelled, or if the search hangs or panics.
pub(crate) async fn run_blocking<T, F>(cancel: &CancelToken, limit: Duration, work: F) -> Result<T, ToolError>
where
    T: Send + 'static,
    F: FnOnce(&Stop) -> Result<T, ToolError> + Send + 'static,
{
    let stop = Arc::new(Stop::after(limit));
    let _guard = StopOnDrop(Arc::clone(&stop));
    let task = tokio::task::spawn_blocking(move || work(&stop));
    tokio::select! {
        biased;
        reason = cancel.cancelled() => Err(ToolError::new(ErrorKind::Cancelled(reason), "the search was cancelled")),
        finished = task => finished.unwrap_or_else(|_| {
            Err(ToolError::new(ErrorKind::Panicked, "the search failed unexpectedly; try another pattern or path"))
        }),
        () = tokio::time::sleep(limit + HANG_GRACE) => Err(ToolError::new(
            ErrorKind::Timeout,
            format!("the search did not end within {} s: the file system does not answer; search a smaller folder", limit.as_secs()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolreeve_engine::CancelReason;

    #[tokio::test]
    async fn a_cancel_is_answered_and_reaches_the_thread() {
        let cancel = CancelToken::new();
        let (started, has_started) = tokio::sync::oneshot::channel();
        let (ended, has_ended) = tokio::sync::oneshot::channel();
        let call = run_blocking(&cancel, Duration::from_secs(600), move |stop| {
            let _ = started.send(());
            while !stop.is_due() {
                std::thread::yield_now();
            }
            let _ = ended.send(stop.timed_out());
            Ok(())
        });
        let canceller = async {
            has_started.await.unwrap();
            cancel.cancel(CancelReason::User);
        };
        let (result, ()) = tokio::join!(call, canceller);
        assert_eq!(result.unwrap_err().kind, ErrorKind::Cancelled(CancelReason::User));
        assert!(!has_ended.await.unwrap());
    }

    #[test]
    fn the_time_runs_out() {
        let stop = Stop::after(Duration::ZERO);
        assert!(!stop.timed_out());
        assert!(stop.is_due() && stop.timed_out());
    }
}
