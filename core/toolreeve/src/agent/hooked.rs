//! The events of a conversation, where the loop raises them for hooks: the start and the end of a session, a prompt, the
//! end of a batch of calls, the end of the work. Owns what the answers mean for the conversation; the loop is `run`.

use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::Value;
use toolreeve_engine::hooks::{BatchedCall, HookAnswer, HookEvent, HookScene};
use toolreeve_engine::{CallOutcome, ContentBlock, Event, EventSink};
use toolreeve_permission::Behavior;

use super::Parts;

/// How often hooks may make the model go on after it wanted no more, for one prompt.
pub(super) const MAX_CONTINUATIONS: usize = 8;

/// Where a session is in its life: it starts once and ends once.
#[derive(Debug, Default)]
pub(crate) struct Life(AtomicU8);

const NEW: u8 = 0;
const RUNNING: u8 = 1;
const ENDED: u8 = 2;

impl Life {
    /// Begins it. Returns whether it is new.
    fn begin(&self) -> bool {
        self.0.compare_exchange(NEW, RUNNING, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Ends it. Returns whether there is something to end.
    pub(super) fn end(&self) -> bool {
        self.0.compare_exchange(RUNNING, ENDED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// What hooks make of a prompt.
pub(super) enum Submitted {
    /// It goes to the model, with these texts in front of it and behind it.
    Accepted { before: Vec<String>, after: Vec<String> },
    /// It does not; the reason is for the person.
    Refused(String),
}

/// Raises SessionStart, the first time, and UserPromptSubmit.
pub(super) async fn submit(parts: &Parts, prompt: &str, is_resumed: bool, events: &EventSink) -> Submitted {
    let scene = parts.scene(events);
    let mut before = Vec::new();
    if parts.life.begin() {
        for problem in &parts.hook_problems {
            events.send(Event::Error { kind: "settings".to_owned(), message: problem.to_string() });
        }
        let source = if is_resumed { "resume" } else { "startup" };
        let mut start = scene.raise(HookEvent::SessionStart { source: source.to_owned() }).await;
        before.append(&mut start.additional_context);
        if let Some(Value::String(message)) = start.extra.remove("initialUserMessage") {
            before.push(message);
        }
        if let Some(reason) = start.stop {
            return Submitted::Refused(reason);
        }
    }
    let answer = scene.raise(HookEvent::UserPromptSubmit { prompt: prompt.to_owned() }).await;
    match blocked(&answer) {
        Some(reason) => Submitted::Refused(reason),
        None => Submitted::Accepted { before, after: answer.additional_context },
    }
}

/// What to raise for the calls of one answer, if there are any and somebody wants to hear of them.
pub(super) fn batch_done(
    scene: HookScene<'_>,
    content: &[ContentBlock],
    outcomes: &[CallOutcome],
) -> Option<HookEvent> {
    if outcomes.is_empty() || !scene.wants("PostToolBatch", "") {
        return None;
    }
    let calls = content.iter().filter_map(|block| match block {
        ContentBlock::ToolUse(tool_use) => Some(tool_use),
        _ => None,
    });
    let tool_calls = calls.filter_map(|call| {
        let outcome = outcomes.iter().find(|outcome| outcome.result.tool_use_id == call.id)?;
        let result = serde_json::to_value(&outcome.result).unwrap_or_default();
        Some(BatchedCall {
            tool_name: call.name.clone(),
            tool_input: call.input.clone(),
            tool_use_id: call.id.clone(),
            tool_response: result.get("content").cloned().unwrap_or_default(),
        })
    });
    Some(HookEvent::PostToolBatch { tool_calls: tool_calls.collect() })
}

/// What hooks make of the end of the work.
pub(super) enum Ending {
    /// It is the end.
    Agreed,
    /// The model is to go on, with these texts.
    GoOn(Vec<String>),
    /// It is the end, for a reason of a hook's.
    Stopped(String),
}

/// Raises Stop.
pub(super) async fn wants_to_stop(scene: HookScene<'_>, active: bool, text: &str) -> Ending {
    let event = HookEvent::Stop { stop_hook_active: active, last_assistant_message: text.to_owned() };
    let answer = scene.raise(event).await;
    if let Some(reason) = answer.stop {
        return Ending::Stopped(reason);
    }
    let mut texts = answer.additional_context;
    if let Some(verdict) = answer.verdict.filter(|verdict| verdict.behavior == Behavior::Deny) {
        texts.push(verdict.message);
    }
    if texts.is_empty() { Ending::Agreed } else { Ending::GoOn(texts) }
}

/// Why something must not go on, if it must not.
pub(super) fn blocked(answer: &HookAnswer) -> Option<String> {
    let verdict = answer.verdict.as_ref().filter(|verdict| verdict.behavior == Behavior::Deny);
    answer.stop.clone().or_else(|| verdict.map(|verdict| verdict.message.clone()))
}
