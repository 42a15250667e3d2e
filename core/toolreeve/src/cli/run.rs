//! `toolreeve run`: plays recorded answers against a folder, prints events as they happen and a time line at the end.

use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::Value;
use toolreeve_engine::host::{HostError, PermissionPrompt, PromptAnswer, PromptRequest};
use toolreeve_engine::{ContentBlock, Event, EventSink, RenderNode, sanitize};
use toolreeve_permission::{Behavior, OwnCheck, PermissionMode, Policy, Query, RuleSource, Subject, evaluate};

use super::timeline::Timeline;
use super::{EXIT_DATA, complain};
use crate::{AgentBuilder, RecordedModel, Settings};

/// Of a long result this many lines are printed.
const SHOWN_LINES: usize = 12;

/// The arguments of `toolreeve run`.
#[derive(Args)]
pub(super) struct RunArgs {
    /// Recorded answers in the order of the requests: server-sent events of the Anthropic Messages API
    #[arg(required = true)]
    streams: Vec<PathBuf>,
    /// The folder to work in
    #[arg(long, default_value = ".")]
    cwd: PathBuf,
    /// A settings file with permissions
    #[arg(long)]
    settings: Option<PathBuf>,
    /// A rule that allows; may be given more than once
    #[arg(long)]
    allow: Vec<String>,
    /// A rule that asks
    #[arg(long)]
    ask: Vec<String>,
    /// A rule that denies
    #[arg(long)]
    deny: Vec<String>,
    /// The permission mode, for example acceptEdits
    #[arg(long)]
    mode: Option<String>,
    /// Answer "yes" when a call that this rule covers is asked about; anything else is asked at the terminal, or refused
    /// where there is none
    #[arg(long)]
    approve: Vec<String>,
    /// The prompt that the recording answers
    #[arg(long, default_value = "(recorded)")]
    prompt: String,
    /// Milliseconds before each event of the stream: a number, or a JSON file with `milliseconds_per_event`
    #[arg(long)]
    pace: Option<String>,
    /// Print the events as JSON lines instead
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: RunArgs) -> u8 {
    let prompt = args.prompt.clone();
    let json = args.json;
    let agent = match build(args) {
        Ok(agent) => agent,
        Err(error) => {
            complain(error);
            return EXIT_DATA;
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(error);
            return 1;
        }
    };
    runtime.block_on(async {
        let mut printer = Printer { json, began: Instant::now(), timeline: Timeline::default(), at_line_start: true };
        let mut run = agent.run(prompt);
        let mut succeeded = false;
        while let Some(event) = run.next().await {
            if let Event::Done { subtype, .. } = &event {
                succeeded = subtype == "success";
            }
            if printer.print(&event).is_err() {
                // Nobody reads any more, as with `| head`.
                return 1;
            }
        }
        agent.end_session("other", &EventSink::none()).await;
        u8::from(!succeeded)
    })
}

fn build(args: RunArgs) -> Result<crate::Agent, Box<dyn std::error::Error>> {
    let pace = args.pace.as_deref().map_or(Ok(Duration::ZERO), parse_pace)?;
    for path in &args.streams {
        // The error of a missing file should name it.
        std::fs::metadata(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    }
    let model = RecordedModel::from_files(&args.streams)?.pace(pace);
    let mut builder = AgentBuilder::new(Arc::new(model)).cwd(args.cwd);
    if let Some(path) = &args.settings {
        builder = builder.settings(&Settings::from_file(path)?, RuleSource::FlagSettings);
    }
    if let Some(mode) = args.mode {
        let mode = PermissionMode::deserialize(Value::String(mode.clone()))
            .map_err(|error| format!("--mode {mode}: {error}"))?;
        builder = builder.mode(mode);
    }
    builder = args.allow.into_iter().fold(builder, AgentBuilder::allow);
    builder = args.ask.into_iter().fold(builder, AgentBuilder::ask);
    builder = args.deny.into_iter().fold(builder, AgentBuilder::deny);
    let mut approved = Policy::default();
    for rule in &args.approve {
        approved.add(Behavior::Allow, rule, RuleSource::CliArg)?;
    }
    Ok(builder.permission_prompt(Arc::new(Person { approved })).build()?)
}

fn parse_pace(text: &str) -> Result<Duration, String> {
    #[derive(Deserialize)]
    struct Pace {
        milliseconds_per_event: u64,
    }
    if let Ok(milliseconds) = text.parse() {
        return Ok(Duration::from_millis(milliseconds));
    }
    let error = |error: &dyn std::fmt::Display| format!("--pace {text}: {error}");
    let json = std::fs::read_to_string(text).map_err(|e| error(&e))?;
    let pace: Pace = serde_json::from_str(&json).map_err(|e| error(&e))?;
    Ok(Duration::from_millis(pace.milliseconds_per_event))
}

/// Answers permission questions: from the rules given at the start, else from whoever sits at the terminal.
struct Person {
    approved: Policy,
}

impl PermissionPrompt for Person {
    fn ask(&self, request: PromptRequest) -> BoxFuture<'_, Result<PromptAnswer, HostError>> {
        async move {
            if self.is_approved(&request) {
                return Ok(PromptAnswer::allow_once());
            }
            if !std::io::stdin().is_terminal() {
                return Ok(PromptAnswer::deny("nobody is at the terminal to approve it"));
            }
            tokio::task::spawn_blocking(move || ask_at_terminal(&request))
                .await
                .map_err(|error| HostError::new(error.to_string()))?
                .map_err(|error| HostError::new(error.to_string()))
        }
        .boxed()
    }
}

