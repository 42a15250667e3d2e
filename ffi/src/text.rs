//! Texts: in as pointer and length, out as a string that the caller frees.

use std::ffi::c_char;

use serde_json::Value;

use crate::error::Failure;
use crate::guard::guard;
use crate::status::toolreeve_status;

/// A text that the library hands out. It ends with a NUL that `length` does not count. Begin with
/// `TOOLREEVE_STRING_INIT`, read the fields, never change them, and free it with `toolreeve_string_free`, which makes
/// it empty: freeing it again is fine.
#[repr(C)]
pub struct toolreeve_string {
    /// The bytes, UTF-8; NULL if there is no text.
    pub data: *mut c_char,
    /// Their number, without the NUL at the end.
    pub length: usize,
}

/// Frees a text and makes it empty. NULL and empty ones are fine. Any thread, one at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_string_free(string: *mut toolreeve_string) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        // SAFETY: NULL, or a string of the caller's that nobody else uses.
        let Some(string) = (unsafe { string.as_mut() }) else { return Ok(()) };
        let data = std::mem::replace(&mut string.data, std::ptr::null_mut());
        let length = std::mem::take(&mut string.length);
        if !data.is_null() {
            let slice = std::ptr::slice_from_raw_parts_mut(data.cast::<u8>(), length + 1);
            // SAFETY: `owned` made it from a box of this length, and the caller has not changed the fields.
            drop(unsafe { Box::from_raw(slice) });
        }
        Ok(())
    })
}

/// Gives a text away.
fn owned(text: String) -> toolreeve_string {
    let length = text.len();
    let mut bytes = text.into_bytes();
    bytes.push(0);
    let data = Box::into_raw(bytes.into_boxed_slice());
    toolreeve_string { data: data.cast(), length }
}

/// Where a result goes: checked at the start of an export, written at its end.
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// An out-parameter of the caller's, who vouches that it may be written unless it is NULL.
    pub(crate) fn new(pointer: *mut T, what: &str) -> Result<Self, Failure> {
        if pointer.is_null() { Err(Failure::null(what)) } else { Ok(Self(pointer)) }
    }

    /// Hands the result over.
    pub(crate) fn write(self, value: T) {
        // SAFETY: not NULL, so the caller vouches that it may be written; what it held before is the caller's.
        unsafe { self.0.write(value) };
    }
}

impl Out<toolreeve_string> {
    /// Hands a text over.
    pub(crate) fn write_text(self, text: String) {
        self.write(owned(text));
    }

    /// Hands something over as JSON.
    pub(crate) fn write_json(self, value: &impl serde::Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(|error| Failure::json("the result", &error))?;
        self.write_text(text);
        Ok(())
    }
}

/// A text of the caller's. NULL is the empty text if the length is 0.
///
/// # Safety
/// Unless it is NULL, `data` must point to `length` bytes that stay as they are for `'a`.
pub(crate) unsafe fn bytes<'a>(data: *const c_char, length: usize, what: &str) -> Result<&'a [u8], Failure> {
    if data.is_null() {
        return if length == 0 { Ok(&[]) } else { Err(Failure::null(what)) };
    }
    if length > isize::MAX.unsigned_abs() {
        return Err(Failure::argument(format!("the length of {what} is larger than memory can be")));
    }
    // SAFETY: neither NULL nor too long; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(data.cast(), length) })
}

/// Like [`bytes`], for UTF-8.
///
/// # Safety
/// As for [`bytes`].
pub(crate) unsafe fn text<'a>(data: *const c_char, length: usize, what: &str) -> Result<&'a str, Failure> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { bytes(data, length, what) }?;
    std::str::from_utf8(bytes).map_err(|error| {
        let words = format!("{what} is not UTF-8 at byte {}", error.valid_up_to());
        Failure::new(toolreeve_status::INVALID_UTF8, words)
    })
}

/// Like [`bytes`], for JSON.
///
/// # Safety
/// As for [`bytes`].
pub(crate) unsafe fn json(data: *const c_char, length: usize, what: &str) -> Result<Value, Failure> {
    // SAFETY: the caller's promise.
    let text = unsafe { text(data, length, what) }?;
    serde_json::from_str(text).map_err(|error| Failure::json(what, &error))
}
