//! The table of the contract, event by exit code by JSON: each row through the same scripts in sh, Python and Node.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolreeve::engine::Event;
use toolreeve::engine::hooks::HookEvent;
use toolreeve::permission::{Behavior, PermissionMode};

use super::{Blocks, World, repository};

/// A row; see `tests/data/hooks/README.md`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    event: String,
    exit: i32,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    matcher: Option<String>,
    r#if: Option<String>,
    mode: Option<PermissionMode>,
    allow: Option<Vec<String>>,
    #[serde(default)]
    ask: Vec<String>,
    #[serde(default)]
    deny: Vec<String>,
    text: Option<String>,
    tool: Option<String>,
    calls: Option<usize>,
    prompts: Option<usize>,
    person: Option<String>,
    raise: Option<Map<String, Value>>,
    // What is expected.
    seen: Option<Value>,
    seen_last: Option<Value>,
    #[serde(default)]
    absent: Vec<String>,
    runs: Option<usize>,
    asked: Option<usize>,
    title: Option<String>,
    result: Option<String>,
    denied: Option<String>,
    error: Option<String>,
    #[serde(default)]
    read: Vec<String>,
    #[serde(default)]
    unread: Vec<String>,
    told: Option<String>,
    failure: Option<String>,
    subtype: Option<String>,
    r#final: Option<String>,
    requests: Option<usize>,
    #[serde(default)]
    erased: bool,
    blocked: Option<String>,
    #[serde(default)]
    context: Vec<String>,
}

/// How one language's script is declared.
fn handler(language: &str) -> Value {
    let script = |name: &str| repository("tests/hooks").join(name).display().to_string();
    match language {
        "sh" => json!({"type": "command", "command": format!("sh '{}'", script("answer.sh"))}),
        "python" => {
            let command = format!("exec '{}' \"{}\"", python(), script("answer.py"));
            json!({"type": "command", "command": command, "shell": "bash"})
        }
        _ => json!({"type": "command", "command": "node", "args": [script("answer.mjs")]}),
    }
}

/// The interpreter itself: where `python3` is a script that looks for it, that takes longer than the hook.
fn python() -> &'static str {
    static PATH: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    PATH.get_or_init(|| {
        let asked = std::process::Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        String::from_utf8(asked.unwrap().stdout).unwrap().trim().to_owned()
    })
}

async fn check_all(language: &str) {
    let rows = std::fs::read_to_string(repository("tests/data/hooks/rows.jsonl")).unwrap();
    let rows: Vec<Row> =
        rows.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect();
    let count = rows.len();
    // A few at a time: most of a row is the start of an interpreter.
    let checked = stream::iter(&rows).map(|row| async move { (row, check(language, row).await) }).buffered(4);
    let checked: Vec<(&Row, Vec<String>)> = checked.collect().await;
    let wrong: Vec<String> = checked
        .into_iter()
        .filter(|(_, problems)| !problems.is_empty())
        .map(|(row, problems)| format!("{}: {}", row.name, problems.join("; ")))
        .collect();
    assert!(count >= 60, "{count} rows");
    assert!(wrong.is_empty(), "{} of {count} rows in {language}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn every_row_holds_in_sh() {
    check_all("sh").await;
}

#[tokio::test]
async fn every_row_holds_in_python() {
    check_all("python").await;
}

#[tokio::test]
async fn every_row_holds_in_node() {
    check_all("node").await;
}

/// What is not as the row says.
async fn check(language: &str, row: &Row) -> Vec<String> {
    let (calls, text) = (row.calls.unwrap_or(1), row.text.as_deref().unwrap_or("hi"));
    let mut world = match &row.tool {
        Some(tool) => World::asking(calls, tool, &json!({"command": text})),
        None => World::new(calls, text),
    };
    world.person.refuses = row.person.as_deref() == Some("deny");
    let world = Arc::new(world);
    let mut handler = handler(language);
    // No row is about time, and a busy machine may need more than the second and a half of a session's end.
    handler["timeout"] = json!(600);
    if let Some(rule) = &row.r#if {
        handler["if"] = json!(rule);
    }
    let mut group = json!({"hooks": [handler]});
    if let Some(matcher) = &row.matcher {
        group["matcher"] = json!(matcher);
    }
    let mut builder = world
        .builder(&json!({&row.event: [group]}))
        .env("HOOK_EXIT", row.exit.to_string())
        .env("HOOK_STDOUT", &row.stdout)
        .env("HOOK_STDERR", &row.stderr)
        .built_in_tools(row.tool.is_some())
        .classifier(Arc::new(Blocks));
    for rule in row.allow.clone().unwrap_or_else(|| vec!["Work".to_owned()]) {
        builder = builder.allow(rule);
    }
    builder = row.ask.iter().fold(builder, |builder, rule| builder.ask(rule));
    builder = row.deny.iter().fold(builder, |builder, rule| builder.deny(rule));
    if let Some(mode) = row.mode {
        builder = builder.mode(mode);
    }
    let agent = builder.build().unwrap();
    if let Some(fields) = &row.raise {
        let event = event_of(&row.event, fields);
        let answer = agent.raise_hook(event, &world.sink()).await;
        let verdict = answer.verdict.filter(|verdict| verdict.behavior == Behavior::Deny);
        let blocked = answer.stop.or(verdict.map(|verdict| verdict.message));
        let mut problems = general(row, &world);
        note(&mut problems, "blocked", &blocked, &row.blocked);
        note(&mut problems, "context", &answer.additional_context, &row.context);
        return problems;
    }
    for _ in 0..row.prompts.unwrap_or(1) {
        world.play(&agent).await;
    }
    agent.end_session("other", &world.sink()).await;
    let mut problems = general(row, &world);
    let messages = serde_json::to_value(agent.messages().await).unwrap().to_string();
    problems.extend(row.read.iter().filter(|text| !messages.contains(*text)).map(|text| format!("unread {text:?}")));
    problems.extend(row.unread.iter().filter(|text| messages.contains(*text)).map(|text| format!("read {text:?}")));
    if row.erased && messages.contains("go") {
        problems.push("the prompt is still there".to_owned());
    }
    problems.extend(of_run(row, &world));
    problems
}

