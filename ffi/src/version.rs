//! Which library this is.

use std::ffi::{CStr, c_char};

use crate::guard::guard_value;

/// The version as text; `cbindgen.toml` gives it to the header.
const VERSION: &CStr = c"0.1.0";

/// The first number of the version that the header was made for.
pub const TOOLREEVE_VERSION_MAJOR: u32 = 0;
/// The second number of the version that the header was made for. Before 1.0 it changes with the ABI.
pub const TOOLREEVE_VERSION_MINOR: u32 = 1;
/// The third number of the version that the header was made for.
pub const TOOLREEVE_VERSION_PATCH: u32 = 0;
/// The number of the binary interface that the header was made for; compare it with `toolreeve_abi_version`.
pub const TOOLREEVE_ABI_VERSION: u32 = 1;

/// The number of the binary interface of the library that is loaded. If it is not `TOOLREEVE_ABI_VERSION`, the program
/// was built for another one.
#[unsafe(no_mangle)]
pub extern "C" fn toolreeve_abi_version() -> u32 {
    guard_value(0, || TOOLREEVE_ABI_VERSION)
}

/// The version of the library that is loaded, for example "0.1.0". Valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn toolreeve_version_string() -> *const c_char {
    guard_value(std::ptr::null(), || VERSION.as_ptr())
}
