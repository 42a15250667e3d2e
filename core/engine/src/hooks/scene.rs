//! One event, all hooks that want it: run beside each other, and their answers merged. Deny beats defer beats ask beats
//! allow, whatever the order; of several changed inputs or outputs that of the last registered hook wins; all texts are
//! kept in the order of registration.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::join_all;
use toolreeve_permission::{Behavior, HookVerdict};

use super::event::{HookEvent, HookInput};
use super::outcome::{Hook, HookAnswer, HookOutcome, HookPermission};
use crate::context::Session;
use crate::event::{Event, EventSink};
use crate::host::HostError;
use crate::result::spill_text;

/// The longest text of a hook that is passed on; a longer one goes to a file, with its beginning left in place.
const MAX_TEXT_CHARS: usize = 10_000;

/// Where events are raised: the hooks, the session they hear about, and where the host hears of them.
#[derive(Clone, Copy)]
pub struct HookScene<'a> {
    hooks: &'a [Arc<dyn Hook>],
    session: &'a Session,
    events: &'a EventSink,
}

impl<'a> HookScene<'a> {
    /// Puts one together.
    pub fn new(hooks: &'a [Arc<dyn Hook>], session: &'a Session, events: &'a EventSink) -> Self {
        Self { hooks, session, events }
    }

    /// Whether any hook wants to hear this event, so that it is worth raising. `subject` as for [`Hook::matches`].
    pub fn wants(&self, event: &str, subject: &str) -> bool {
        self.hooks.iter().any(|hook| !matches!(asks_for(hook, event, subject), Wants::Nothing))
    }

    /// Raises an event: runs the hooks that want it and merges what they say. What they say to the person goes to the
    /// host's events. Never fails: a hook that fails or panics counts as the careful answer. Dropping the future drops
    /// the hooks.
    pub async fn raise(&self, event: HookEvent) -> HookAnswer {
        let subject = event.subject().unwrap_or_default();
        let mut seen = HashSet::new();
        let mut runs = Vec::new();
        for hook in self.hooks {
            let wants = asks_for(hook, event.name(), subject);
            if !matches!(wants, Wants::Nothing) && hook.identity().is_none_or(|identity| seen.insert(identity)) {
                runs.push((hook, wants));
            }
        }
        if runs.is_empty() {
            return HookAnswer::default();
        }
        let input = Arc::new(HookInput::new(self.session, event));
        let panicked = || Err(HostError::new("it panicked"));
        let answers = join_all(runs.into_iter().map(|(hook, wants)| {
            let input = Arc::clone(&input);
            async move {
                match wants {
                    Wants::Broken => panicked(),
                    // Building the future runs the host's code too, so it happens inside of the guard.
                    _ => {
                        let run = AssertUnwindSafe(async { hook.run(input).await });
                        run.catch_unwind().await.unwrap_or_else(|_| panicked())
                    }
                }
            }
        }))
        .await;
        let mut merged = HookAnswer::default();
        for answer in answers {
            self.add(&mut merged, &input.event, answer).await;
        }
        merged
    }

    /// What hooks in the background have to say by now, for the model.
    pub async fn late(&self) -> HookAnswer {
        let mut merged = HookAnswer::default();
        // Nothing can be blocked any more.
        let event = HookEvent::Other { name: "PostToolUse".to_owned(), fields: serde_json::Map::new() };
        for hook in self.hooks {
            let outcomes = catch_unwind(AssertUnwindSafe(|| hook.take_late())).unwrap_or_default();
            for outcome in outcomes {
                self.add(&mut merged, &event, Ok(outcome)).await;
            }
        }
        merged
    }

