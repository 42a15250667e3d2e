//! The loop around the turns: ask, run, answer, until the model wants no more tools, the limit of turns is reached, the
//! person stops it, or the stream breaks. The conversation is valid for the next request at every end.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolreeve_engine::host::ModelRequest;
use toolreeve_engine::{CancelReason, CancelToken, ContentBlock, Event, EventSink, Message, Role};

use super::Parts;
use super::turn::{TurnOutcome, answer, run_turn};

/// How a run ended, under the public names.
#[derive(Clone, Copy)]
enum End {
    Success,
    MaxTurns,
    Broken,
    Interrupted,
}

impl End {
    fn subtype(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::MaxTurns => "error_max_turns",
            Self::Broken => "error_during_execution",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Works on one prompt to its end.
pub(super) async fn run(parts: &Parts, prompt: String, events: EventSink, cancel: CancelToken) {
    let mut messages = parts.messages.lock().await;
    say(&mut messages, ContentBlock::Text(prompt));
    let mut usage = Map::new();
    let mut turns = 0;
    let mut text = String::new();
    let end = loop {
        if cancel.is_cancelled() {
            break End::Interrupted;
        }
        if parts.max_turns.is_some_and(|max| turns >= max) {
            break End::MaxTurns;
        }
        turns += 1;
        events.send(Event::TurnStart { turn: turns });
        // Assembled anew each turn: rules may have changed. With the same rules it is byte for byte the same.
        let pool = parts.pool();
        let request = ModelRequest { tools: pool.specs(), system: parts.system.clone(), messages: messages.clone() };
        let pipeline = Arc::new(parts.pipeline(pool, events.clone()));
        let mut turn = run_turn(turns, parts.model.as_ref(), &pipeline, request, &cancel).await;
        add_usage(&mut usage, &turn.usage);
        events.send(Event::TurnEnd {
            turn: turns,
            stop_reason: turn.stop_reason.clone(),
            usage: Value::Object(turn.usage.clone()),
        });
        text = text_of(&turn.content);
        let stopped_by_person = turn.outcomes.iter().any(|outcome| outcome.interrupts_turn);
        let wants_more = continues(&turn);
        append(&mut messages, &mut turn, parts).await;
        if turn.interrupted.is_some() || stopped_by_person {
            break End::Interrupted;
        }
        if turn.broken {
            break End::Broken;
        }
        if !wants_more {
            break End::Success;
        }
    };
    if matches!(end, End::Interrupted) && cancel.reason() != Some(CancelReason::Shutdown) {
        // So that the model knows, with the next prompt, why its work breaks off.
        say(&mut messages, ContentBlock::text("[The user interrupted the work at this point.]"));
    }
    drop(messages);
    events.send(Event::Done { subtype: end.subtype().to_owned(), turns, result: text, usage: Value::Object(usage) });
}

/// Whether the model is to be asked again: it waits for results, or it only paused.
fn continues(turn: &TurnOutcome) -> bool {
    match turn.stop_reason.as_deref() {
        Some("pause_turn") => true,
        Some("refusal") => false,
        _ => !turn.outcomes.is_empty(),
    }
}

/// Adds the answer and the results to the conversation.
async fn append(messages: &mut Vec<Message>, turn: &mut TurnOutcome, parts: &Parts) {
    if turn.content.is_empty() {
        return;
    }
    messages.push(Message { role: Role::Assistant, content: std::mem::take(&mut turn.content) });
    messages.extend(answer(&mut turn.outcomes, parts.session.spill_dir()).await);
    messages.extend(turn.outcomes.iter_mut().flat_map(|outcome| outcome.new_messages.drain(..)));
}

/// Adds a block that the person says: part of the last message if that is theirs, because speakers alternate.
fn say(messages: &mut Vec<Message>, block: ContentBlock) {
    match messages.last_mut() {
        Some(last) if last.role == Role::User => last.content.push(block),
        _ => messages.push(Message { role: Role::User, content: vec![block] }),
    }
}

fn text_of(content: &[ContentBlock]) -> String {
    let mut text = String::new();
    for block in content {
        match block {
            ContentBlock::Text(piece) => text.push_str(piece),
            // Text with citations is kept as it came.
            ContentBlock::Other(value) if value.get("type").is_some_and(|kind| kind == "text") => {
                text.push_str(value.get("text").and_then(Value::as_str).unwrap_or_default());
            }
            _ => {}
        }
    }
    text
}

/// Sums whatever the model counts, by name; what is no number is kept as it came last.
fn add_usage(sum: &mut Map<String, Value>, usage: &Map<String, Value>) {
    for (name, value) in usage {
        let total = match (sum.get(name).and_then(Value::as_u64), value.as_u64()) {
            (Some(before), Some(now)) => Value::from(before.saturating_add(now)),
            _ => value.clone(),
        };
        sum.insert(name.clone(), total);
    }
}
