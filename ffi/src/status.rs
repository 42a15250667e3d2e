//! What every function returns. The numbers never move; a retired one stays as a comment.

use std::ffi::{CStr, c_char};

use crate::guard::guard_value;

/// What became of a call. Numbers below 20 are mistakes of the caller, those from 20 on say how things stand, those
/// from 40 on come from the system, and 60 is a defect of the library. Numbers never change; new ones may come.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum toolreeve_status {
    /// It worked.
    OK = 0,
    /// A pointer that must not be NULL is.
    NULL_POINTER = 1,
    /// The handle is none of this type, or what it named has been freed.
    INVALID_HANDLE = 2,
    /// A text is not UTF-8.
    INVALID_UTF8 = 3,
    /// A text is not JSON.
    INVALID_JSON = 4,
    /// A value does not fit; the error says which.
    INVALID_ARGUMENT = 5,
    /// The configuration is not usable; the error names the field.
    INVALID_CONFIG = 6,
    /// There is no such tool, or the input does not fit it.
    INVALID_CALL = 7,
    /// There is nothing to take at the moment.
    EMPTY = 20,
    /// The time ran out.
    TIMEOUT = 21,
    /// Nobody waits for this (any more): it was answered, cancelled, or never asked.
    NOT_WANTED = 22,
    /// It cannot be done now: callbacks are running, or a run is under way.
    BUSY = 23,
    /// A signal came while waiting.
    INTERRUPTED = 24,
    /// The system refused something.
    IO = 40,
    /// This process was forked after the object was made. Make new ones in the child.
    FORKED = 41,
    /// The library met a defect of its own. Nothing else is known to be damaged.
    PANIC = 60,
}

/// The name of a status, for example "TOOLREEVE_STATUS_OK"; "unknown status" for any other number. Valid for ever.
/// Takes a number, so that any number is fine.
#[unsafe(no_mangle)]
pub extern "C" fn toolreeve_status_name(status: i32) -> *const c_char {
    guard_value(std::ptr::null(), || name(status).as_ptr())
}

fn name(status: i32) -> &'static CStr {
    match status {
        0 => c"TOOLREEVE_STATUS_OK",
        1 => c"TOOLREEVE_STATUS_NULL_POINTER",
        2 => c"TOOLREEVE_STATUS_INVALID_HANDLE",
        3 => c"TOOLREEVE_STATUS_INVALID_UTF8",
        4 => c"TOOLREEVE_STATUS_INVALID_JSON",
        5 => c"TOOLREEVE_STATUS_INVALID_ARGUMENT",
        6 => c"TOOLREEVE_STATUS_INVALID_CONFIG",
        7 => c"TOOLREEVE_STATUS_INVALID_CALL",
        20 => c"TOOLREEVE_STATUS_EMPTY",
        21 => c"TOOLREEVE_STATUS_TIMEOUT",
        22 => c"TOOLREEVE_STATUS_NOT_WANTED",
        23 => c"TOOLREEVE_STATUS_BUSY",
        24 => c"TOOLREEVE_STATUS_INTERRUPTED",
        40 => c"TOOLREEVE_STATUS_IO",
        41 => c"TOOLREEVE_STATUS_FORKED",
        60 => c"TOOLREEVE_STATUS_PANIC",
        _ => c"unknown status",
    }
}
