//! One request to the model with the calls that its answer asks for: the answer streams while the calls already run.

use std::sync::Arc;

use futures_util::{FutureExt, StreamExt};
use serde_json::{Map, Value};
use toolreeve_engine::host::{HostError, ModelChunk, ModelChunks, ModelRequest, ModelStream};
use toolreeve_engine::{
    CallOutcome, CancelReason, CancelToken, ContentBlock, Event, EventSink, Message, Pipeline, StreamingExecutor,
};

use super::stream::{Assembled, MessageAssembler, SseDecoder};

/// What came of one request.
pub(super) struct TurnOutcome {
    /// The complete blocks of the answer.
    pub(super) content: Vec<ContentBlock>,
    /// One outcome for each tool_use of `content`, in its order.
    pub(super) outcomes: Vec<CallOutcome>,
    /// Why the model stopped.
    pub(super) stop_reason: Option<String>,
    /// What the model reported as used.
    pub(super) usage: Map<String, Value>,
    /// Whether the stream broke before the answer was complete.
    pub(super) broken: bool,
    /// Whether the person stopped it.
    pub(super) interrupted: Option<CancelReason>,
}

/// At most this many breaches of the protocol are reported for one answer.
const MAX_REPORTED_BREACHES: usize = 10;

/// Sends the request and runs what comes of it.
pub(super) async fn run_turn(
    number: usize,
    model: &dyn ModelStream,
    pipeline: &Arc<Pipeline>,
    request: ModelRequest,
    cancel: &CancelToken,
) -> TurnOutcome {
    let mut turn = Turn {
        executor: StreamingExecutor::new(Arc::clone(pipeline), cancel),
        decoder: SseDecoder::new(),
        assembler: MessageAssembler::new(),
        events: pipeline.events().clone(),
        came: Vec::new(),
        outcomes: Vec::new(),
        breaches: 0,
        broken: false,
    };
    let interrupted = turn.stream(model, request, cancel).await;
    turn.executor.stream_ended();
    turn.events.send(Event::StreamEnd { turn: number });
    // Every call that began has a result to give, whatever became of the stream.
    while let Some(outcome) = turn.executor.next().await {
        turn.outcomes.push(outcome);
    }
    let stop_reason = turn.assembler.stop_reason().map(str::to_owned);
    let usage = turn.assembler.usage().clone();
    let interrupted = interrupted.or_else(|| cancel.reason());
    let content = turn.assembler.into_content();
    let outcomes = in_order_of(&content, turn.outcomes);
    TurnOutcome { content, outcomes, stop_reason, usage, broken: turn.broken, interrupted }
}

struct Turn {
    executor: StreamingExecutor,
    decoder: SseDecoder,
    assembler: MessageAssembler,
    events: EventSink,
    came: Vec<Assembled>,
    outcomes: Vec<CallOutcome>,
    breaches: usize,
    broken: bool,
}

impl Turn {
    /// Reads the answer to its end. Returns the reason if it was cancelled.
    async fn stream(
        &mut self,
        model: &dyn ModelStream,
        request: ModelRequest,
        cancel: &CancelToken,
    ) -> Option<CancelReason> {
        let opening = std::panic::AssertUnwindSafe(async { model.open(request, cancel.clone()).await }).catch_unwind();
        let opened = tokio::select! {
            biased;
            reason = cancel.cancelled() => return Some(reason),
            opened = opening => opened.unwrap_or_else(|_| Err(HostError::new("the model callback panicked"))),
        };
        let mut chunks: ModelChunks = match opened {
            Ok(chunks) => chunks,
            Err(error) => {
                self.fail("model", &error.message);
                return None;
            }
        };
        loop {
            tokio::select! {
                biased;
                reason = cancel.cancelled() => return Some(reason),
                // Results leave while the model streams, so that the host sees them at once.
                Some(outcome) = self.executor.next(), if self.executor.has_pending() => self.outcomes.push(outcome),
                chunk = std::panic::AssertUnwindSafe(chunks.next()).catch_unwind() => match chunk {
                    Ok(Some(Ok(chunk))) => self.take(chunk),
                    Ok(Some(Err(error))) => self.fail("model", &error.message),
                    Ok(None) => {
                        self.end();
                        return None;
                    }
                    Err(_) => self.fail("model", "the model callback panicked"),
                },
            }
            if self.broken {
                return None;
            }
        }
    }

