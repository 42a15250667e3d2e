//! Errors with words, beside the bare status.

use std::ffi::{CStr, CString, c_char};

use toolreeve::bridge::BridgeError;

use crate::guard::{guard, guard_value};
use crate::handle::Table;
use crate::status::toolreeve_status;

/// Why something failed: a status and one sentence. Functions that take a `toolreeve_error **` write one there when
/// they fail, unless the pointer is NULL. Free it with `toolreeve_error_free`.
pub struct toolreeve_error {
    _opaque: [u8; 0],
}

static ERRORS: Table<Failure> = Table::new(1);

/// What an export failed with.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: toolreeve_status,
    message: CString,
}

impl Failure {
    pub(crate) fn new(status: toolreeve_status, message: impl Into<String>) -> Self {
        let mut message: String = message.into();
        // C would stop reading at a NUL.
        message.retain(|c| c != '\0');
        Self { status, message: CString::new(message).unwrap_or_default() }
    }

    /// A pointer is NULL; `what` names it.
    pub(crate) fn null(what: &str) -> Self {
        Self::new(toolreeve_status::NULL_POINTER, format!("{what} is NULL"))
    }

    /// A value does not fit.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(toolreeve_status::INVALID_ARGUMENT, message)
    }

    /// How things stand, where the status says it all.
    pub(crate) fn state(status: toolreeve_status) -> Self {
        Self { status, message: CString::default() }
    }

    /// The words.
    pub(crate) fn words(&self) -> String {
        self.message.to_string_lossy().into_owned()
    }

    /// A text is not JSON.
    pub(crate) fn json(what: &str, error: &serde_json::Error) -> Self {
        Self::new(toolreeve_status::INVALID_JSON, format!("{what} is not JSON: {error}"))
    }
}

impl From<BridgeError> for Failure {
    fn from(error: BridgeError) -> Self {
        let status = match &error {
            BridgeError::Io(_) => toolreeve_status::IO,
            BridgeError::Approval(_) => toolreeve_status::NOT_WANTED,
            BridgeError::Answer(_) => toolreeve_status::INVALID_ARGUMENT,
            BridgeError::Forked => toolreeve_status::FORKED,
            _ => toolreeve_status::INVALID_CONFIG,
        };
        Self::new(status, error.to_string())
    }
}

/// Hands a failure to the caller who wants to know.
pub(crate) fn report(error: *mut *mut toolreeve_error, failure: Failure) {
    if !error.is_null() {
        let handle = ERRORS.insert(failure);
        // SAFETY: not NULL, so the caller vouches that it may be written.
        unsafe { error.write(handle) };
    }
}

/// The status of an error; `TOOLREEVE_STATUS_INVALID_HANDLE` if it is none. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_error_code(error: *const toolreeve_error) -> toolreeve_status {
    guard_value(toolreeve_status::PANIC, || {
        ERRORS.get(error).map_or_else(|failure| failure.status, |error| error.status)
    })
}

/// The words of an error, valid until it is freed; never NULL. For people: the words may change between versions. Any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_error_message(error: *const toolreeve_error) -> *const c_char {
    const NONE: &CStr = c"no error";
    // The table keeps the words until the error is freed; a text does not move with its owner.
    guard_value(NONE.as_ptr(), || ERRORS.get(error).map_or(NONE.as_ptr(), |error| error.message.as_ptr()))
}

/// Frees an error. NULL is fine. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_error_free(error: *mut toolreeve_error) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        if !error.is_null() {
            ERRORS.remove(error)?;
        }
        Ok(())
    })
}
