//! Hooks that are declared in settings, run as programs: the table of the contract (`rows`), scripts as people write them
//! (`scripts`), and whatever can go wrong with a program (`faults`).

mod faults;
mod rows;
mod scripts;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolreeve::engine::host::{
    Classifier, ClassifierVerdict, HostError, ModelStream, PermissionPrompt, PromptAnswer, PromptRequest,
};
use toolreeve::engine::{DynTool, Event, EventSink, HostOutput, ToolBuilder, ToolError};
use toolreeve::hooks::HooksConfig;
use toolreeve::permission::RuleSource;
use toolreeve::{Agent, AgentBuilder};

use crate::agent_loop::{Scripted, Step, answer, call, last_words, stop};

/// A folder of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).canonicalize().unwrap()
}

/// A tool that says its input again, or fails.
fn work_tool() -> Arc<dyn DynTool> {
    let schema = json!({
        "type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false,
    });
    ToolBuilder::new("Work", "Works.", schema).build(|input, _| async move {
        match input["text"].as_str().unwrap_or_default() {
            "fail" => Err(ToolError::failed("it failed")),
            text => Ok(HostOutput::text(format!("worked: {text}"))),
        }
    })
}

/// A person who always answers the same and keeps the questions.
#[derive(Clone)]
struct Person {
    refuses: bool,
    asked: Arc<Mutex<Vec<PromptRequest>>>,
}

impl PermissionPrompt for Person {
    fn ask(&self, request: PromptRequest) -> BoxFuture<'_, Result<PromptAnswer, HostError>> {
        self.asked.lock().unwrap().push(request);
        let answer = if self.refuses { PromptAnswer::deny("") } else { PromptAnswer::allow_once() };
        std::future::ready(Ok(answer)).boxed()
    }
}

/// A classifier that blocks.
struct Blocks;

impl Classifier for Blocks {
    fn classify(&self, _: String, _: String) -> BoxFuture<'_, Result<ClassifierVerdict, HostError>> {
        let reason = "the classifier says no".to_owned();
        std::future::ready(Ok(ClassifierVerdict::Block { reason })).boxed()
    }
}

/// A project with hooks, a scripted model and a person.
struct World {
    project: tempfile::TempDir,
    model: Arc<Scripted>,
    person: Person,
    events: Mutex<Vec<Event>>,
}

impl World {
    /// The model asks for `calls` calls of Work with this text, then says "Done." as often as it is asked.
    fn new(calls: usize, text: &str) -> Self {
        Self::asking(calls, "Work", &json!({"text": text}))
    }

    fn asking(calls: usize, tool: &str, input: &Value) -> Self {
        let input = input.to_string();
        let mut parts: Vec<Vec<Step>> =
            (0..calls).map(|at| call(at as u64, &format!("t{}", at + 1), tool, &input)).collect();
        parts.push(stop("tool_use"));
        let answers = std::iter::once(answer(parts)).chain(std::iter::repeat_with(last_words).take(2_100));
        Self {
            project: tempfile::tempdir().unwrap(),
            model: Scripted::new(answers.collect()),
            person: Person { refuses: false, asked: Arc::default() },
            events: Mutex::default(),
        }
    }

    fn path(&self) -> PathBuf {
        self.project.path().canonicalize().unwrap()
    }

    /// An agent with these hooks of the user's settings.
    fn builder(&self, hooks: &Value) -> AgentBuilder {
        let (config, problems) = HooksConfig::from_json(hooks, RuleSource::UserSettings);
        assert_eq!(problems, [], "{hooks}");
        AgentBuilder::new(Arc::clone(&self.model) as Arc<dyn ModelStream>)
            .cwd(self.project.path())
            .home(Some(self.project.path().join("home")))
            .built_in_tools(false)
            .tool(work_tool())
            .permission_prompt(Arc::new(self.person.clone()))
            .hooks_config(config)
    }

    /// Works on a prompt and keeps the events.
    async fn play(&self, agent: &Agent) {
        let mut run = agent.run("go");
        while let Some(event) = run.next().await {
            self.events.lock().unwrap().push(event);
        }
    }

    /// A sink that keeps the events too.
    fn sink(self: &Arc<Self>) -> EventSink {
        let world = Arc::clone(self);
        EventSink::new(move |event| world.events.lock().unwrap().push(event))
    }

    fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap().clone()
    }

    /// The result of the first call, and whether it is an error.
    fn result(&self) -> (String, bool) {
        let events = self.events();
        let result = events.iter().find_map(|event| match event {
            Event::ToolResult { result, .. } => Some((result.text(), result.is_error)),
            _ => None,
        });
        result.unwrap_or_else(|| panic!("no result: {events:?}"))
    }

    /// What hooks that failed left for the person.
    fn failures(&self) -> Vec<String> {
        let failure = |event: Event| match event {
            Event::Error { kind, message } => {
                assert_eq!(kind, "hook", "{message}");
                Some(message)
            }
            _ => None,
        };
        self.events().into_iter().filter_map(failure).collect()
    }

    /// What the hooks read, in order.
    fn seen(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path().join("seen.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Settings with one command for one event.
fn one(event: &str, handler: Value) -> Value {
    json!({event: [{"hooks": [handler]}]})
}