    fn take(&mut self, chunk: ModelChunk) {
        let Self { decoder, assembler, came, .. } = self;
        let decoded = match chunk {
            ModelChunk::Bytes(bytes) => decoder.feed(&bytes, |data| assembler.take_json(data, came)),
            ModelChunk::Event(event) => {
                assembler.take_value(&event, came);
                Ok(())
            }
        };
        self.deliver();
        if let Err(error) = decoded {
            self.fail("stream", &error.to_string());
        }
    }

    fn end(&mut self) {
        let Self { decoder, assembler, came, .. } = self;
        decoder.finish(|data| assembler.take_json(data, came));
        self.deliver();
        if !self.broken && !self.assembler.is_complete() {
            let text = if self.assembler.has_started() {
                "the model's stream ended in the middle of its answer"
            } else {
                "the model's stream ended without an answer"
            };
            self.fail("stream", text);
        }
    }

    fn deliver(&mut self) {
        let mut came = std::mem::take(&mut self.came);
        for item in came.drain(..) {
            match item {
                Assembled::Text(text) => self.events.send(Event::TextDelta { text }),
                Assembled::Thinking(text) => self.events.send(Event::ThinkingDelta { text }),
                Assembled::Call(call) => self.executor.push(call),
                Assembled::Failed { kind, message } => self.fail(&kind, &message),
                Assembled::Protocol(message) => {
                    self.breaches += 1;
                    if self.breaches <= MAX_REPORTED_BREACHES {
                        self.events.send(Event::Error { kind: "stream-protocol".to_owned(), message });
                    }
                }
            }
        }
        self.came = came;
    }

    fn fail(&mut self, kind: &str, message: &str) {
        self.broken = true;
        self.events.send(Event::Error { kind: kind.to_owned(), message: message.to_owned() });
    }
}

/// Puts outcomes, which come in the order in which blocks stopped, into the order of the blocks themselves.
fn in_order_of(content: &[ContentBlock], mut outcomes: Vec<CallOutcome>) -> Vec<CallOutcome> {
    let position = |outcome: &CallOutcome| {
        content.iter().position(
            |block| matches!(block, ContentBlock::ToolUse(tool_use) if tool_use.id == outcome.result.tool_use_id),
        )
    };
    let is_ordered = outcomes
        .iter()
        .zip(content.iter().filter_map(|block| match block {
            ContentBlock::ToolUse(tool_use) => Some(&tool_use.id),
            _ => None,
        }))
        .all(|(outcome, id)| outcome.result.tool_use_id == *id);
    if !is_ordered {
        outcomes.sort_by_cached_key(position);
    }
    outcomes
}

/// The message that answers the requests: the results first, as the API wants them, then what hooks had to say.
pub(super) async fn answer(outcomes: &mut [CallOutcome], spill_dir: &std::path::Path) -> Option<Message> {
    if outcomes.is_empty() {
        return None;
    }
    let mut results: Vec<_> = outcomes.iter().map(|outcome| outcome.result.clone()).collect();
    toolreeve_engine::result::apply_message_budget(&mut results, spill_dir).await;
    let mut content: Vec<ContentBlock> = results.into_iter().map(ContentBlock::ToolResult).collect();
    let notes = outcomes.iter_mut().flat_map(|outcome| outcome.additional_context.drain(..));
    content.extend(notes.map(ContentBlock::Text));
    Some(Message { role: toolreeve_engine::Role::User, content })
}
