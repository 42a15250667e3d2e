//! What every tool that touches files stands on: paths and where they lead, safe opening, encodings, line ranges,
//! exact replacement, patches, atomic writes, and what the model has read so far.
//! Decides no permission and names no tool.

pub mod atomic;
pub mod background;
pub mod change;
pub mod judged;
pub mod kind;
pub mod line_index;
pub mod lines;
pub mod links;
pub mod nearest;
pub mod open;
pub mod patch;
pub mod path;
pub mod replace;
pub mod state;
pub mod text;
pub mod touched;
