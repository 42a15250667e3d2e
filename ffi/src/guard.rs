//! The wall between Rust and C: nothing that panics behind it gets through.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Failure, report, toolreeve_error};
use crate::status::toolreeve_status;

/// Runs the body of an export and turns what comes of it into a status and, where the caller wants one, an error.
/// `error` is NULL or valid for a write: that is what exports ask of their callers.
pub(crate) fn guard(error: *mut *mut toolreeve_error, body: impl FnOnce() -> Result<(), Failure>) -> toolreeve_status {
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return toolreeve_status::OK,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::new(toolreeve_status::PANIC, describe(panic)),
    };
    let status = failure.status;
    match catch_unwind(AssertUnwindSafe(|| report(error, failure))) {
        Ok(()) => status,
        Err(panic) => {
            describe(panic);
            toolreeve_status::PANIC
        }
    }
}

/// Runs the body of an export that returns a plain value.
pub(crate) fn guard_value<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        describe(panic);
        otherwise
    })
}

/// The words of a panic. What was thrown is never dropped: its destructor might panic again.
fn describe(panic: Box<dyn Any + Send>) -> String {
    let words = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    let text = format!("the library met a defect of its own: {}", words.unwrap_or("no details"));
    std::mem::forget(panic);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{toolreeve_error_code, toolreeve_error_free, toolreeve_error_message};
    use std::ffi::CStr;

    #[test]
    fn a_panic_becomes_a_status_and_an_error() {
        let mut error = std::ptr::null_mut();
        let status = guard(&mut error, || std::panic::panic_any("boom"));
        assert_eq!(status, toolreeve_status::PANIC);
        // SAFETY: the error was just made and is freed once, after its message was read.
        unsafe {
            assert_eq!(toolreeve_error_code(error), toolreeve_status::PANIC);
            let message = CStr::from_ptr(toolreeve_error_message(error)).to_str().unwrap();
            assert_eq!(message, "the library met a defect of its own: boom");
            assert_eq!(toolreeve_error_free(error), toolreeve_status::OK);
            assert_eq!(toolreeve_error_free(error), toolreeve_status::INVALID_HANDLE);
        }
    }

    #[test]
    fn what_was_thrown_may_panic_when_dropped() {
        struct Grenade;
        impl Drop for Grenade {
            fn drop(&mut self) {
                std::panic::panic_any("dropped");
            }
        }
        assert_eq!(guard(std::ptr::null_mut(), || std::panic::panic_any(Grenade)), toolreeve_status::PANIC);
        assert_eq!(guard_value(7, || std::panic::panic_any(Grenade)), 7);
    }
}
