//! The loop around the turns: ask, run, answer, until the model wants no more tools, the limit of turns is reached, the
//! person or a hook stops it, or the stream breaks. The conversation is valid for the next request at every end.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolreeve_engine::hooks::HookAnswer;
use toolreeve_engine::host::ModelRequest;
use toolreeve_engine::{CancelReason, CancelToken, ContentBlock, Event, EventSink, Message, Role};

use super::Parts;
use super::hooked::{self, Ending, MAX_CONTINUATIONS, Submitted};
use super::resume::{Resumed, is_deferred, resume};
use super::turn::{TurnOutcome, answer, run_turn};

/// How a run ended, under the public names.
enum End {
    Success,
    MaxTurns,
    Broken,
    Interrupted,
    /// A hook wanted it; the reason may be empty.
    Stopped(String),
    Deferred,
}

/// What a run begins with.
pub(super) enum Begin {
    /// Something that the person says.
    Prompt(String),
    /// The answers to approvals that the conversation waits for.
    Approvals,
}

impl End {
    fn subtype(&self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::MaxTurns => "error_max_turns",
            Self::Broken => "error_during_execution",
            Self::Interrupted => "interrupted",
            Self::Stopped(_) => "stopped_by_hook",
            Self::Deferred => "deferred",
        }
    }
}

/// Works on one prompt, or goes on with what waited for approvals, to its end.
pub(super) async fn run(parts: &Parts, begin: Begin, events: EventSink, cancel: CancelToken) {
    let mut messages = parts.messages.lock().await;
    let mut work = Work { usage: Map::new(), turns: 0, text: String::new(), continuations: 0 };
    let end = work.work_on(parts, begin, &mut messages, &events, &cancel).await;
    if matches!(end, End::Interrupted) && cancel.reason() != Some(CancelReason::Shutdown) {
        // So that the model knows, with the next prompt, why its work breaks off.
        say(&mut messages, ContentBlock::text("[The user interrupted the work at this point.]"));
    }
    drop(messages);
    let result = match &end {
        End::Stopped(reason) if !reason.is_empty() => reason.clone(),
        _ => work.text,
    };
    let usage = Value::Object(work.usage);
    events.send(Event::Done { subtype: end.subtype().to_owned(), turns: work.turns, result, usage });
}

/// What adds up while a prompt is worked on.
struct Work {
    usage: Map<String, Value>,
    turns: usize,
    /// The text of the model's last answer.
    text: String,
    /// How often hooks made the model go on.
    continuations: usize,
}

impl Work {
    async fn work_on(
        &mut self,
        parts: &Parts,
        begin: Begin,
        messages: &mut Vec<Message>,
        events: &EventSink,
        cancel: &CancelToken,
    ) -> End {
        let begun = match begin {
            Begin::Prompt(prompt) => submit(parts, prompt, messages, events, cancel).await,
            Begin::Approvals => approved(parts, messages, events, cancel).await,
        };
        if let Some(end) = begun {
            return end;
        }
        loop {
            if cancel.is_cancelled() {
                return End::Interrupted;
            }
            if parts.max_turns.is_some_and(|max| self.turns >= max) {
                return End::MaxTurns;
            }
            // What hooks in the background found out meanwhile.
            let late = parts.scene(events).late().await;
            say_all(messages, late.additional_context);
            if let Some(end) = self.turn(parts, messages, events, cancel).await {
                return end;
            }
        }
    }

    /// One request with all that comes of it. `Some` if it was the last.
    async fn turn(
        &mut self,
        parts: &Parts,
        messages: &mut Vec<Message>,
        events: &EventSink,
        cancel: &CancelToken,
    ) -> Option<End> {
        self.turns += 1;
        events.send(Event::TurnStart { turn: self.turns });
        // Assembled anew each turn: rules may have changed. With the same rules it is byte for byte the same.
        let pool = parts.pool();
        let request = ModelRequest { tools: pool.specs(), system: parts.system.clone(), messages: messages.clone() };
        let pipeline = Arc::new(parts.pipeline(pool, events.clone()));
        let mut turn = run_turn(self.turns, parts.model.as_ref(), &pipeline, request, cancel).await;
        add_usage(&mut self.usage, &turn.usage);
        events.send(Event::TurnEnd {
            turn: self.turns,
            stop_reason: turn.stop_reason.clone(),
            usage: Value::Object(turn.usage.clone()),
        });
        self.text = text_of(&turn.content);
        let is_interrupted = turn.interrupted.is_some() || turn.outcomes.iter().any(|outcome| outcome.interrupts_turn);
        let is_put_off = turn.outcomes.iter().any(is_deferred);
        let stop = turn.outcomes.iter_mut().find_map(|outcome| outcome.stop.take());
        let (wants_more, is_refusal) = (continues(&turn), turn.stop_reason.as_deref() == Some("refusal"));
        let scene = parts.scene(events);
        // A batch of which a call still waits for an approval is not done.
        let is_done = !is_interrupted && !turn.broken && !is_put_off;
        let batch = hooked::batch_done(scene, &turn.content, &turn.outcomes).filter(|_| is_done);
        let batch = match batch {
            None => Some(HookAnswer::default()),
            Some(event) => unless_cancelled(cancel, scene.raise(event)).await,
        };
        append(messages, &mut turn, parts).await;
        let Some(batch) = batch.filter(|_| !is_interrupted) else { return Some(End::Interrupted) };
        if turn.broken {
            return Some(End::Broken);
        }
        let blocked = hooked::blocked(&batch);
        say_all(messages, batch.additional_context);
        if let Some(reason) = stop.or(blocked) {
            return Some(End::Stopped(reason));
        }
        if is_put_off {
            return Some(End::Deferred);
        }
        match wants_more {
            true => None,
            false if is_refusal => Some(End::Success),
            false => self.stop(parts, messages, events, cancel).await,
        }
    }

