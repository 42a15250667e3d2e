//! The C ABI of toolreeve: opaque handles, statuses, callbacks, one pollable descriptor. Thin over `toolreeve::bridge`,
//! and the only place with unsafe code. Every export runs inside of `guard`, so that no panic reaches C; handles are
//! numbers that are looked up and never followed, so that a stale one is an error and not undefined behaviour.
//!
//! `include/toolreeve.h` is generated from these files; what is documented here is what C programmers read. Modules:
//! `version`, `status`, `error`, `text` (in and out), `json` (helpers), `callbacks` (types), `builder`, `agent` (life,
//! runs), `dispatch` (callbacks and events), `answers`, `verbs` (specs, check, call), and inside `guard`, `handle`.

#![allow(non_camel_case_types, reason = "the types carry their C names")]
#![allow(clippy::missing_safety_doc, reason = "the head of the header says it once for all functions")]

// The header has the order of these groups.
mod version;

mod status;

mod error;

mod text;

mod callbacks;

mod builder;

mod agent;

mod dispatch;

mod answers;

mod verbs;

mod json;

mod guard;
mod handle;

pub use agent::*;
pub use answers::*;
pub use builder::*;
pub use callbacks::*;
pub use dispatch::*;
pub use error::*;
pub use json::*;
pub use status::*;
pub use text::*;
pub use verbs::*;
pub use version::*;
