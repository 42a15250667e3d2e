//! Hooks around a call: which run, how their answers merge. Hooks of one moment run beside each other.

mod events;
pub(crate) mod post;
pub(crate) mod pre;

pub use events::{EventInfo, HOOK_EVENTS, event_info, nearest_event, nearest_name};

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::join_all;

use serde_json::Value;

use crate::context::Context;
use crate::host::{Hook, HookEvent, HookOutcome, HostError};
use crate::tool::{DynTool, ToolInput};

/// The hooks that want to hear an event of a tool. One that panics when asked is kept: it fails when it is run.
fn matching<'a>(hooks: &'a [Arc<dyn Hook>], event: &str, tool: &str) -> Vec<Matched<'a>> {
    let matched = |hook: &'a Arc<dyn Hook>| {
        let wants = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| hook.matches(event, tool)));
        match wants {
            Ok(true) => Some(Matched::Wants(hook.as_ref())),
            Ok(false) => None,
            Err(_) => Some(Matched::Broken),
        }
    };
    hooks.iter().filter_map(matched).collect()
}

/// A hook that is to be run.
enum Matched<'a> {
    Wants(&'a dyn Hook),
    /// It panicked when it was asked whether it wants the event.
    Broken,
}

/// Runs the hooks together. The answers come in the order of registration.
async fn run_all(hooks: Vec<Matched<'_>>, event: &HookEvent) -> Vec<Result<HookOutcome, HostError>> {
    let panicked = || Err(HostError::new("it panicked"));
    let runs = hooks.into_iter().map(|hook| async move {
        match hook {
            Matched::Broken => panicked(),
            Matched::Wants(hook) => {
                let run = async { hook.run(event.clone()).await };
                std::panic::AssertUnwindSafe(run).catch_unwind().await.unwrap_or_else(|_| panicked())
            }
        }
    });
    join_all(runs).await
}

/// An input completed for observers. If the tool fails at it they see the input as the tool reads it.
pub(crate) fn observable_input(tool: &dyn DynTool, parsed: &ToolInput, mut raw: Value, context: &Context) -> Value {
    let complete = std::panic::AssertUnwindSafe(|| tool.backfill_observable_input(&mut raw, context));
    match std::panic::catch_unwind(complete) {
        Ok(()) => raw,
        Err(_) => parsed.value.as_ref().clone(),
    }
}
