//! The built-in tools: one folder each, one line of registration each.
//! Each folder has `mod.rs` (the contract), `schema.rs` (input and output), `permit.rs`, `run.rs`, `render.rs` and
//! `prompt.md`. Tools know nothing of each other.

pub mod bash;
pub mod edit;
pub mod glob;
pub mod grep;
pub mod read;
pub mod write;

use std::sync::Arc;

use toolreeve_engine::{DynTool, erase};

/// Every built-in tool: the single source of truth that a registry starts from. To add one, add its line.
pub fn built_in_tools() -> Vec<Arc<dyn DynTool>> {
    vec![
        erase(bash::Bash::from_env()),
        erase(edit::Edit),
        erase(glob::Glob::from_env()),
        erase(grep::Grep::default()),
        erase(read::Read::from_env()),
        erase(write::Write),
    ]
}
