//! The JSON that each agent writes and wants to read. Owns the shapes and what each agent can be told; judges nothing.
//!
//! | agent | event | input | answer | cannot be told |
//! |---|---|---|---|---|
//! | Claude Code | PreToolUse | tool_name, tool_input | hookSpecificOutput.permissionDecision | - |
//! | Claude Code, Codex | PermissionRequest | the same | hookSpecificOutput.decision.behavior | ask: it is about to |
//! | Codex | PreToolUse | the same, with turn_id | the same, deny only | allow, ask: the call would go on |
//! | Gemini CLI | BeforeTool | tool_name, tool_input | decision, reason | - |
//! | Cursor | beforeShellExecution, beforeMCPExecution | command / tool_name, tool_input | permission, messages | - |
//! | Cursor | preToolUse, beforeReadFile | tool_name, tool_input / file_path | the same | ask |

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use toolreeve_permission::PermissionMode;

use super::Verdict;

/// An agent whose shapes are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agent {
    Claude,
    Codex,
    Gemini,
    Cursor,
}

/// A question that can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    PreToolUse,
    PermissionRequest,
    BeforeTool,
    CursorShell,
    CursorMcp,
    CursorRead,
    CursorTool,
}

/// Events that ask nothing about a tool; a hook that is registered for one by mistake must not disturb it.
#[rustfmt::skip] // One name a line says nothing more.
const OTHER_EVENTS: &[&str] = &[
    "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionDenied", "UserPromptSubmit", "UserPromptExpansion",
    "Stop", "StopFailure", "SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "TeammateIdle", "SessionStart",
    "SessionEnd", "Setup", "Notification", "PreCompact", "PostCompact", "ConfigChange", "InstructionsLoaded", "CwdChanged",
    "DirectoryAdded", "FileChanged", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult",
    "MessageDisplay", "PostModelSwitch", "Interrupt",
    "AfterTool", "BeforeAgent", "AfterAgent", "PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection",
    "afterShellExecution", "afterMCPExecution", "afterFileEdit", "afterAgentResponse", "afterAgentThought", "stop",
    "beforeSubmitPrompt", "sessionStart", "sessionEnd", "postToolUse", "postToolUseFailure", "subagentStart",
    "subagentStop", "preCompact", "beforeTabFileRead", "afterTabFileEdit",
];

/// A tool call that an agent asks about.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) agent: Agent,
    event: Event,
    /// The tool as the agent names it.
    pub(super) tool: String,
    /// The input of the tool.
    pub(super) input: Value,
    /// Where the agent works, if it says so. Absolute.
    pub(super) cwd: Option<PathBuf>,
    /// The root of the project, if the agent says so. Absolute.
    pub(super) root: Option<PathBuf>,
    /// The permission mode, if the agent says so.
    pub(super) mode: Option<PermissionMode>,
    /// The server and the tool of a call that goes to an MCP server.
    pub(super) mcp: Option<(&'a str, &'a str)>,
}

impl<'a> Call<'a> {
    /// Reads what an agent wrote; nothing for an event that asks nothing.
    ///
    /// # Errors
    /// If it is no shape that is known, or a field of it is missing or of the wrong type.
    pub(super) fn read(input: &'a Value, agent: Option<Agent>) -> Result<Option<Self>, String> {
        let fields = input.as_object().ok_or("the input must be a JSON object")?;
        let name = text(fields, "hook_event_name")?.ok_or("`hook_event_name` is missing")?;
        let (event, found) = match name {
            "PreToolUse" if fields.contains_key("turn_id") => (Event::PreToolUse, Agent::Codex),
            "PreToolUse" => (Event::PreToolUse, Agent::Claude),
            "PermissionRequest" if fields.contains_key("turn_id") => (Event::PermissionRequest, Agent::Codex),
            "PermissionRequest" => (Event::PermissionRequest, Agent::Claude),
            "BeforeTool" => (Event::BeforeTool, Agent::Gemini),
            "beforeShellExecution" => (Event::CursorShell, Agent::Cursor),
            "beforeMCPExecution" => (Event::CursorMcp, Agent::Cursor),
            "beforeReadFile" => (Event::CursorRead, Agent::Cursor),
            "preToolUse" => (Event::CursorTool, Agent::Cursor),
            other if OTHER_EVENTS.contains(&other) => return Ok(None),
            other => return Err(format!("the event {other:?} is not known")),
        };
        // Claude Code and Codex share their shapes; the others' events are their own.
        let agent = match (agent, found) {
            (None, found) => found,
            (Some(given @ (Agent::Claude | Agent::Codex)), Agent::Claude | Agent::Codex) => given,
            (Some(given), found) if given == found => found,
            (Some(given), found) => {
                return Err(format!("the event {name:?} is one of {found:?}, and --agent says {given:?}"));
            }
        };
        let (tool, input) = match event {
            Event::CursorShell => {
                let command = fields.get("command").ok_or("`command` is missing")?;
                ("Bash".to_owned(), json!({"command": command}))
            }
            Event::CursorRead => {
                let path = fields.get("file_path").ok_or("`file_path` is missing")?;
                ("Read".to_owned(), json!({"file_path": path}))
            }
            _ => {
                let tool =
                    text(fields, "tool_name")?.filter(|tool| !tool.is_empty()).ok_or("`tool_name` is missing")?;
                (tool.to_owned(), tool_input(fields)?)
            }
        };
        let mcp = match fields.get("mcp_context") {
            None | Some(Value::Null) => None,
            Some(Value::Object(context)) => text(context, "server_name")?.zip(text(context, "tool_name")?),
            Some(_) => return Err("`mcp_context` must be an object".to_owned()),
        };
        let mode = match text(fields, "permission_mode")? {
            None => None,
            Some(mode) => Some(crate::check::mode(&json!(mode)).map_err(|problem| problem.message)?),
        };
        let cwd = directory(fields, "cwd")?;
        let root = match fields.get("workspace_roots") {
            Some(Value::Array(roots)) => {
                roots.first().and_then(Value::as_str).map(PathBuf::from).filter(|root| root.is_absolute())
            }
            _ => None,
        };
        Ok(Some(Self { agent, event, tool, input, cwd, root, mode, mcp }))
    }

