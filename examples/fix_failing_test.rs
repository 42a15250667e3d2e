//! A recorded model fixes a failing test: the main job of toolreeve, driven from Rust.
//!
//! usage: `fix_failing_test RECORDING WORKSPACE [RESULTS]`. RECORDING is `examples/fix_failing_test`, WORKSPACE a copy of
//! its project (see `prepare.py`), RESULTS a file for the tool results as JSON. The same program exists in Python, C and
//! C++.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::Value;
use toolreeve::engine::host::{
    HostError, ModelChunk, ModelChunks, ModelRequest, ModelStream, PermissionPrompt, PromptAnswer, PromptRequest,
};
use toolreeve::engine::{CancelToken, Event, ToolResult};
use toolreeve::{AgentBuilder, BuildError};

/// Plays `turn-1.sse`, `turn-2.sse` and so on, one for each request, event by event.
struct Recording {
    folder: PathBuf,
    pace: Duration,
    turn: AtomicUsize,
}

impl ModelStream for Recording {
    fn open(&self, _: ModelRequest, _: CancelToken) -> BoxFuture<'_, Result<ModelChunks, HostError>> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) + 1;
        let path = self.folder.join(format!("turn-{turn}.sse"));
        let pace = self.pace;
        async move {
            let text = tokio::fs::read_to_string(&path)
                .await
                .map_err(|error| HostError::new(format!("{}: {error}", path.display())))?;
            let events: Vec<String> = text.split_inclusive("\n\n").map(str::to_owned).collect();
            let chunks = stream::iter(events).then(move |event| async move {
                tokio::time::sleep(pace).await;
                Ok(ModelChunk::Bytes(event.into_bytes()))
            });
            Ok(chunks.boxed())
        }
        .boxed()
    }
}

/// The person: runs of the project's tests are fine, nothing else is.
struct Person;

impl PermissionPrompt for Person {
    fn ask(&self, request: PromptRequest) -> BoxFuture<'_, Result<PromptAnswer, HostError>> {
        let is_test_run = request.tool_name == "Bash" && request.input["command"] == "python3 run_tests.py";
        let answer = match is_test_run {
            true => PromptAnswer::allow_once(),
            false => PromptAnswer::deny("Only the project's tests may be run."),
        };
        std::future::ready(Ok(answer)).boxed()
    }
}

fn read_json(path: &Path) -> Result<Value, Box<dyn Error>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// The strings of a list in JSON.
fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn agent(recording: &Path, workspace: &Path) -> Result<toolreeve::Agent, Box<dyn Error>> {
    let pace = read_json(&recording.join("pace.json"))?["milliseconds_per_event"].as_u64().unwrap_or_default();
    let settings = read_json(&recording.join("settings.json"))?;
    let model =
        Recording { folder: recording.to_owned(), pace: Duration::from_millis(pace), turn: AtomicUsize::new(0) };
    let mut builder = AgentBuilder::new(Arc::new(model)).cwd(workspace).permission_prompt(Arc::new(Person));
    for rule in strings(&settings["permissions"]["allow"]) {
        builder = builder.allow(rule);
    }
    for rule in strings(&settings["permissions"]["deny"]) {
        builder = builder.deny(rule);
    }
    builder.build().map_err(|error: BuildError| error.into())
}

/// One line for an event; `None` for those that only matter to machines.
fn describe(event: &Event) -> Option<String> {
    Some(match event {
        Event::TurnStart { turn } => format!("-- turn {turn}"),
        Event::ToolUse { id, name, input, .. } => format!("{id} asks for {name} {input}"),
        Event::ToolStart { id, while_streaming } => {
            let when = if *while_streaming { "while the model still streams" } else { "after the stream" };
            format!("{id} starts {when}")
        }
        Event::Permission { id, decision } => {
            format!("{id} {}: {}", decision["behavior"], decision["reason"]["message"])
        }
        Event::ToolResult { result, .. } => {
            let mark = if result.is_error { "failed" } else { "done" };
            format!("{} {mark}: {}", result.tool_use_id, result.text().lines().next().unwrap_or_default())
        }
        Event::Error { kind, message } => format!("error {kind}: {message}"),
        Event::Done { subtype, turns, .. } => format!("-- {subtype} after {turns} turns"),
        _ => return None,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [recording, workspace, rest @ ..] = args.as_slice() else {
        return Err("usage: fix_failing_test RECORDING WORKSPACE [RESULTS]".into());
    };
    let agent = agent(recording, workspace)?;
    let prompt = std::fs::read_to_string(recording.join("prompt.txt"))?;

    let start = Instant::now();
    let mut results: Vec<ToolResult> = Vec::new();
    let mut outcome = String::new();
    let mut run = agent.run(prompt.trim());
    while let Some(event) = run.next().await {
        if let Some(line) = describe(&event) {
            println!("{:7.3} s  {line}", start.elapsed().as_secs_f64());
        }
        match event {
            Event::ToolResult { result, .. } => results.push(result),
            Event::Done { subtype, result, .. } => {
                println!("\n{result}");
                outcome = subtype;
            }
            _ => {}
        }
    }
    if let Some(file) = rest.first() {
        std::fs::write(file, serde_json::to_string_pretty(&results)?)?;
    }
    if outcome == "success" { Ok(()) } else { Err(format!("the run ended with {outcome}").into()) }
}
