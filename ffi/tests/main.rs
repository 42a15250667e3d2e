//! What holds for the C ABI as a whole.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod exports;