    /// Whether the agent asks the person when it is told to. Where it cannot, it would run the call.
    pub(super) fn can_ask(&self) -> bool {
        match self.event {
            // It is about to ask anyway, so saying nothing is asking.
            Event::PermissionRequest => true,
            Event::PreToolUse => self.agent != Agent::Codex,
            Event::BeforeTool | Event::CursorShell | Event::CursorMcp => true,
            Event::CursorTool | Event::CursorRead => false,
        }
    }

    /// Whether the agent has permission rules in the settings files that are read here, and trusts projects on its own.
    pub(super) fn reads_the_settings_itself(&self) -> bool {
        self.agent == Agent::Claude
    }

    /// What the agent is to read.
    pub(super) fn answer(&self, verdict: &Verdict) -> Value {
        let (word, reason) = match verdict {
            Verdict::Silent => return json!({}),
            Verdict::Allow(reason) => ("allow", reason),
            Verdict::Ask(reason) => ("ask", reason),
            Verdict::Deny(reason) => ("deny", reason),
        };
        let reason = format!("toolreeve: {}", super::excerpt(reason, 2000));
        match self.event {
            // Codex takes this for an error of the hook and goes on; saying nothing has the same effect.
            Event::PreToolUse if self.agent == Agent::Codex && word == "allow" => json!({}),
            Event::PreToolUse => json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": word,
                "permissionDecisionReason": reason,
            }}),
            Event::PermissionRequest => {
                let decision = match word {
                    "allow" => json!({"behavior": "allow"}),
                    "deny" => json!({"behavior": "deny", "message": reason}),
                    _ => return json!({}),
                };
                json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
            }
            Event::BeforeTool => {
                let mut answer = json!({"decision": word, "reason": reason});
                if word == "ask" {
                    // The person sees this one.
                    answer["systemMessage"] = json!(reason);
                }
                answer
            }
            Event::CursorShell | Event::CursorMcp | Event::CursorRead | Event::CursorTool => match word {
                "allow" => json!({"permission": "allow"}),
                word => json!({"permission": word, "user_message": reason, "agent_message": reason}),
            },
        }
    }
}

fn tool_input(fields: &Map<String, Value>) -> Result<Value, String> {
    match fields.get("tool_input") {
        Some(Value::Object(input)) => Ok(Value::Object(input.clone())),
        // Cursor writes the input of an MCP tool as a text.
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(input)) => Ok(Value::Object(input)),
            _ => Err("`tool_input` must be an object".to_owned()),
        },
        Some(_) => Err("`tool_input` must be an object".to_owned()),
        None => Err("`tool_input` is missing".to_owned()),
    }
}

fn directory(fields: &Map<String, Value>, name: &str) -> Result<Option<PathBuf>, String> {
    match text(fields, name)?.filter(|path| !path.is_empty()) {
        None => Ok(None),
        Some(path) if Path::new(path).is_absolute() && !path.contains('\0') => Ok(Some(PathBuf::from(path))),
        Some(path) => Err(format!("`{name}` is {path:?}, which is not an absolute path")),
    }
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` must be a string")),
    }
}
