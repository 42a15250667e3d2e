//! Hooks around a call: which run, how their answers merge. Hooks of one moment run beside each other.

pub(crate) mod post;
pub(crate) mod pre;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::join_all;

use crate::host::{Hook, HookEvent, HookOutcome, HostError};

/// Runs all hooks that want the event. The answers come in the order of registration.
async fn run_matching(hooks: &[Arc<dyn Hook>], tool: &str, event: HookEvent) -> Vec<Result<HookOutcome, HostError>> {
    let runs = hooks.iter().map(|hook| {
        let event = event.clone();
        let run = async move { if hook.matches(event.name(), tool) { Some(hook.run(event).await) } else { None } };
        async move {
            std::panic::AssertUnwindSafe(run)
                .catch_unwind()
                .await
                .unwrap_or_else(|_| Some(Err(HostError::new("it panicked"))))
        }
    });
    join_all(runs).await.into_iter().flatten().collect()
}
