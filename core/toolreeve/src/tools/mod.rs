//! The built-in tools: one folder each, one line of registration each.
//! Each folder has `mod.rs` (the contract), `schema.rs` (input and output), `permit.rs`, `run.rs`, `render.rs` and
//! `prompt.md`. Tools know nothing of each other.

pub mod glob;
pub mod grep;

use std::sync::Arc;

use toolreeve_engine::{DynTool, erase};

/// Every built-in tool: the single source of truth that a registry starts from. To add one, add its line.
pub fn built_in_tools() -> Vec<Arc<dyn DynTool>> {
    vec![erase(glob::Glob::default()), erase(grep::Grep::default())]
}
