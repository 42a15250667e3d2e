//! Hooks: at which events they run (`events`, `event`), what they answer (`outcome`), and how the answers of several merge
//! (`scene`). `pre`, `post` and `request` are the hooks around a call. What a hook is made of is the host's business, or
//! that of settings files; nothing here starts a program.

mod event;
mod events;
mod outcome;
pub(crate) mod post;
pub(crate) mod pre;
pub(crate) mod request;
mod scene;

pub use event::{BatchedCall, HookEvent, HookInput};
pub use events::{EventInfo, HOOK_EVENTS, event_info, nearest_event, nearest_name};
pub use outcome::{Hook, HookAnswer, HookOutcome, HookPermission};
pub use scene::HookScene;

use serde_json::Value;

use crate::context::Context;
use crate::tool::{DynTool, ToolInput};

/// An input completed for observers. If the tool fails at it they see the input as the tool reads it.
pub(crate) fn observable_input(tool: &dyn DynTool, parsed: &ToolInput, mut raw: Value, context: &Context) -> Value {
    let complete = std::panic::AssertUnwindSafe(|| tool.backfill_observable_input(&mut raw, context));
    match std::panic::catch_unwind(complete) {
        Ok(()) => raw,
        Err(_) => parsed.value.as_ref().clone(),
    }
}
