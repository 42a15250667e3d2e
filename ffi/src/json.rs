//! A little JSON for C programs without a library of their own.

use std::ffi::c_char;

use serde_json::Value;

use crate::error::Failure;
use crate::guard::guard;
use crate::status::toolreeve_status;
use crate::text::{Out, json, text, toolreeve_string};

/// The part of a JSON text that a JSON Pointer names ("/a/0/b", "" for all), as JSON, which is to be freed.
/// `TOOLREEVE_STATUS_EMPTY` if there is none. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_json_get(
    json: *const c_char,
    json_length: usize,
    pointer: *const c_char,
    pointer_length: usize,
    value: *mut toolreeve_string,
) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        let out = Out::new(value, "value")?;
        // SAFETY: the caller's promise about texts.
        let found = unsafe { find(json, json_length, pointer, pointer_length) }?;
        out.write_json(&found)
    })
}

/// Like `toolreeve_json_get`, for a string: its text, without quotes and escapes. `TOOLREEVE_STATUS_INVALID_ARGUMENT` if it
/// is no string. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_json_text(
    json: *const c_char,
    json_length: usize,
    pointer: *const c_char,
    pointer_length: usize,
    value: *mut toolreeve_string,
) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        let out = Out::new(value, "value")?;
        // SAFETY: the caller's promise about texts.
        match unsafe { find(json, json_length, pointer, pointer_length) }? {
            Value::String(text) => {
                out.write_text(text);
                Ok(())
            }
            _ => Err(Failure::argument("it is no string")),
        }
    })
}

/// A text as a JSON string, with quotes and escapes, which is to be freed. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_json_quote(
    plain: *const c_char,
    plain_length: usize,
    quoted: *mut toolreeve_string,
) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        let out = Out::new(quoted, "quoted")?;
        // SAFETY: the caller's promise about texts.
        out.write_json(&unsafe { text(plain, plain_length, "plain") }?)
    })
}

/// # Safety
/// As for [`text`].
unsafe fn find(
    data: *const c_char,
    length: usize,
    pointer: *const c_char,
    pointer_length: usize,
) -> Result<Value, Failure> {
    // SAFETY: the caller's promise.
    let mut value = unsafe { json(data, length, "json") }?;
    // SAFETY: the caller's promise.
    let pointer = unsafe { text(pointer, pointer_length, "pointer") }?;
    let found = value.pointer_mut(pointer).map(Value::take);
    found.ok_or_else(|| Failure::state(toolreeve_status::EMPTY))
}
