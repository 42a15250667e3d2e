//! What the host hears, as it happens. Serialises to the JSON that Python and C receive.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::message::ToolResult;
use crate::render::RenderNode;

/// One event of a run. Events of one call keep their order; results come in the order of the model's requests.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// A request to the model begins.
    TurnStart {
        /// The number of the turn, from 1.
        turn: usize,
    },
    /// The model wrote some text.
    TextDelta {
        /// The piece.
        text: String,
    },
    /// The model thought aloud.
    ThinkingDelta {
        /// The piece.
        text: String,
    },
    /// A request to run a tool is complete; the input is completed for observers (absolute paths).
    ToolUse {
        /// The id of the request.
        id: String,
        /// The tool's name, as the model wrote it.
        name: String,
        /// The input for observers.
        input: Value,
        /// How the tool shows it.
        #[serde(skip_serializing_if = "Option::is_none")]
        render: Option<RenderNode>,
    },
    /// A call left the queue.
    ToolStart {
        /// The id of the request.
        id: String,
        /// Whether the model was still streaming.
        while_streaming: bool,
    },
    /// A running call reports.
    ToolProgress {
        /// The id of the request.
        id: String,
        /// The tool's own data.
        data: Value,
    },
    /// The permission chain decided.
    Permission {
        /// The id of the request.
        id: String,
        /// The decision as a tree.
        decision: Value,
    },
    /// The person put a question off: the call was not run and waits for an approval.
    ApprovalPending {
        /// The id of the request, and of the approval.
        id: String,
        /// The approval, as data.
        approval: Value,
    },
    /// A classifier is being waited for: the permission check returned "ask" and a check is pending.
    ClassifierPending {
        /// The id of the request.
        id: String,
    },
    /// A call has ended. Its result follows when those of the calls before it have left.
    ToolEnd {
        /// The id of the request.
        id: String,
    },
    /// A call has its result.
    ToolResult {
        /// The result, as the model will read it.
        #[serde(flatten)]
        result: ToolResult,
        /// How the tool shows it.
        #[serde(skip_serializing_if = "Option::is_none")]
        render: Option<RenderNode>,
        /// The class of the error, safe to count.
        #[serde(skip_serializing_if = "Option::is_none")]
        error_class: Option<String>,
    },
    /// What was shown under these ids is void. For hosts that replay an answer: the agent loop does not retry one, and
    /// so never sends it itself.
    Tombstone {
        /// The ids of the requests.
        tool_use_ids: Vec<String>,
    },
    /// The model has finished its answer, or it broke off; calls may still run.
    StreamEnd {
        /// The number of the turn.
        turn: usize,
    },
    /// The turn is over: the answer is complete and every call has its result.
    TurnEnd {
        /// The number of the turn.
        turn: usize,
        /// Why the model stopped, in its own words (`tool_use`, `end_turn`, …).
        stop_reason: Option<String>,
        /// What the model reported as used so far in this run, summed by name.
        usage: Value,
    },
    /// A hook has something to say to the person.
    HookMessage {
        /// The event that the hook heard, for example `PreToolUse`.
        event: String,
        /// The id of the request, where the event is about one.
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_use_id: Option<String>,
        /// What it says.
        message: String,
    },
    /// Something went wrong outside of any call, for example in the model's stream.
    Error {
        /// A stable slug, for example `stream`, or `hook` for a hook that failed without deciding anything.
        kind: String,
        /// One sentence.
        message: String,
    },
    /// The run is over. Always the last event.
    Done {
        /// `success`, `error_max_turns`, `error_during_execution`, `interrupted`, `stopped_by_hook` or `deferred`.
        subtype: String,
        /// The number of requests to the model.
        turns: usize,
        /// The text of the model's last answer.
        result: String,
        /// The sum of what the model reported as used.
        usage: Value,
    },
}

/// Takes events, at once and without blocking. Cheap to clone.
#[derive(Clone)]
pub struct EventSink(Option<Arc<dyn Fn(Event) + Send + Sync>>);

impl EventSink {
    /// Wraps a function. It is called on whatever thread the event happens and must not block.
    pub fn new(take: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(take)))
    }

    /// A sink that hears nothing.
    pub fn none() -> Self {
        Self(None)
    }

    /// Whether anybody hears events, so that making one is worth it.
    pub fn is_heard(&self) -> bool {
        self.0.is_some()
    }

    /// Hands over one event. A host function that panics loses the event and nothing else.
    pub fn send(&self, event: Event) {
        if let Some(take) = &self.0 {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| take(event)));
        }
    }

    /// Hands over one event that is only made if somebody hears it.
    pub(crate) fn send_with(&self, make: impl FnOnce() -> Event) {
        if self.is_heard() {
            self.send(make());
        }
    }
}

impl std::fmt::Debug for EventSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EventSink")
    }
}
