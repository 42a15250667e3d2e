//! A recorded model fixes a failing test: the main job of toolreeve, driven from Rust.
//!
//! usage: `fix_failing_test RECORDING WORKSPACE [RESULTS]`. RECORDING is `examples/fix_failing_test`, WORKSPACE a copy of
//! its project (see `prepare.py`), RESULTS a file for the tool results as JSON. The same program exists in Python, C and
//! C++.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use toolreeve::engine::host::{HostError, PermissionPrompt, PromptAnswer, PromptRequest};
use toolreeve::engine::{Event, ToolResult};
use toolreeve::permission::RuleSource;
use toolreeve::{AgentBuilder, RecordedModel, Settings};

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

/// The recorded turns of a folder, in order.
fn turns(recording: &Path) -> Vec<PathBuf> {
    (1..).map(|turn| recording.join(format!("turn-{turn}.sse"))).take_while(|path| path.exists()).collect()
}

fn agent(recording: &Path, workspace: &Path) -> Result<toolreeve::Agent, Box<dyn Error>> {
    let pace: Value = serde_json::from_str(&std::fs::read_to_string(recording.join("pace.json"))?)?;
    let pace = Duration::from_millis(pace["milliseconds_per_event"].as_u64().unwrap_or_default());
    let model = RecordedModel::from_files(turns(recording))?.pace(pace);
    let settings = Settings::from_file(&recording.join("settings.json"))?;
    let agent = AgentBuilder::new(Arc::new(model))
        .cwd(workspace)
        .settings(&settings, RuleSource::FlagSettings)
        .permission_prompt(Arc::new(Person))
        .build()?;
    Ok(agent)
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
