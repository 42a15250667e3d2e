//! What every tool that touches files stands on: paths and where they really lead.
//! Decides no permission and names no tool.

pub mod path;
