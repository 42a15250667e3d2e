//! The agent loop against scripted models: whatever the stream does, each request gets its result, the conversation
//! stays valid for the next request, and the run ends with `Done`.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};
use tokio::time::Instant;
use toolreeve::engine::host::{
    HostError, ModelChunk, ModelChunks, ModelRequest, ModelStream, PermissionPrompt, PromptAnswer, PromptRequest,
};
use toolreeve::engine::{CancelToken, ContentBlock, Event, HostOutput, Message, Role, ToolBuilder, ToolError};
use toolreeve::{Agent, AgentBuilder};

/// A step of a scripted answer.
#[derive(Clone)]
pub(crate) enum Step {
    Event(Value),
    Bytes(&'static str),
    Wait(u64),
    Fail(&'static str),
    Hang,
}

/// A model that plays scripts, one for each request, and keeps the requests.
#[derive(Default)]
pub(crate) struct Scripted {
    answers: Mutex<Vec<Vec<Step>>>,
    pub(crate) requests: Mutex<Vec<ModelRequest>>,
}

impl Scripted {
    pub(crate) fn new(mut answers: Vec<Vec<Step>>) -> Arc<Self> {
        answers.reverse();
        Arc::new(Self { answers: Mutex::new(answers), requests: Mutex::default() })
    }
}

impl ModelStream for Scripted {
    fn open(&self, request: ModelRequest, _: CancelToken) -> BoxFuture<'_, Result<ModelChunks, HostError>> {
        self.requests.lock().unwrap().push(request);
        let Some(steps) = self.answers.lock().unwrap().pop() else {
            return std::future::ready(Err(HostError::new("no further answer"))).boxed();
        };
        let chunks = stream::iter(steps).filter_map(|step| async {
            match step {
                Step::Event(event) => Some(Ok(ModelChunk::Event(event))),
                Step::Bytes(text) => Some(Ok(ModelChunk::Bytes(text.into()))),
                Step::Fail(message) => Some(Err(HostError::new(message))),
                Step::Hang => std::future::pending().await,
                Step::Wait(milliseconds) => {
                    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
                    None
                }
            }
        });
        std::future::ready(Ok(chunks.boxed())).boxed()
    }
}

fn start() -> Step {
    Step::Event(json!({"type": "message_start", "message": {"usage": {"input_tokens": 7}}}))
}

pub(crate) fn text(index: u64, text: &str) -> Vec<Step> {
    vec![
        Step::Event(
            json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}),
        ),
        Step::Event(
            json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}),
        ),
        Step::Event(json!({"type": "content_block_stop", "index": index})),
    ]
}

fn open_call(index: u64, id: &str, name: &str, input: &str) -> Vec<Step> {
    let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
    vec![
        Step::Event(json!({"type": "content_block_start", "index": index, "content_block": block})),
        Step::Event(
            json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": input}}),
        ),
    ]
}

pub(crate) fn call(index: u64, id: &str, name: &str, input: &str) -> Vec<Step> {
    let mut steps = open_call(index, id, name, input);
    steps.push(Step::Event(json!({"type": "content_block_stop", "index": index})));
    steps
}

pub(crate) fn stop(reason: &str) -> Vec<Step> {
    vec![
        Step::Event(json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}})),
        Step::Event(json!({"type": "message_stop"})),
    ]
}

pub(crate) fn answer(parts: Vec<Vec<Step>>) -> Vec<Step> {
    std::iter::once(start()).chain(parts.into_iter().flatten()).collect()
}

pub(crate) fn last_words() -> Vec<Step> {
    answer(vec![text(0, "Done."), stop("end_turn")])
}

/// A tool that waits as long as its input says, then says its own input.
fn wait_tool() -> Arc<dyn toolreeve::engine::DynTool> {
    let schema = json!({"type": "object", "properties": {"ms": {"type": "integer"}}, "required": ["ms"]});
    ToolBuilder::new("Wait", "Waits.", schema).read_only(true).concurrency_safe(true).build(|input, _| async move {
        tokio::time::sleep(Duration::from_millis(input["ms"].as_u64().unwrap_or_default())).await;
        Ok::<_, ToolError>(HostOutput::text(format!("waited {}", input["ms"])))
    })
}

fn builder(model: &Arc<Scripted>) -> AgentBuilder {
    AgentBuilder::new(Arc::clone(model) as Arc<dyn ModelStream>).built_in_tools(false).tool(wait_tool())
}

