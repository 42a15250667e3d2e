//! The moments at which hooks run, and what a hook is told of each: the JSON of the public contract.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use toolreeve_permission::PermissionMode;

use super::events::event_info;
use crate::context::Session;

/// A call of a batch, for [`HookEvent::PostToolBatch`].
#[derive(Debug, Clone, PartialEq)]
pub struct BatchedCall {
    /// The tool's name.
    pub tool_name: String,
    /// The input.
    pub tool_input: Value,
    /// The id of the call.
    pub tool_use_id: String,
    /// What the model reads: a text, or content blocks.
    pub tool_response: Value,
}

/// The moment a hook runs at.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HookEvent {
    /// Before a call is judged.
    PreToolUse {
        /// The tool's name.
        tool_name: String,
        /// The input, completed for observers.
        tool_input: Value,
        /// The id of the call.
        tool_use_id: String,
    },
    /// After a call succeeded.
    PostToolUse {
        /// The tool's name.
        tool_name: String,
        /// The input.
        tool_input: Value,
        /// The structured output.
        tool_response: Value,
        /// The id of the call.
        tool_use_id: String,
        /// How long the work took, in milliseconds.
        duration_ms: u64,
    },
    /// After a call failed. Not for unknown tools, invalid input, denials and cancelled calls.
    PostToolUseFailure {
        /// The tool's name.
        tool_name: String,
        /// The input.
        tool_input: Value,
        /// The text of the failure.
        error: String,
        /// The id of the call.
        tool_use_id: String,
        /// How long the work took, in milliseconds.
        duration_ms: u64,
    },
    /// All calls of one answer of the model have their results.
    PostToolBatch {
        /// The calls, in the model's order.
        tool_calls: Vec<BatchedCall>,
    },
    /// A person is about to be asked.
    PermissionRequest {
        /// The tool's name.
        tool_name: String,
        /// The input.
        tool_input: Value,
        /// Changes of the rules that would answer this in future, in the public shape.
        permission_suggestions: Vec<Value>,
    },
    /// The auto mode refused a call.
    PermissionDenied {
        /// The tool's name.
        tool_name: String,
        /// The input.
        tool_input: Value,
        /// The id of the call.
        tool_use_id: String,
        /// Why.
        reason: String,
    },
    /// The person sent a prompt; the model has not seen it yet.
    UserPromptSubmit {
        /// The prompt.
        prompt: String,
    },
    /// A session begins.
    SessionStart {
        /// `startup`, `resume`, `clear`, `compact` or `fork`.
        source: String,
    },
    /// A session ends.
    SessionEnd {
        /// Why, for example `other`.
        reason: String,
    },
    /// The model wants no more.
    Stop {
        /// Whether the model goes on only because a hook wanted it to.
        stop_hook_active: bool,
        /// What the model said last.
        last_assistant_message: String,
    },
    /// A sub-agent begins.
    SubagentStart {
        /// Its id.
        agent_id: String,
        /// Its type.
        agent_type: String,
    },
    /// A sub-agent wants no more.
    SubagentStop {
        /// Its id.
        agent_id: String,
        /// Its type.
        agent_type: String,
        /// Whether it goes on only because a hook wanted it to.
        stop_hook_active: bool,
        /// Its transcript.
        agent_transcript_path: PathBuf,
        /// What it said last.
        last_assistant_message: String,
    },
    /// The person is told something.
    Notification {
        /// What.
        message: String,
        /// The title.
        title: Option<String>,
        /// The kind, for example `permission_prompt`.
        notification_type: String,
    },
    /// The conversation is about to be shortened.
    PreCompact {
        /// `manual` or `auto`.
        trigger: String,
        /// What the person wants kept.
        custom_instructions: String,
    },
    /// A settings file changed.
    ConfigChange {
        /// Which settings, for example `project_settings`.
        source: String,
        /// The file.
        file_path: Option<PathBuf>,
    },
    /// Any other event of the contract, raised by the host.
    Other {
        /// The name; one of [`HOOK_EVENTS`](super::HOOK_EVENTS).
        name: String,
        /// Its own fields, as JSON.
        fields: Map<String, Value>,
    },
}

