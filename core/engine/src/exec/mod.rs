//! Running calls.

pub mod cancel;