impl Person {
    fn is_approved(&self, request: &PromptRequest) -> bool {
        let command = request.input.get("command").and_then(Value::as_str);
        let analysis = command.map(|command| toolreeve_shell::analyze(command, toolreeve_shell::Shell::Bash));
        let query = Query {
            tool: &request.tool_name,
            input: &request.input,
            subject: analysis.as_ref().map_or(Subject::None, Subject::Command),
            read_only: false,
            edits_files: false,
            requires_interaction: false,
            hook: None,
            own: OwnCheck::Pass,
        };
        evaluate(&self.approved, &query).behavior == Behavior::Allow
    }
}

fn ask_at_terminal(request: &PromptRequest) -> std::io::Result<PromptAnswer> {
    let mut err = std::io::stderr().lock();
    writeln!(err, "\n{}\n{}", request.title, request.render.to_plain_text())?;
    for warning in &request.destructive_warnings {
        writeln!(err, "warning: {}", sanitize(warning))?;
    }
    let always = request.suggestions.first();
    match always {
        Some(rule) => write!(err, "Allow? [y]es, [a]lways ({}), [n]o: ", sanitize(rule))?,
        None => write!(err, "Allow? [y]es, [n]o: ")?,
    }
    err.flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(match (line.trim().to_ascii_lowercase().as_str(), always) {
        ("y" | "yes", _) => PromptAnswer::allow_once(),
        ("a" | "always", Some(rule)) => PromptAnswer::Allow {
            updated_input: None,
            rules: vec![rule.clone()],
            destination: toolreeve_engine::host::RuleDestination::Session,
        },
        _ => PromptAnswer::deny(""),
    })
}

struct Printer {
    json: bool,
    began: Instant,
    timeline: Timeline,
    at_line_start: bool,
}

impl Printer {
    fn print(&mut self, event: &Event) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            serde_json::to_writer(&mut out, event)?;
            writeln!(out)?;
            return out.flush();
        }
        let now = self.began.elapsed();
        self.timeline.take(event, now);
        if let Event::TextDelta { text } = event {
            let text = sanitize(text);
            write!(out, "{text}")?;
            self.at_line_start = text.ends_with('\n');
            return out.flush();
        }
        let Some(text) = in_words(event) else { return Ok(()) };
        if !self.at_line_start {
            writeln!(out)?;
        }
        self.at_line_start = true;
        let stamp = format!("{:>7.3}s ", now.as_secs_f64());
        for (at, line) in text.lines().enumerate() {
            writeln!(out, "{}{line}", if at == 0 { &stamp } else { "         " })?;
        }
        if matches!(event, Event::Done { .. }) {
            write!(out, "{}", self.timeline)?;
        }
        out.flush()
    }
}

/// The event as the command shows it; `None` for those it does not show.
fn in_words(event: &Event) -> Option<String> {
    Some(match event {
        Event::TurnStart { turn } => format!("── request {turn} to the model"),
        Event::ToolUse { name, render, .. } => {
            format!("→ {}", render.as_ref().map_or_else(|| sanitize(name), RenderNode::to_plain_text))
        }
        Event::ToolStart { id, while_streaming: true } => format!("  {id} starts while the model still streams"),
        Event::ToolStart { id, .. } => format!("  {id} starts"),
        Event::ToolProgress { data, .. } => {
            let text = data.get("text").and_then(Value::as_str)?;
            format!("  ┊ {}", sanitize(text.trim_end()).replace('\n', "\n  ┊ "))
        }
        Event::Permission { decision, .. } => {
            let field = |name| decision.pointer(name).and_then(Value::as_str).unwrap_or_default();
            format!("? {}: {}", field("/behavior"), sanitize(field("/reason/message")))
        }
        Event::ToolResult { result, render, .. } => {
            let mark = if result.is_error { "✗" } else { "✓" };
            let text = match render {
                Some(node) => node.to_plain_text(),
                None => sanitize(&result.content.iter().filter_map(ContentBlock::as_text).collect::<String>()),
            };
            format!("{mark} {} {}", result.tool_use_id, shortened(&text))
        }
        Event::HookMessage { event, message, .. } => format!("  {event} hook: {}", sanitize(message)),
        Event::Error { kind, message } => format!("! {kind}: {}", sanitize(message)),
        Event::Tombstone { tool_use_ids } => format!("  void: {}", tool_use_ids.join(", ")),
        Event::Done { subtype, turns, .. } => format!("── done: {subtype}, {turns} requests"),
        _ => return None,
    })
}

fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= SHOWN_LINES {
        return lines.join("\n");
    }
    format!("{}\n… {} more lines", lines[..SHOWN_LINES].join("\n"), lines.len() - SHOWN_LINES)
}