    async fn add(&self, merged: &mut HookAnswer, event: &HookEvent, answer: Result<HookOutcome, HostError>) {
        let mut outcome = answer.unwrap_or_else(|error| failed(event, &error));
        if let Some(failure) = outcome.failure.take() {
            self.tell_failure(event, failure).await;
        }
        if let Some(message) = outcome.system_message.take() {
            let message = self.capped(message, event).await;
            let tool_use_id = event.tool_use_id().map(str::to_owned);
            self.events.send(Event::HookMessage { event: event.name().to_owned(), tool_use_id, message });
        }
        if let Some(HookVerdict { behavior, message }) = outcome.verdict.take() {
            let message = match message.trim() {
                "" => in_words(event, behavior),
                _ => self.capped(message, event).await,
            };
            let verdict = HookVerdict { behavior, message };
            if behavior == Behavior::Deny && !event.can_block() {
                self.tell_failure(event, verdict.message).await;
            } else if is_done(event) {
                // It cannot be undone; what the hook says about it is for the model.
                if behavior == Behavior::Deny {
                    merged.additional_context.push(verdict.message);
                }
            } else if merged
                .verdict
                .as_ref()
                .is_none_or(|known| (known.behavior, merged.defers) < (behavior, outcome.defers))
            {
                merged.defers = outcome.defers && behavior == Behavior::Ask;
                merged.verdict = Some(verdict);
            }
        }
        if let Some(stop) = outcome.stop {
            let stop = self.capped(stop, event).await;
            merged.stop.get_or_insert(stop);
        }
        if let Some(text) = outcome.additional_context.filter(|text| !text.is_empty()) {
            merged.additional_context.push(self.capped(text, event).await);
        }
        merged.updated_input = outcome.updated_input.or(merged.updated_input.take());
        merged.updated_output = outcome.updated_output.or(merged.updated_output.take());
        let known_denies = matches!(merged.permission, Some(HookPermission::Deny { .. }));
        merged.permission = outcome.permission.filter(|_| !known_denies).or(merged.permission.take());
        merged.retry |= outcome.retry;
        merged.extra.extend(outcome.extra);
    }

    async fn tell_failure(&self, event: &HookEvent, failure: String) {
        let message = format!("a {} hook: {}", event.name(), self.capped(failure, event).await);
        self.events.send(Event::Error { kind: "hook".to_owned(), message });
    }

    async fn capped(&self, text: String, event: &HookEvent) -> String {
        // Bytes are an upper bound of characters.
        if text.len() <= MAX_TEXT_CHARS || text.chars().count() <= MAX_TEXT_CHARS {
            return text;
        }
        let stem = format!("hook-{}", event.tool_use_id().unwrap_or(event.name()));
        spill_text(text, stem, self.session.spill_dir()).await
    }
}

/// Whether a hook wants an event. One that panics when it is asked is kept: it fails when it is run.
enum Wants {
    Nothing,
    Run,
    Broken,
}

fn asks_for(hook: &Arc<dyn Hook>, event: &str, subject: &str) -> Wants {
    match catch_unwind(AssertUnwindSafe(|| hook.matches(event, subject))) {
        Ok(true) => Wants::Run,
        Ok(false) => Wants::Nothing,
        Err(_) => Wants::Broken,
    }
}

/// A hook of the host failed: a guard that breaks must not open the door.
fn failed(event: &HookEvent, error: &HostError) -> HookOutcome {
    let name = event.name();
    let verdict = |behavior| {
        let message = format!("a {name} hook failed: {error}");
        HookOutcome { verdict: Some(HookVerdict { behavior, message }), ..HookOutcome::default() }
    };
    match event {
        HookEvent::PreToolUse { .. } => verdict(Behavior::Ask),
        HookEvent::UserPromptSubmit { .. } => verdict(Behavior::Deny),
        HookEvent::PostToolUse { tool_name, .. } | HookEvent::PostToolUseFailure { tool_name, .. } => HookOutcome {
            additional_context: Some(format!("A hook after {tool_name} failed: {error}")),
            ..HookOutcome::default()
        },
        _ => HookOutcome { failure: Some(error.message.clone()), ..HookOutcome::default() },
    }
}

/// Whether the work of a call is done already.
fn is_done(event: &HookEvent) -> bool {
    matches!(event, HookEvent::PostToolUse { .. } | HookEvent::PostToolUseFailure { .. })
}

/// The reason of a hook that gave none.
fn in_words(event: &HookEvent, behavior: Behavior) -> String {
    let what = match behavior {
        Behavior::Allow => "allows it",
        Behavior::Ask => "asks for an answer of a person",
        Behavior::Deny => "blocks it and gives no reason",
    };
    format!("a {} hook {what}", event.name())
}
