//! The integration tests of the permission engine, in one binary.

#![expect(clippy::unwrap_used, reason = "tests may panic, and clippy sees only #[test] functions as tests")]

mod commands;
mod modes;
mod order;
mod paths;
mod properties;
mod support;
mod updates;
