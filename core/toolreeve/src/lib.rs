//! The tool system of a coding agent, as an embeddable library.
//!
//! A model streams `tool_use` blocks; toolreeve finds the tool, validates the input, judges its safety, asks rules,
//! hooks and the person, runs it while the model still streams, and gives every call exactly one `tool_result` in the
//! model's order. The host brings the model and the person as callbacks.
//!
//! Start with [`AgentBuilder`]; the three verbs behind it, [`Agent::specs`], [`Agent::check`] and [`Agent::call`], can
//! be used apart.

pub mod agent;
pub mod bridge;
mod builder;
mod check;
pub mod cli;
pub mod files;
pub mod hooks;
mod judge;
mod process;
mod recorded;
mod search;
pub mod settings;
pub mod tools;

pub use agent::{Agent, Run};
pub use builder::{AgentBuilder, BuildError};
pub use check::{check, check_json};
pub use recorded::RecordedModel;
pub use settings::{Permissions, Settings, SettingsError, SettingsOptions};
pub use toolreeve_engine as engine;
pub use toolreeve_permission as permission;
pub use toolreeve_shell as shell;

/// Compiles what the README shows.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}