    /// The model wants no more. `None` if a hook makes it go on.
    async fn stop(
        &mut self,
        parts: &Parts,
        messages: &mut Vec<Message>,
        events: &EventSink,
        cancel: &CancelToken,
    ) -> Option<End> {
        let asked = hooked::wants_to_stop(parts.scene(events), self.continuations > 0, &self.text);
        match unless_cancelled(cancel, asked).await {
            None => Some(End::Interrupted),
            Some(Ending::Agreed) => Some(End::Success),
            Some(Ending::Stopped(reason)) => Some(End::Stopped(reason)),
            Some(Ending::GoOn(_)) if self.continuations >= MAX_CONTINUATIONS => {
                let message = format!("Stop hooks made the model go on {MAX_CONTINUATIONS} times; it stops now");
                events.send(Event::Error { kind: "hook".to_owned(), message });
                Some(End::Success)
            }
            Some(Ending::GoOn(texts)) => {
                self.continuations += 1;
                say_all(messages, texts);
                None
            }
        }
    }
}

/// What hooks take long for is given up when the run is cancelled.
async fn unless_cancelled<T>(cancel: &CancelToken, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        _ = cancel.cancelled() => None,
        done = work => Some(done),
    }
}

/// Says what the person says, unless a hook refuses it. Returns the end if the model is not to be asked.
async fn submit(
    parts: &Parts,
    prompt: String,
    messages: &mut Vec<Message>,
    events: &EventSink,
    cancel: &CancelToken,
) -> Option<End> {
    let submitted = hooked::submit(parts, &prompt, !messages.is_empty(), events);
    match unless_cancelled(cancel, submitted).await {
        Some(Submitted::Refused(reason)) => Some(End::Stopped(reason)),
        Some(Submitted::Accepted { before, after }) => {
            say_all(messages, before);
            say(messages, ContentBlock::Text(prompt));
            say_all(messages, after);
            None
        }
        None => {
            say(messages, ContentBlock::Text(prompt));
            Some(End::Interrupted)
        }
    }
}

/// Runs what was approved. Returns the end if the model is not to be asked.
async fn approved(parts: &Parts, messages: &mut Vec<Message>, events: &EventSink, cancel: &CancelToken) -> Option<End> {
    let pipeline = Arc::new(parts.pipeline(parts.pool(), events.clone()));
    let mut outcomes = match resume(messages, &pipeline, cancel).await {
        Resumed::Done(outcomes) => outcomes,
        Resumed::StillWaiting => return Some(End::Deferred),
        Resumed::Nothing => {
            let message = "no call at the end of the conversation waits for an approval".to_owned();
            events.send(Event::Error { kind: "approval".to_owned(), message });
            return Some(End::Broken);
        }
    };
    if cancel.is_cancelled() || outcomes.iter().any(|outcome| outcome.interrupts_turn) {
        return Some(End::Interrupted);
    }
    let stop = outcomes.iter_mut().find_map(|outcome| outcome.stop.take());
    let asked = messages.iter().rfind(|message| message.role == Role::Assistant);
    let scene = parts.scene(events);
    let batch = asked.and_then(|asked| hooked::batch_done(scene, &asked.content, &outcomes));
    let batch = match batch {
        None => HookAnswer::default(),
        Some(event) => match unless_cancelled(cancel, scene.raise(event)).await {
            Some(answer) => answer,
            None => return Some(End::Interrupted),
        },
    };
    let blocked = hooked::blocked(&batch);
    say_all(messages, batch.additional_context);
    stop.or(blocked).map(End::Stopped)
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

fn say_all(messages: &mut Vec<Message>, texts: Vec<String>) {
    for text in texts {
        say(messages, ContentBlock::Text(text));
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