async fn play(agent: &Agent) -> Vec<Event> {
    let mut run = agent.run("go");
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        events.push(event);
    }
    assert!(matches!(events.last(), Some(Event::Done { .. })), "the last event is Done: {events:?}");
    events
}

fn subtype(events: &[Event]) -> &str {
    match events.last() {
        Some(Event::Done { subtype, .. }) => subtype,
        _ => "",
    }
}

fn errors<'a>(events: &'a [Event]) -> Vec<&'a str> {
    let kind = |event: &'a Event| match event {
        Event::Error { kind, .. } => Some(kind.as_str()),
        _ => None,
    };
    events.iter().filter_map(kind).collect()
}

fn results(messages: &[Message]) -> Vec<(String, String, bool)> {
    let blocks = messages.iter().flat_map(|message| &message.content);
    let result = |block: &ContentBlock| match block {
        ContentBlock::ToolResult(result) => Some((result.tool_use_id.clone(), result.text(), result.is_error)),
        _ => None,
    };
    blocks.filter_map(result).collect()
}

/// What the API demands: speakers alternate beginning with the person, and each tool_use is answered by exactly one
/// tool_result at the head of the next message.
fn assert_valid(messages: &[Message]) {
    for (at, message) in messages.iter().enumerate() {
        assert_eq!(message.role == Role::User, at % 2 == 0, "speakers alternate: {messages:#?}");
        assert!(!message.content.is_empty());
        let asked: Vec<&str> = message
            .content
            .iter()
            .filter_map(|block| if let ContentBlock::ToolUse(call) = block { Some(call.id.as_str()) } else { None })
            .collect();
        if asked.is_empty() {
            continue;
        }
        let answered: Vec<&str> = messages[at + 1]
            .content
            .iter()
            .map_while(
                |block| if let ContentBlock::ToolResult(r) = block { Some(r.tool_use_id.as_str()) } else { None },
            )
            .collect();
        assert_eq!(asked, answered);
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_with_calls_and_the_answer_to_their_results() {
    let model = Scripted::new(vec![
        answer(vec![
            text(0, "Wait."),
            call(1, "a", "Wait", "{\"ms\": 30}"),
            call(2, "b", "Wait", "{\"ms\":10}"),
            stop("tool_use"),
        ]),
        last_words(),
    ]);
    let agent = builder(&model).system("Be brief.").build().unwrap();
    let events = play(&agent).await;
    assert_eq!(subtype(&events), "success");
    let Some(Event::Done { turns, result, usage, .. }) = events.last() else { unreachable!() };
    assert_eq!((*turns, result.as_str()), (2, "Done."));
    assert_eq!(*usage, json!({"input_tokens": 14, "output_tokens": 10}));
    let messages = agent.messages().await;
    assert_valid(&messages);
    let ids: Vec<String> = results(&messages).into_iter().map(|result| result.0).collect();
    assert_eq!(ids, ["a", "b"], "results keep the model's order though b was faster");
    let requests = model.requests.lock().unwrap();
    assert_eq!(requests[1].messages, messages[..3]);
    assert_eq!(requests[0].system.as_deref(), Some("Be brief."));
}

/// The shape of the public comparison: three calls of 0.3 s inside of a stream of 0.74 s.
#[tokio::test(start_paused = true)]
async fn calls_overlap_the_stream() {
    let mut steps = vec![start()];
    for (index, id) in [(0, "a"), (1, "b"), (2, "c")] {
        steps.push(Step::Wait(220));
        steps.extend(call(index, id, "Wait", "{\"ms\":300}"));
    }
    steps.push(Step::Wait(80));
    steps.extend(stop("tool_use"));
    let model = Scripted::new(vec![steps, last_words()]);
    let agent = builder(&model).build().unwrap();
    let began = Instant::now();
    let events = play(&agent).await;
    // The last block is complete after 0.66 s and its call takes 0.3 s; one after the other it would be 1.64 s.
    assert_eq!(began.elapsed().as_millis(), 960);
    let streaming = events.iter().filter(|event| matches!(event, Event::ToolStart { while_streaming: true, .. }));
    assert_eq!(streaming.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn broken_calls_get_one_clear_error_each() {
    let model = Scripted::new(vec![
        answer(vec![
            call(0, "json", "Wait", "{\"ms\": 1"),
            call(1, "type", "Wait", "{\"ms\":\"soon\"}"),
            call(2, "field", "Wait", ""),
            call(3, "tool", "Weit", "{}"),
            call(4, "list", "Wait", "[1]"),
            call(5, "coerced", "Wait", "{\"ms\":\"1\"}"),
            stop("tool_use"),
        ]),
        last_words(),
    ]);
    let agent = builder(&model).build().unwrap();
    assert_eq!(subtype(&play(&agent).await), "success");
    let messages = agent.messages().await;
    assert_valid(&messages);
    let wanted = [
        ("json", "not valid JSON"),
        ("type", "`ms` is expected as `integer` but provided as `string`"),
        ("field", "`ms` is missing"),
        ("tool", "no tool named \"Weit\". Available tools: Wait"),
        ("list", "must be a JSON object"),
        ("coerced", "waited 1"),
    ];
    for ((id, text, is_error), (wanted_id, wanted_text)) in results(&messages).into_iter().zip(wanted) {
        assert_eq!(id, wanted_id);
        assert!(text.contains(wanted_text), "{id}: {text}");
        assert_eq!(is_error, id != "coerced");
        assert_eq!(is_error, text.starts_with("<tool_use_error>"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_in_a_block_keeps_what_was_complete() {
    let model =
        Scripted::new(vec![answer(vec![call(0, "a", "Wait", "{\"ms\":5}"), open_call(1, "b", "Wait", "{\"ms\":5}")])]);
    let agent = builder(&model).build().unwrap();
    let events = play(&agent).await;
    assert_eq!((subtype(&events), errors(&events)), ("error_during_execution", vec!["stream"]));
    let messages = agent.messages().await;
    assert_valid(&messages);
    assert_eq!(results(&messages), [("a".to_owned(), "waited 5".to_owned(), false)]);
}

#[tokio::test(start_paused = true)]
async fn errors_of_the_stream_and_of_the_host_end_the_run_with_an_event() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    for (steps, kind) in [
        (vec![start(), Step::Event(overloaded)], "overloaded_error"),
        (vec![start(), Step::Fail("socket closed")], "model"),
        (vec![], "stream"),
    ] {
        let model = Scripted::new(vec![steps]);
        let agent = builder(&model).build().unwrap();
        let events = play(&agent).await;
        assert_eq!((subtype(&events), errors(&events)), ("error_during_execution", vec![kind]));
        assert_valid(&agent.messages().await);
    }
}

#[tokio::test(start_paused = true)]
async fn breaches_of_the_protocol_are_reported_and_passed_over() {
    let model = Scripted::new(vec![
        vec![
            start(),
            start(),
            Step::Event(json!({"type": "content_block_stop", "index": 9})),
            Step::Event(
                json!({"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "x"}}),
            ),
            Step::Event(json!({"index": 1})),
            Step::Bytes("data: {not json}\n\n"),
        ]
        .into_iter()
        .chain(call(0, "a", "Wait", "{\"ms\":1}"))
        .chain(call(0, "again", "Wait", "{\"ms\":1}"))
        .chain(call(2, "a", "Wait", "{\"ms\":2}"))
        .chain([Step::Event(json!({"type": "ping"})), Step::Event(json!({"type": "of_the_future"}))])
        .chain(stop("tool_use"))
        .collect(),
        last_words(),
    ]);
    let agent = builder(&model).build().unwrap();
    let events = play(&agent).await;
    assert_eq!(subtype(&events), "success");
    assert!(errors(&events).iter().all(|kind| *kind == "stream-protocol"));
    assert_eq!(errors(&events).len(), 9, "{events:#?}");
    let messages = agent.messages().await;
    assert_valid(&messages);
    assert_eq!(results(&messages), [("a".to_owned(), "waited 1".to_owned(), false)]);
}

#[tokio::test(start_paused = true)]
async fn blocks_that_stop_out_of_order_are_answered_in_order() {
    let (mut first, mut second) = (call(0, "a", "Wait", "{\"ms\":1}"), call(1, "b", "Wait", "{\"ms\":1}"));
    let (first_stop, second_stop) = (first.pop().unwrap(), second.pop().unwrap());
    let steps = answer(vec![first, second, vec![second_stop, first_stop], stop("tool_use")]);
    let agent = builder(&Scripted::new(vec![steps, last_words()])).build().unwrap();
    play(&agent).await;
    let messages = agent.messages().await;
    assert_valid(&messages);
    assert_eq!(results(&messages).iter().map(|result| result.0.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn an_open_call_at_the_end_of_the_token_budget_is_not_run() {
    let steps = answer(vec![text(0, "Hm"), open_call(1, "a", "Wait", "{\"ms\":1}"), stop("max_tokens")]);
    let agent = builder(&Scripted::new(vec![steps])).build().unwrap();
    let events = play(&agent).await;
    assert_eq!(subtype(&events), "success");
    assert!(!events.iter().any(|event| matches!(event, Event::ToolUse { .. })));
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_turns_leaves_a_valid_conversation() {
    let steps = answer(vec![call(0, "a", "Wait", "{\"ms\":1}"), stop("tool_use")]);
    let agent = builder(&Scripted::new(vec![steps])).max_turns(1).build().unwrap();
    assert_eq!(subtype(&play(&agent).await), "error_max_turns");
    assert_valid(&agent.messages().await);
}

#[tokio::test(start_paused = true)]
async fn an_interruption_stops_the_stream_and_the_calls() {
    let steps = answer(vec![call(0, "a", "Wait", "{\"ms\":3600000}"), vec![Step::Hang]]);
    let agent = builder(&Scripted::new(vec![steps, last_words()])).build().unwrap();
    let mut run = agent.run("go");
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        if matches!(event, Event::ToolStart { .. }) {
            run.interrupt();
        }
        events.push(event);
    }
    assert_eq!(subtype(&events), "interrupted");
    let messages = agent.messages().await;
    assert_valid(&messages);
    let (_, text, is_error) = &results(&messages)[0];
    assert!(*is_error && text.contains("user interrupted"), "{text}");
    // The next prompt must not follow a message of the same speaker.
    play(&agent).await;
    assert_valid(&agent.messages().await);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_run_stops_it() {
    struct Alive(Arc<Mutex<usize>>);
    impl Drop for Alive {
        fn drop(&mut self) {
            *self.0.lock().unwrap() -= 1;
        }
    }
    let alive = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&alive);
    let tool = ToolBuilder::new("Hang", "Hangs.", json!({"type": "object"})).read_only(true).build(move |_, _| {
        *counter.lock().unwrap() += 1;
        let guard = Alive(Arc::clone(&counter));
        async move {
            let _guard = guard;
            std::future::pending().await
        }
    });
    let steps = answer(vec![call(0, "a", "Hang", "{}"), vec![Step::Hang]]);
    let model = Scripted::new(vec![steps]);
    let agent = AgentBuilder::new(model).built_in_tools(false).tool(tool).build().unwrap();
    let mut run = agent.run("go");
    while let Some(event) = run.next().await {
        if matches!(event, Event::ToolStart { .. }) {
            tokio::task::yield_now().await;
            break;
        }
    }
    drop(run);
    // The conversation is free again only when the work has stopped.
    assert_valid(&agent.messages().await);
    assert_eq!(*alive.lock().unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_request_prefix_is_the_same_bytes_whatever_mcp_tools_there_are() {
    let prefix_with = async |names: &[&str]| {
        let model = Scripted::new(vec![last_words()]);
        let mut builder = AgentBuilder::new(Arc::clone(&model) as Arc<dyn ModelStream>).tool(wait_tool());
        for name in names {
            let tool = ToolBuilder::new(*name, "Bridged.", json!({"type": "object"}));
            builder = builder.mcp_tool(tool.build(|_, _| async { Ok(HostOutput::default()) }));
        }
        play(&builder.build().unwrap()).await;
        let request = model.requests.lock().unwrap().pop().unwrap();
        let count = request.tools.iter().filter(|tool| !tool.name.starts_with("mcp__")).count();
        let names: Vec<String> = request.tools.iter().map(|tool| tool.name.clone()).collect();
        assert!(names[..count].is_sorted() && names[count..].is_sorted(), "{names:?}");
        (serde_json::to_string(&request).unwrap(), serde_json::to_string(&request.tools[..count]).unwrap())
    };
    let (alone, built_in) = prefix_with(&[]).await;
    let (with, _) = prefix_with(&["mcp__a__x", "mcp__Zed__y", "mcp__github__create_issue", "Wait"]).await;
    let prefix = format!("{{\"tools\":{}", built_in.trim_end_matches(']'));
    assert!(alone.starts_with(&prefix) && with.starts_with(&prefix));
    assert!(with.contains("mcp__github__create_issue"));
}

/// One tool input of a megabyte in pieces of 16 bytes, as raw bytes.
#[tokio::test]
async fn a_large_input_in_small_pieces_arrives_whole() {
    let body = "é\"\\\n".repeat(150_000);
    let input = json!({"ms": 0, "body": body}).to_string();
    let mut wire = String::from(
        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"Wait\",\"input\":{}}}\n\n",
    );
    let mut rest = input.as_str();
    while !rest.is_empty() {
        let mut end = rest.len().min(16);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let delta = json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": &rest[..end]}});
        wire.push_str(&format!("event: content_block_delta\ndata: {delta}\n\n"));
        rest = &rest[end..];
    }
    wire.push_str("data: {\"type\":\"content_block_stop\",\"index\":0}\n\n");
    wire.push_str("data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n");
    let model = Scripted::new(vec![vec![Step::Bytes(wire.leak())], last_words()]);
    let agent = builder(&model).build().unwrap();
    let events = play(&agent).await;
    assert_eq!(subtype(&events), "success");
    let sent =
        events.iter().find_map(|event| if let Event::ToolUse { input, .. } = event { Some(input) } else { None });
    assert_eq!(sent.unwrap()["body"], Value::String(body));
}

/// A person who puts every question off.
struct Later;

impl PermissionPrompt for Later {
    fn ask(&self, _: PromptRequest) -> BoxFuture<'_, Result<PromptAnswer, HostError>> {
        std::future::ready(Ok(PromptAnswer::Defer { expires_in: None })).boxed()
    }
}

fn say_tool() -> Arc<dyn toolreeve::engine::DynTool> {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    ToolBuilder::new("Say", "Says.", schema)
        .build(|input, _| async move { Ok::<_, ToolError>(HostOutput::text(format!("said {}", input["text"]))) })
}

async fn finish(mut run: toolreeve::Run) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        events.push(event);
    }
    events
}

#[tokio::test(start_paused = true)]
async fn a_run_waits_for_approvals_and_goes_on_in_another_process() {
    let two = answer(vec![
        call(0, "a", "Say", "{\"text\":\"one\"}"),
        call(1, "w", "Wait", "{\"ms\":1}"),
        call(2, "b", "Say", "{\"text\":\"two\"}"),
        stop("tool_use"),
    ]);
    let model = Scripted::new(vec![two]);
    let agent = builder(&model).tool(say_tool()).permission_prompt(Arc::new(Later)).build().unwrap();
    let events = play(&agent).await;
    assert_eq!(subtype(&events), "deferred");
    let pending: Vec<&Value> = events
        .iter()
        .filter_map(|event| if let Event::ApprovalPending { approval, .. } = event { Some(approval) } else { None })
        .collect();
    assert_eq!(pending.len(), 2);
    let messages = agent.messages().await;
    assert_valid(&messages);
    assert_eq!(model.requests.lock().unwrap().len(), 1, "the model is asked nothing more");

    // Everything that matters is data: the conversation and the approvals.
    let kept = serde_json::to_string(&(&messages, &pending)).unwrap();
    let (messages, approvals): (Vec<Message>, Vec<toolreeve::engine::PendingApproval>) =
        serde_json::from_str(&kept).unwrap();
    let model = Scripted::new(vec![last_words()]);
    let agent = builder(&model).tool(say_tool()).messages(messages).build().unwrap();
    for approval in approvals {
        agent.session().approvals().restore(approval).unwrap();
    }
    agent.session().approvals().answer("a", PromptAnswer::allow_once()).unwrap();
    assert_eq!(subtype(&finish(agent.resume()).await), "deferred", "one still waits");
    assert_eq!(results(&agent.messages().await)[0].1, "said \"one\"");
    assert!(model.requests.lock().unwrap().is_empty());
    agent.session().approvals().answer("b", PromptAnswer::deny("not that")).unwrap();
    assert_eq!(subtype(&finish(agent.resume()).await), "success");
    let messages = agent.messages().await;
    assert_valid(&messages);
    let results = results(&messages);
    assert_eq!(results.iter().map(|result| result.0.as_str()).collect::<Vec<_>>(), ["a", "w", "b"]);
    assert!(results[2].1.contains("They said: not that") && results[2].2, "{results:?}");
}

#[tokio::test(start_paused = true)]
async fn resuming_where_nothing_waits_says_so() {
    let agent = builder(&Scripted::new(vec![last_words()])).build().unwrap();
    for _ in 0..2 {
        let events = finish(agent.resume()).await;
        assert_eq!((subtype(&events), errors(&events)), ("error_during_execution", vec!["approval"]));
        play(&agent).await;
    }
}
