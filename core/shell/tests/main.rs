//! The integration tests of the shell analyzer: one binary, a module per subject.
#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod checks;
mod handlers;
mod observed;
mod robust;
mod rows;
mod semantics;