fn event_of(name: &str, fields: &Map<String, Value>) -> HookEvent {
    let text = |field: &str| fields.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    match name {
        "PreCompact" => {
            HookEvent::PreCompact { trigger: text("trigger"), custom_instructions: text("custom_instructions") }
        }
        "ConfigChange" => HookEvent::ConfigChange {
            source: text("source"),
            file_path: fields.get("file_path").map(|_| text("file_path").into()),
        },
        "SubagentStart" => HookEvent::SubagentStart { agent_id: text("agent_id"), agent_type: text("agent_type") },
        "SubagentStop" => HookEvent::SubagentStop {
            agent_id: text("agent_id"),
            agent_type: text("agent_type"),
            stop_hook_active: false,
            agent_transcript_path: text("agent_transcript_path").into(),
            last_assistant_message: text("last_assistant_message"),
        },
        _ => HookEvent::Other { name: name.to_owned(), fields: fields.clone() },
    }
}

fn note<T: PartialEq + std::fmt::Debug>(problems: &mut Vec<String>, what: &str, found: &T, expected: &T) {
    if found != expected {
        problems.push(format!("{what}: {found:?}, not {expected:?}"));
    }
}

/// What every row says: how often the hook ran, what it read, what the person heard.
fn general(row: &Row, world: &World) -> Vec<String> {
    let mut problems = Vec::new();
    let seen = world.seen();
    match row.runs {
        Some(runs) => note(&mut problems, "runs", &seen.len(), &runs),
        None if seen.is_empty() => problems.push("the hook did not run".to_owned()),
        None => {}
    }
    for input in &seen {
        let text = |field: &str| input.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        note(&mut problems, "hook_event_name", &text("hook_event_name"), &row.event);
        note(&mut problems, "cwd", &text("cwd"), &world.path().display().to_string());
        let mode = serde_json::to_value(row.mode.unwrap_or_default()).unwrap();
        note(&mut problems, "permission_mode", &text("permission_mode"), &mode.as_str().unwrap().to_owned());
        if text("session_id").is_empty() || !text("transcript_path").ends_with(".jsonl") {
            problems.push(format!("session_id or transcript_path of {input}"));
        }
        problems.extend(row.absent.iter().filter(|field| input.get(*field).is_some()).map(|f| format!("{f} is there")));
    }
    for (expected, found) in [(&row.seen, seen.first()), (&row.seen_last, seen.last())] {
        let Some(expected) = expected.as_ref().and_then(Value::as_object) else { continue };
        for (field, value) in expected {
            note(&mut problems, field, &found.and_then(|input| input.get(field)), &Some(value));
        }
    }
    let failures = world.failures();
    match &row.failure {
        Some(text) if !failures.iter().any(|failure| failure.contains(text)) => {
            problems.push(format!("failures: {failures:?}, not {text:?}"));
        }
        None if !failures.is_empty() && row.event != "SessionEnd" => problems.push(format!("failures: {failures:?}")),
        _ => {}
    }
    problems
}

/// What a row says of a whole run.
fn of_run(row: &Row, world: &World) -> Vec<String> {
    let mut problems = Vec::new();
    if row.result.is_some() || row.denied.is_some() || row.error.is_some() {
        let (text, is_error) = world.result();
        if let Some(result) = &row.result {
            note(&mut problems, "result", &(text.clone(), is_error), &(result.clone(), false));
        }
        for part in row.denied.iter().chain(&row.error) {
            if !is_error || !text.contains(part) {
                problems.push(format!("result: {text:?}, is_error {is_error}, not {part:?}"));
            }
        }
        if row.denied.is_some() && text.contains("worked") {
            problems.push("it was run".to_owned());
        }
    }
    let asked = world.person.asked.lock().unwrap();
    if let Some(times) = row.asked {
        note(&mut problems, "asked", &asked.len(), &times);
    }
    if let Some(title) = &row.title
        && !asked.first().is_some_and(|request| request.title.contains(title))
    {
        problems.push(format!("title: {:?}", asked.first().map(|request| &request.title)));
    }
    let events = world.events();
    if let Some(told) = &row.told
        && !events.iter().any(|event| matches!(event, Event::HookMessage { message, .. } if message == told))
    {
        problems.push("the person was not told".to_owned());
    }
    let done = events.iter().rev().find_map(|event| match event {
        Event::Done { subtype, result, .. } => Some((subtype.clone(), result.clone())),
        _ => None,
    });
    let (subtype, result) = done.unwrap_or_default();
    note(&mut problems, "subtype", &subtype.as_str(), &row.subtype.as_deref().unwrap_or("success"));
    if let Some(expected) = &row.r#final {
        note(&mut problems, "final", &result, expected);
    }
    if let Some(requests) = row.requests {
        note(&mut problems, "requests", &world.model.requests.lock().unwrap().len(), &requests);
    }
    problems
}
