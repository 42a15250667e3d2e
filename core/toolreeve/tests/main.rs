//! The integration tests of the facade, in one binary.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests may panic, and clippy sees only #[test] functions as tests"
)]

mod agent_loop;
mod bash_tool;
mod calls;
mod check_rows;
mod cli;
mod edit_tool;
mod files;
mod glob_tool;
mod grep_tool;
mod hooks;
mod links;
mod read_tool;
mod settings;
mod workspace;
mod write_tool;
