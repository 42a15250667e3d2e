//! What one call costs: pushes N calls of a tool that does nothing through the streaming executor, beside the floor
//! (the same number of tasks in a tokio `JoinSet`). Made to be counted from outside, for example by callgrind:
//! `scripts/bench_pipeline.sh` runs it for two N and divides the difference.
//!
//! Usage: `pipeline MODE N`. It prints the number of results and the peak of the resident memory.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use toolreeve_engine::host::Host;
use toolreeve_engine::{
    CallContext, CancelToken, ContentBlock, Context, EventSink, Origin, Pipeline, PoolOptions, RequestedCall, Session,
    StreamingExecutor, Tool, ToolError, ToolOutput, ToolRegistry, ToolUse, assemble_pool, erase,
};
use toolreeve_permission::{Behavior, RuleSource};

const MODES: &str = "one of: empty, fields, one-by-one, exclusive, silent, rules, requests, joinset";

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(default)]
#[derive(Default)]
struct Nothing {}

/// Takes `{}` and does nothing.
struct Idle;

impl Tool for Idle {
    type Input = Nothing;
    type Output = ();
    fn name(&self) -> &str {
        "Idle"
    }
    fn description(&self) -> &str {
        "Does nothing."
    }
    fn is_concurrency_safe(&self, _: &Nothing) -> bool {
        true
    }
    fn is_read_only(&self, _: &Nothing) -> bool {
        true
    }
    async fn call(&self, _: &Nothing, _: &CallContext) -> Result<ToolOutput<()>, ToolError> {
        Ok(ToolOutput::new(()))
    }
    fn result_content(&self, (): &()) -> Vec<ContentBlock> {
        vec![ContentBlock::text("ok")]
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Three {
    path: String,
    limit: u32,
    exact: bool,
}

/// Takes three fields and does nothing; runs alone if `exact`.
struct Fields;

impl Tool for Fields {
    type Input = Three;
    type Output = usize;
    fn name(&self) -> &str {
        "Fields"
    }
    fn description(&self) -> &str {
        "Does nothing with three fields."
    }
    fn is_concurrency_safe(&self, input: &Three) -> bool {
        !input.exact
    }
    fn is_read_only(&self, _: &Three) -> bool {
        true
    }
    async fn call(&self, input: &Three, _: &CallContext) -> Result<ToolOutput<usize>, ToolError> {
        Ok(ToolOutput::new(input.path.len() + input.limit as usize))
    }
    fn result_content(&self, _: &usize) -> Vec<ContentBlock> {
        vec![ContentBlock::text("ok")]
    }
}

fn pipeline(events: EventSink, rules: usize) -> Arc<Pipeline> {
    let mut registry = ToolRegistry::new();
    registry.add(Origin::BuiltIn, erase(Idle));
    registry.add(Origin::BuiltIn, erase(Fields));
    let mut context = Context::new("/project");
    for at in 0..rules {
        let behavior = [Behavior::Allow, Behavior::Ask, Behavior::Deny][at % 3];
        let added = context.policy.add(behavior, &format!("Bash(command-{at}:*)"), RuleSource::UserSettings);
        debug_assert!(added.is_ok());
    }
    let pool = assemble_pool(&registry, &context.policy, &PoolOptions::default());
    let session = Arc::new(Session::new("bench", context, "/nonexistent"));
    Arc::new(Pipeline::new(Arc::new(registry), pool, Host::default(), session, events))
}

fn request(at: usize, name: &str, input: &Value) -> RequestedCall {
    RequestedCall::new(ToolUse { id: format!("toolu_{at:08}"), name: name.to_owned(), input: input.clone() })
}

async fn all_at_once(pipeline: Arc<Pipeline>, name: &str, input: Value, n: usize) -> usize {
    let mut executor = StreamingExecutor::new(pipeline, &CancelToken::new());
    for at in 0..n {
        executor.push(request(at, name, &input));
    }
    executor.stream_ended();
    let mut done = 0;
    while let Some(outcome) = executor.next().await {
        done += usize::from(!outcome.result.is_error);
    }
    done
}

async fn one_by_one(n: usize) -> usize {
    let mut executor = StreamingExecutor::new(pipeline(EventSink::new(|_| ()), 0), &CancelToken::new());
    let mut done = 0;
    for at in 0..n {
        executor.push(request(at, "Idle", &json!({})));
        done += usize::from(executor.next().await.is_some_and(|outcome| !outcome.result.is_error));
    }
    done
}

async fn requests(n: usize) -> usize {
    let input = json!({});
    let built: Vec<RequestedCall> = (0..n).map(|at| request(at, "Idle", &input)).collect();
    std::hint::black_box(&built).len()
}

async fn join_set(n: usize) -> usize {
    let mut tasks = JoinSet::new();
    for at in 0..n {
        tasks.spawn(async move { std::hint::black_box(at) });
    }
    let mut done = 0;
    while let Some(Ok(_)) = tasks.join_next().await {
        done += 1;
    }
    done
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .map_or("unknown".to_owned(), |text| text.trim().to_owned())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let (mode, n) = match arguments.as_slice() {
        [] => ("empty", 1_000),
        [mode, n] => match n.parse() {
            Ok(n) => (mode.as_str(), n),
            Err(_) => {
                eprintln!("N must be a number, not {n:?}");
                return ExitCode::from(2);
            }
        },
        _ => {
            eprintln!("usage: pipeline MODE N; MODE is {MODES}");
            return ExitCode::from(2);
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_time().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    let heard = || EventSink::new(|event| drop(std::hint::black_box(event)));
    let three = |exact: bool| json!({"path": "src/lib.rs", "limit": 20, "exact": exact});
    let done = match mode {
        "empty" => runtime.block_on(all_at_once(pipeline(heard(), 0), "Idle", json!({}), n)),
        "rules" => runtime.block_on(all_at_once(pipeline(heard(), 100), "Idle", json!({}), n)),
        "fields" => runtime.block_on(all_at_once(pipeline(heard(), 0), "Fields", three(false), n)),
        "exclusive" => runtime.block_on(all_at_once(pipeline(heard(), 0), "Fields", three(true), n)),
        "silent" => runtime.block_on(all_at_once(pipeline(EventSink::none(), 0), "Idle", json!({}), n)),
        "one-by-one" => runtime.block_on(one_by_one(n)),
        "requests" => runtime.block_on(requests(n)),
        "joinset" => runtime.block_on(join_set(n)),
        _ => {
            eprintln!("there is no mode {mode:?}; MODE is {MODES}");
            return ExitCode::from(2);
        }
    };
    println!("{mode} {done}/{n} peak {}", peak_memory());
    if done == n { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
