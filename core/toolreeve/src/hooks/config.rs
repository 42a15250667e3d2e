//! The `hooks` object of the settings files: its typed form, and what is wrong with it. Owns reading, never running.
//!
//! One entry that is not usable is reported with its place and what would be right; it never disables the others.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};
use toolreeve_engine::hooks::{event_info, nearest_event, nearest_name};
use toolreeve_permission::{Rule, RuleSource};

use super::matcher::Matcher;

/// The hooks of all settings files together, in the order in which they were read.
///
/// ```
/// use serde_json::json;
/// use toolreeve::hooks::HooksConfig;
/// use toolreeve::permission::RuleSource;
///
/// let json = json!({
///     "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}],
///     "PreTooluse": [],
/// });
/// let (config, problems) = HooksConfig::from_json(&json, RuleSource::UserSettings);
/// assert_eq!(config.hooks.len(), 1);
/// assert_eq!(problems[0].to_string(), "hooks.PreTooluse: there is no such event; did you mean PreToolUse?");
/// ```
#[derive(Debug, Clone, Default)]
pub struct HooksConfig {
    /// Every handler with its event and matcher.
    pub hooks: Vec<HookDeclaration>,
}

/// One handler of one event.
#[derive(Debug, Clone)]
pub struct HookDeclaration {
    /// The event's name.
    pub event: String,
    /// What it wants to hear of.
    pub matcher: Matcher,
    /// What is run.
    pub handler: Handler,
    /// A permission rule that the call must match; on events without a tool the hook never runs.
    pub condition: Option<Rule>,
    /// How long it may take; `None` is the default of its kind and event.
    pub timeout: Option<Duration>,
    /// What hosts may show while it runs.
    pub status_message: Option<String>,
    /// Whether it runs only the first time in a session.
    pub once: bool,
    /// Which settings it stands in.
    pub source: RuleSource,
}

/// What a hook runs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Handler {
    /// A program. Its input comes on stdin; its exit code and its stdout are the answer.
    Command {
        /// The text for the shell, or the program if `args` are given.
        command: String,
        /// The arguments: the program is started directly, without a shell.
        args: Option<Vec<String>>,
        /// Which shell.
        shell: HookShell,
        /// Whether it runs in the background: nobody waits, and it decides nothing.
        is_async: bool,
        /// In the background, but exit code 2 gives its stderr to the model.
        async_rewake: bool,
    },
    /// A POST of the input; the body of the response is the answer.
    Http {
        /// Where to.
        url: String,
        /// Further headers; `$NAME` and `${NAME}` stand for variables of `allowed_env_vars`.
        headers: Vec<(String, String)>,
        /// The variables that headers may use; others are empty.
        allowed_env_vars: Vec<String>,
    },
    /// A tool of an MCP server; its text is the answer.
    McpTool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The input; `${path}` stands for a value of the hook's input.
        input: Value,
    },
    /// A question to a model.
    Prompt {
        /// The question; `$ARGUMENTS` stands for the hook's input.
        prompt: String,
        /// Which model.
        model: Option<String>,
        /// Whether the work goes on after a block, with the reason for the model.
        continue_on_block: bool,
    },
    /// A question to an agent that may look around.
    Agent {
        /// The question; `$ARGUMENTS` stands for the hook's input.
        prompt: String,
        /// Which model.
        model: Option<String>,
    },
}

/// The shell of a command in shell form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HookShell {
    /// `sh -c`: nothing was said.
    #[default]
    Sh,
    /// `bash -c`.
    Bash,
    /// `pwsh -Command`.
    PowerShell,
}

/// Something in the `hooks` object that is not usable, or is not what it seems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookProblem {
    /// Where it stands, for example `hooks.PreToolUse[0].hooks[1].timeout`.
    pub field: String,
    /// What is wrong and what would be right.
    pub message: String,
    /// Whether a hook is missing because of it.
    pub drops_hook: bool,
    /// Which settings it stands in.
    pub source: RuleSource,
}

impl fmt::Display for HookProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl HooksConfig {
    /// Reads the value of the `hooks` key of one settings file. What is not usable is left out and reported.
    pub fn from_json(value: &Value, source: RuleSource) -> (Self, Vec<HookProblem>) {
        let mut reader = Reader { config: Self::default(), problems: Vec::new(), source };
        reader.events(value);
        (reader.config, reader.problems)
    }

    /// Adds the hooks of another file behind these: files merge, none replaces another.
    pub fn extend(&mut self, other: Self) {
        self.hooks.extend(other.hooks);
    }

    /// Keeps the hooks of these sources only, for example those of the organisation.
    pub fn retain_sources(&mut self, keep: impl Fn(RuleSource) -> bool) {
        self.hooks.retain(|hook| keep(hook.source));
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }
}

