//! The tool system of a coding agent, as an embeddable library.

pub mod files;
pub mod tools;
