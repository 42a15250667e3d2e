//! The integration tests of the facade, in one binary.

#![expect(clippy::unwrap_used, reason = "tests may panic, and clippy sees only #[test] functions as tests")]

mod agent_loop;
mod calls;
mod glob_tool;
mod grep_tool;