impl HookDeclaration {
    /// How long it may take.
    pub fn time_limit(&self) -> Duration {
        self.timeout.unwrap_or_else(|| default_timeout(&self.handler, &self.event))
    }
}

/// The limits of the public contract.
fn default_timeout(handler: &Handler, event: &str) -> Duration {
    match handler {
        Handler::Prompt { .. } => Duration::from_secs(30),
        Handler::Agent { .. } => Duration::from_secs(60),
        Handler::Command { .. } | Handler::Http { .. } | Handler::McpTool { .. } => match event {
            "UserPromptSubmit" => Duration::from_secs(30),
            "MessageDisplay" => Duration::from_secs(10),
            "SessionEnd" => Duration::from_millis(1500),
            _ => Duration::from_secs(600),
        },
    }
}

/// The longest time limit: a number beyond it would be out of the clock's range.
const MAX_TIMEOUT_SECONDS: f64 = 86_400.0 * 7.0;

const COMMON_FIELDS: [&str; 5] = ["type", "if", "timeout", "statusMessage", "once"];
const GROUP_FIELDS: [&str; 2] = ["matcher", "hooks"];
const TYPES: [&str; 5] = ["command", "http", "mcp_tool", "prompt", "agent"];

fn own_fields(kind: &str) -> &'static [&'static str] {
    match kind {
        "command" => &["command", "args", "async", "asyncRewake", "shell"],
        "http" => &["url", "headers", "allowedEnvVars"],
        "mcp_tool" => &["server", "tool", "input"],
        "prompt" => &["prompt", "model", "continueOnBlock"],
        _ => &["prompt", "model"],
    }
}

struct Reader {
    config: HooksConfig,
    problems: Vec<HookProblem>,
    source: RuleSource,
}

impl Reader {
    fn report(&mut self, field: &str, message: impl Into<String>, drops_hook: bool) {
        let (field, message, source) = (field.to_owned(), message.into(), self.source);
        self.problems.push(HookProblem { field, message, drops_hook, source });
    }

    fn events(&mut self, value: &Value) {
        let Value::Object(events) = value else {
            let message =
                format!("give an object of events, as in {{\"PreToolUse\": […]}}; this is {}", kind_of(value));
            return self.report("hooks", message, true);
        };
        for (event, groups) in events {
            let place = format!("hooks.{event}");
            if event_info(event).is_none() {
                let message = format!("there is no such event; did you mean {}?", nearest_event(event));
                self.report(&place, message, has_handlers(groups));
                continue;
            }
            let Value::Array(groups) = groups else {
                let message = format!("give a list of {{\"matcher\", \"hooks\"}} objects; this is {}", kind_of(groups));
                self.report(&place, message, true);
                continue;
            };
            for (at, group) in groups.iter().enumerate() {
                self.group(event, group, &format!("{place}[{at}]"));
            }
        }
    }

    fn group(&mut self, event: &str, group: &Value, place: &str) {
        let Value::Object(fields) = group else {
            let message = format!("give an object with `hooks` and perhaps `matcher`; this is {}", kind_of(group));
            return self.report(place, message, true);
        };
        self.unknown_fields(fields, &[&GROUP_FIELDS], place);
        let Ok(matcher) = self.text(fields, "matcher", place) else { return };
        let matcher = match Matcher::parse(matcher.as_deref(), event) {
            Ok(matcher) => matcher,
            Err(problem) => return self.report(&format!("{place}.matcher"), problem, true),
        };
        let handlers = match fields.get("hooks") {
            Some(Value::Array(handlers)) => handlers,
            Some(other) => {
                let message = format!("give a list of handlers; this is {}", kind_of(other));
                return self.report(&format!("{place}.hooks"), message, true);
            }
            None => return self.report(place, "`hooks` is missing: a list of handlers", true),
        };
        for (at, handler) in handlers.iter().enumerate() {
            let place = format!("{place}.hooks[{at}]");
            if let Some(mut hook) = self.handler(event, handler, &place) {
                hook.matcher = matcher.clone();
                self.config.hooks.push(hook);
            }
        }
    }