impl HookEvent {
    /// The name of the event; case matters.
    pub fn name(&self) -> &str {
        match self {
            Self::PreToolUse { .. } => "PreToolUse",
            Self::PostToolUse { .. } => "PostToolUse",
            Self::PostToolUseFailure { .. } => "PostToolUseFailure",
            Self::PostToolBatch { .. } => "PostToolBatch",
            Self::PermissionRequest { .. } => "PermissionRequest",
            Self::PermissionDenied { .. } => "PermissionDenied",
            Self::UserPromptSubmit { .. } => "UserPromptSubmit",
            Self::SessionStart { .. } => "SessionStart",
            Self::SessionEnd { .. } => "SessionEnd",
            Self::Stop { .. } => "Stop",
            Self::SubagentStart { .. } => "SubagentStart",
            Self::SubagentStop { .. } => "SubagentStop",
            Self::Notification { .. } => "Notification",
            Self::PreCompact { .. } => "PreCompact",
            Self::ConfigChange { .. } => "ConfigChange",
            Self::Other { name, .. } => name,
        }
    }

    /// What a matcher is compared with; `None` where a matcher is ignored.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::PreToolUse { tool_name, .. }
            | Self::PostToolUse { tool_name, .. }
            | Self::PostToolUseFailure { tool_name, .. }
            | Self::PermissionRequest { tool_name, .. }
            | Self::PermissionDenied { tool_name, .. } => Some(tool_name),
            Self::SessionStart { source } | Self::ConfigChange { source, .. } => Some(source),
            Self::SessionEnd { reason } => Some(reason),
            Self::SubagentStart { agent_type, .. } | Self::SubagentStop { agent_type, .. } => Some(agent_type),
            Self::Notification { notification_type, .. } => Some(notification_type),
            Self::PreCompact { trigger, .. } => Some(trigger),
            Self::PostToolBatch { .. } | Self::UserPromptSubmit { .. } | Self::Stop { .. } => None,
            Self::Other { name, fields } => fields.get(event_info(name)?.matcher_field?)?.as_str(),
        }
    }

    /// The tool that the event is about, with the input of its call.
    pub fn tool(&self) -> Option<(&str, &Value)> {
        match self {
            Self::PreToolUse { tool_name, tool_input, .. }
            | Self::PostToolUse { tool_name, tool_input, .. }
            | Self::PostToolUseFailure { tool_name, tool_input, .. }
            | Self::PermissionRequest { tool_name, tool_input, .. }
            | Self::PermissionDenied { tool_name, tool_input, .. } => Some((tool_name, tool_input)),
            Self::Other { fields, .. } => Some((fields.get("tool_name")?.as_str()?, fields.get("tool_input")?)),
            _ => None,
        }
    }

    /// The call that the event is about.
    pub fn tool_use_id(&self) -> Option<&str> {
        match self {
            Self::PreToolUse { tool_use_id, .. }
            | Self::PostToolUse { tool_use_id, .. }
            | Self::PostToolUseFailure { tool_use_id, .. }
            | Self::PermissionDenied { tool_use_id, .. } => Some(tool_use_id),
            _ => None,
        }
    }

    /// Whether a hook that says "block" is heard.
    pub fn can_block(&self) -> bool {
        match self {
            // What the organisation sets cannot be kept from holding.
            Self::ConfigChange { source, .. } => source != "policy_settings",
            other => event_info(other.name()).is_some_and(|info| info.can_block),
        }
    }

    /// The event's own fields in the public shape.
    pub fn fields(&self) -> Map<String, Value> {
        let fields = match self {
            Self::PreToolUse { tool_name, tool_input, tool_use_id } => {
                json!({"tool_name": tool_name, "tool_input": tool_input, "tool_use_id": tool_use_id})
            }
            Self::PostToolUse { tool_name, tool_input, tool_response, tool_use_id, duration_ms } => json!({
                "tool_name": tool_name, "tool_input": tool_input, "tool_response": tool_response,
                "tool_use_id": tool_use_id, "duration_ms": duration_ms,
            }),
            Self::PostToolUseFailure { tool_name, tool_input, error, tool_use_id, duration_ms } => json!({
                "tool_name": tool_name, "tool_input": tool_input, "tool_use_id": tool_use_id, "error": error,
                "is_interrupt": false, "duration_ms": duration_ms,
            }),
            Self::PostToolBatch { tool_calls } => {
                let calls = tool_calls.iter().map(|call| {
                    json!({
                        "tool_name": call.tool_name, "tool_input": call.tool_input,
                        "tool_use_id": call.tool_use_id, "tool_response": call.tool_response,
                    })
                });
                json!({"tool_calls": calls.collect::<Vec<_>>()})
            }
            Self::PermissionRequest { tool_name, tool_input, permission_suggestions } => json!({
                "tool_name": tool_name, "tool_input": tool_input, "permission_suggestions": permission_suggestions,
            }),
            Self::PermissionDenied { tool_name, tool_input, tool_use_id, reason } => json!({
                "tool_name": tool_name, "tool_input": tool_input, "tool_use_id": tool_use_id, "reason": reason,
            }),
            Self::UserPromptSubmit { prompt } => json!({"prompt": prompt}),
            Self::SessionStart { source } => json!({"source": source}),
            Self::SessionEnd { reason } => json!({"reason": reason}),
            Self::Stop { stop_hook_active, last_assistant_message } => json!({
                "stop_hook_active": stop_hook_active, "last_assistant_message": last_assistant_message,
                "background_tasks": [], "session_crons": [],
            }),
            Self::SubagentStart { agent_id, agent_type } => json!({"agent_id": agent_id, "agent_type": agent_type}),
            Self::SubagentStop {
                agent_id,
                agent_type,
                stop_hook_active,
                agent_transcript_path,
                last_assistant_message,
            } => json!({
                "agent_id": agent_id, "agent_type": agent_type, "stop_hook_active": stop_hook_active,
                "agent_transcript_path": agent_transcript_path.to_string_lossy(),
                "last_assistant_message": last_assistant_message, "background_tasks": [], "session_crons": [],
            }),
            Self::Notification { message, title, notification_type } => match title {
                Some(title) => json!({"message": message, "title": title, "notification_type": notification_type}),
                None => json!({"message": message, "notification_type": notification_type}),
            },
            Self::PreCompact { trigger, custom_instructions } => {
                json!({"trigger": trigger, "custom_instructions": custom_instructions})
            }
            Self::ConfigChange { source, file_path } => match file_path {
                Some(path) => json!({"source": source, "file_path": path.to_string_lossy()}),
                None => json!({"source": source}),
            },
            Self::Other { fields, .. } => return fields.clone(),
        };
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

/// What a hook reads: the event and the session that it happens in.
#[derive(Debug, Clone, PartialEq)]
pub struct HookInput {
    /// The session.
    pub session_id: String,
    /// Where the conversation is written down, if the host does.
    pub transcript_path: PathBuf,
    /// The working directory.
    pub cwd: PathBuf,
    /// Where the project begins.
    pub project_root: PathBuf,
    /// The permission mode.
    pub permission_mode: PermissionMode,
    /// What happens.
    pub event: HookEvent,
}

impl HookInput {
    /// An event of a session as it is now.
    pub fn new(session: &Session, event: HookEvent) -> Self {
        let context = session.context();
        Self {
            session_id: session.id().to_owned(),
            transcript_path: session.transcript_path().to_owned(),
            cwd: context.policy.cwd.clone(),
            project_root: context.policy.project_root.clone(),
            permission_mode: context.policy.mode,
            event,
        }
    }

    /// The public JSON.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("session_id".to_owned(), Value::from(self.session_id.as_str()));
        fields.insert("transcript_path".to_owned(), Value::from(self.transcript_path.to_string_lossy()));
        fields.insert("cwd".to_owned(), Value::from(self.cwd.to_string_lossy()));
        fields.insert("permission_mode".to_owned(), serde_json::to_value(self.permission_mode).unwrap_or_default());
        fields.insert("hook_event_name".to_owned(), Value::from(self.event.name()));
        fields.extend(self.event.fields());
        Value::Object(fields)
    }
}
