//! The tool system of a coding agent, as an embeddable library.

pub mod tools;