    fn handler(&mut self, event: &str, handler: &Value, place: &str) -> Option<HookDeclaration> {
        let Value::Object(fields) = handler else {
            let message = format!("give an object with `type`; this is {}", kind_of(handler));
            self.report(place, message, true);
            return None;
        };
        let kind = match fields.get("type") {
            Some(Value::String(kind)) if TYPES.contains(&kind.as_str()) => kind.as_str(),
            Some(Value::String(other)) => {
                let nearest = nearest_name(other, TYPES).unwrap_or("command");
                let message =
                    format!("there is no type {other:?}; write one of {}. Did you mean {nearest:?}?", TYPES.join(", "));
                self.report(&format!("{place}.type"), message, true);
                return None;
            }
            Some(other) => {
                let message = format!("give one of {}; this is {}", TYPES.join(", "), kind_of(other));
                self.report(&format!("{place}.type"), message, true);
                return None;
            }
            None => {
                self.report(place, format!("`type` is missing; write one of {}", TYPES.join(", ")), true);
                return None;
            }
        };
        self.unknown_fields(fields, &[&COMMON_FIELDS, own_fields(kind)], place);
        let handler = match kind {
            "command" => self.command(fields, place),
            "http" => self.http(fields, place),
            "mcp_tool" => self.mcp_tool(fields, place),
            _ => self.question(kind, fields, place),
        }
        .ok()?;
        let condition = match self.text(fields, "if", place).ok()? {
            None => None,
            Some(rule) => match Rule::parse(&rule) {
                Ok(rule) => Some(rule),
                Err(error) => {
                    self.report(&format!("{place}.if"), error.to_string(), true);
                    return None;
                }
            },
        };
        if condition.is_some() && event_info(event).is_some_and(|event| event.matcher_field != Some("tool_name")) {
            let message = format!("{event} is about no tool, so this hook never runs; leave `if` out");
            self.report(&format!("{place}.if"), message, true);
        }
        Some(HookDeclaration {
            event: event.to_owned(),
            matcher: Matcher::All,
            handler,
            condition,
            timeout: self.timeout(fields, place),
            status_message: self.text(fields, "statusMessage", place).ok().flatten(),
            once: self.flag(fields, "once", place),
            source: self.source,
        })
    }

    fn command(&mut self, fields: &Map<String, Value>, place: &str) -> Result<Handler, ()> {
        let command = self.required(fields, "command", place)?;
        let shell = match self.text(fields, "shell", place)?.as_deref() {
            None => HookShell::Sh,
            Some("bash") => HookShell::Bash,
            Some("powershell") => HookShell::PowerShell,
            Some(other) => {
                let message = format!("there is no shell {other:?}; write \"bash\" or \"powershell\"");
                self.report(&format!("{place}.shell"), message, true);
                return Err(());
            }
        };
        let async_rewake = self.flag(fields, "asyncRewake", place);
        Ok(Handler::Command {
            command,
            args: self.texts(fields, "args", place)?,
            shell,
            is_async: self.flag(fields, "async", place) || async_rewake,
            async_rewake,
        })
    }

    fn http(&mut self, fields: &Map<String, Value>, place: &str) -> Result<Handler, ()> {
        let url = self.required(fields, "url", place)?;
        if !url.starts_with("http://") && !url.starts_with("https://") {
            self.report(&format!("{place}.url"), format!("{url:?} does not begin with http:// or https://"), true);
            return Err(());
        }
        let mut headers = Vec::new();
        match fields.get("headers") {
            None | Some(Value::Null) => {}
            Some(Value::Object(map)) => {
                for (name, value) in map {
                    let Value::String(value) = value else {
                        let message = format!("give a string; this is {}", kind_of(value));
                        self.report(&format!("{place}.headers.{name}"), message, true);
                        return Err(());
                    };
                    headers.push((name.clone(), value.clone()));
                }
            }
            Some(other) => {
                let message = format!("give an object of strings; this is {}", kind_of(other));
                self.report(&format!("{place}.headers"), message, true);
                return Err(());
            }
        }
        let allowed_env_vars = self.texts(fields, "allowedEnvVars", place)?.unwrap_or_default();
        Ok(Handler::Http { url, headers, allowed_env_vars })
    }

    fn mcp_tool(&mut self, fields: &Map<String, Value>, place: &str) -> Result<Handler, ()> {
        let (server, tool) = (self.required(fields, "server", place)?, self.required(fields, "tool", place)?);
        let input = match fields.get("input") {
            None | Some(Value::Null) => Value::Object(Map::new()),
            Some(input @ Value::Object(_)) => input.clone(),
            Some(other) => {
                let message = format!("give an object; this is {}", kind_of(other));
                self.report(&format!("{place}.input"), message, true);
                return Err(());
            }
        };
        Ok(Handler::McpTool { server, tool, input })
    }

    fn question(&mut self, kind: &str, fields: &Map<String, Value>, place: &str) -> Result<Handler, ()> {
        let prompt = self.required(fields, "prompt", place)?;
        let model = self.text(fields, "model", place)?;
        Ok(match kind {
            "agent" => Handler::Agent { prompt, model },
            _ => {
                let continue_on_block = self.flag(fields, "continueOnBlock", place);
                Handler::Prompt { prompt, model, continue_on_block }
            }
        })
    }

    /// A time limit that is none is reported, and the default holds.
    fn timeout(&mut self, fields: &Map<String, Value>, place: &str) -> Option<Duration> {
        let value = fields.get("timeout").filter(|value| !value.is_null())?;
        match value.as_f64() {
            Some(seconds) if seconds > 0.0 => Some(Duration::from_secs_f64(seconds.min(MAX_TIMEOUT_SECONDS))),
            Some(_) => {
                self.report(&format!("{place}.timeout"), "give a number of seconds above 0; the default holds", false);
                None
            }
            None => {
                let message = format!("give a number of seconds; this is {}; the default holds", kind_of(value));
                self.report(&format!("{place}.timeout"), message, false);
                None
            }
        }
    }

    fn flag(&mut self, fields: &Map<String, Value>, name: &str, place: &str) -> bool {
        match fields.get(name) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                let message = format!("give true or false; this is {}; false holds", kind_of(other));
                self.report(&format!("{place}.{name}"), message, false);
                false
            }
        }
    }

    fn required(&mut self, fields: &Map<String, Value>, name: &str, place: &str) -> Result<String, ()> {
        match self.text(fields, name, place)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => {
                self.report(&format!("{place}.{name}"), "it is empty", true);
                Err(())
            }
            None => {
                self.report(place, format!("`{name}` is missing"), true);
                Err(())
            }
        }
    }

    fn text(&mut self, fields: &Map<String, Value>, name: &str, place: &str) -> Result<Option<String>, ()> {
        match fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => {
                self.report(&format!("{place}.{name}"), format!("give a string; this is {}", kind_of(other)), true);
                Err(())
            }
        }
    }

    fn texts(&mut self, fields: &Map<String, Value>, name: &str, place: &str) -> Result<Option<Vec<String>>, ()> {
        let items = match fields.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Array(items)) => items,
            Some(other) => {
                let message = format!("give a list of strings; this is {}", kind_of(other));
                self.report(&format!("{place}.{name}"), message, true);
                return Err(());
            }
        };
        let mut texts = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let Value::String(text) = item else {
                let message = format!("give a string; this is {}", kind_of(item));
                self.report(&format!("{place}.{name}[{at}]"), message, true);
                return Err(());
            };
            texts.push(text.clone());
        }
        Ok(Some(texts))
    }

    /// A field that is not known may be a slip of the pen: it is reported, and the hook stays.
    fn unknown_fields(&mut self, fields: &Map<String, Value>, known: &[&[&str]], place: &str) {
        let known: Vec<&str> = known.concat();
        for name in fields.keys().filter(|name| !known.contains(&name.as_str())) {
            let message = format!("there is no such field here, and it has no effect; there are {}", known.join(", "));
            self.report(&format!("{place}.{name}"), message, false);
        }
    }
}

/// Whether something would have been run.
fn has_handlers(groups: &Value) -> bool {
    groups.as_array().is_none_or(|groups| !groups.is_empty())
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_usable_is_named_and_the_others_stay() {
        #[derive(serde::Deserialize)]
        struct Row {
            name: String,
            hooks: Value,
            kept: usize,
            /// The problems word for word.
            problems: Option<Vec<String>>,
            /// How they begin.
            contains: Option<Vec<String>>,
        }
        for line in include_str!("../../../../tests/data/hooks/config.jsonl").lines() {
            let row: Row = serde_json::from_str(line).unwrap();
            let (config, problems) = HooksConfig::from_json(&row.hooks, RuleSource::UserSettings);
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            assert_eq!(config.hooks.len(), row.kept, "{}: {problems:#?}", row.name);
            if let Some(expected) = row.problems {
                assert_eq!(problems, expected, "{}", row.name);
            }
            for (at, expected) in row.contains.unwrap_or_default().iter().enumerate() {
                assert!(problems[at].starts_with(expected), "{}: {problems:#?}", row.name);
            }
        }
    }

    #[test]
    fn time_limits_depend_on_kind_and_event() {
        let limit = |event: &str, handler: Value| {
            let (config, _) =
                HooksConfig::from_json(&serde_json::json!({event: [{"hooks": [handler]}]}), RuleSource::UserSettings);
            config.hooks[0].time_limit().as_millis()
        };
        let command = serde_json::json!({"type": "command", "command": "a"});
        assert_eq!(limit("PreToolUse", command.clone()), 600_000);
        assert_eq!(limit("UserPromptSubmit", command.clone()), 30_000);
        assert_eq!(limit("SessionEnd", command), 1_500);
        assert_eq!(limit("Stop", serde_json::json!({"type": "prompt", "prompt": "a"})), 30_000);
        assert_eq!(limit("Stop", serde_json::json!({"type": "agent", "prompt": "a"})), 60_000);
        assert_eq!(limit("Stop", serde_json::json!({"type": "http", "url": "http://a", "timeout": 0.25})), 250);
    }
}
