//! Whatever a tool or a host does, each request gets one result: errors, panics in every method, and what may be
//! counted about them.

use serde_json::json;
use toolreeve_engine::host::{Hook, HookOutcome, PromptAnswer, Renderer};
use toolreeve_engine::{ErrorKind, Event, HostOutput, Origin, RenderNode, ToolBuilder, ToolError};
use toolreeve_permission::Behavior;

use crate::support::{Person, Setup, Stub, StubHook, call, ending, ids};

#[tokio::test(start_paused = true)]
async fn an_error_of_a_tool_is_a_result() {
    let world = Setup::with(Stub::new("Work")).build();
    let outcome = world.call("Work", json!({"end": "error"})).await;
    assert_eq!(
        (ending(&outcome), outcome.result.text().as_str()),
        ("failed", "<tool_use_error>t1 failed</tool_use_error>")
    );
    let outcome = world.call("Work", json!({"end": "bad_output", "text": "exit code 2"})).await;
    assert_eq!((ending(&outcome), outcome.result.text().as_str()), ("failed", "exit code 2"));
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_any_method_is_answered_with_care() {
    // The method, how the call ends, and whether the tool ran.
    let rows = [
        ("is_concurrency_safe", "ok", true),
        ("is_read_only", "permission-denied", false),
        ("edits_files", "ok", true),
        ("requires_interaction", "permission-denied", false),
        ("stops_on_interrupt", "ok", true),
        ("failure_cancels_siblings", "ok", true),
        ("validate_input", "panicked", false),
        ("validate_input_late", "panicked", false),
        ("permission_subject", "permission-denied", false),
        ("check_permissions", "permission-denied", false),
        ("call", "panicked", true),
        ("result_content", "panicked", true),
        ("render_use", "ok", true),
        ("render_result", "ok", true),
        ("backfill_observable_input", "ok", true),
    ];
    for (place, wanted, ran) in rows {
        let world = Setup::with(Stub::panicking("Work", place)).tool(Stub::new("Beside")).build();
        let outcomes = world.run([call("a", "Work", json!({"text": "x"})), call("b", "Beside", json!({}))]).await;
        assert_eq!(ids(&outcomes), ["a", "b"], "{place}");
        assert_eq!((ending(&outcomes[0]), ending(&outcomes[1])), (wanted, "ok"), "{place}: {:?}", outcomes[0]);
        assert_eq!(world.log.said().contains(&"start a".to_owned()), ran, "{place}");
        assert_eq!(world.log.alive(), 0, "{place}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_where_a_failure_is_shown_does_not_hide_the_failure() {
    for (place, input, wanted) in [
        ("render_error", json!({"end": "error"}), "failed"),
        ("failure_cancels_siblings", json!({"end": "error"}), "failed"),
        ("render_error", json!({"text": "bad"}), "rejected"),
    ] {
        let world = Setup::with(Stub::panicking("Work", place)).build();
        assert_eq!(ending(&world.call("Work", input).await), wanted, "{place}");
    }
    let stub = Stub { read_only: false, ..Stub::panicking("Work", "render_rejected") };
    assert_eq!(ending(&Setup::with(stub).build().call("Work", json!({})).await), "permission-denied");
}

#[tokio::test(start_paused = true)]
async fn a_panic_while_a_question_is_put_together_still_asks_it() {
    for place in ["user_facing_name", "destructive_warnings", "render_use", "classifier_input"] {
        let stub = Stub { read_only: false, ..Stub::panicking("Work", place) };
        let setup = Setup::with(stub).classifier(1).person([Person::Answers(PromptAnswer::allow_once())]);
        let world = setup.build();
        assert_eq!(ending(&world.call("Work", json!({"text": "hm"})).await), "ok", "{place}");
        assert_eq!(world.asked.lock().unwrap().len(), 1, "{place}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_cannot_say_what_it_touches_is_not_let_through_by_rules_or_hooks() {
    let allows = StubHook::new("PreToolUse", |_| HookOutcome {
        verdict: Some(toolreeve_permission::HookVerdict { behavior: Behavior::Allow, message: "yes".to_owned() }),
        ..HookOutcome::default()
    });
    let setup = Setup::with(Stub::panicking("Work", "permission_subject")).hook(allows);
    let world = setup.rule(Behavior::Allow, "Work").rule(Behavior::Deny, "Work(secret)").build();
    assert_eq!(ending(&world.call("Work", json!({"text": "secret"})).await), "permission-denied");
    assert!(world.log.said().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_unsafe_predicate_that_panics_runs_alone() {
    let world = Setup::with(Stub::panicking("Odd", "is_concurrency_safe")).tool(Stub::new("Safe")).build();
    let calls = [
        call("a", "Safe", json!({"ms": 10})),
        call("b", "Odd", json!({"ms": 10})),
        call("c", "Safe", json!({"ms": 10})),
    ];
    world.run(calls).await;
    let starts: Vec<_> = ["start a", "start b", "start c"].map(|line| world.log.time_of(line).unwrap()).to_vec();
    assert_eq!(starts, [0, 10, 20]);
}

#[tokio::test(start_paused = true)]
async fn host_written_tools_fail_as_data_too() {
    let schema = || json!({"type": "object"});
    let panics = ToolBuilder::new("Panics", "d", schema()).read_only(true).build(|_, _| async { panic!("boom") });
    let at_once = ToolBuilder::new("AtOnce", "d", schema()).read_only(true).build(|input, _| {
        assert!(input.is_null(), "boom before the future");
        async { Ok(HostOutput::text("never")) }
    });
    let fails = ToolBuilder::new("Fails", "d", schema())
        .read_only(true)
        .concurrency_safe_if(|_| panic!("boom in the predicate"))
        .build(|_, _| async { Err(ToolError::failed("no").with_name("ValueError")) });
    let predicate = ToolBuilder::new("Predicate", "d", schema())
        .read_only_if(|_| panic!("boom in the predicate"))
        .build(|_, _| async { Ok(HostOutput::text("never")) });
    let setup = [panics, at_once, fails, predicate]
        .into_iter()
        .fold(Setup::new(), |setup, tool| setup.any_tool(Origin::BuiltIn, tool));
    let world = setup.build();
    for (name, wanted) in
        [("Panics", "panicked"), ("AtOnce", "panicked"), ("Fails", "failed"), ("Predicate", "permission-denied")]
    {
        assert_eq!(ending(&world.call(name, json!({})).await), wanted, "{name}");
    }
}

struct BrokenHost;

impl Renderer for BrokenHost {
    fn render(&self, _: &str, _: &RenderNode) {
        panic!("boom in the renderer");
    }
}

#[tokio::test(start_paused = true)]
async fn a_sink_and_a_renderer_that_panic_cost_no_result() {
    let setup = Setup::with(Stub::new("Work")).host(|host| host.renderer = Some(std::sync::Arc::new(BrokenHost)));
    let world = setup.build_with(|_| panic!("boom in the sink"));
    let outcomes = world.run((0..3).map(|at| call(&format!("t{at}"), "Work", json!({"text": "progress"})))).await;
    assert!(outcomes.iter().all(|outcome| ending(outcome) == "ok"));
    assert_eq!(ids(&outcomes), ["t0", "t1", "t2"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_counted_holds_no_path_and_no_code() {
    let io = |code| ToolError::io("cannot read /secret/file", &std::io::Error::from_raw_os_error(code));
    let rows = [
        (ToolError::failed("x").with_safe_message("read failed"), "read failed"),
        (io(2), "Error:ENOENT"),
        (io(13).with_safe_message("not readable"), "not readable"),
        (ToolError::failed("x").with_name("ValueError"), "ValueError"),
        (ToolError::failed("x").with_name("abc"), "Error"),
        (ToolError::failed("x").with_name("/home/u/secret"), "Error"),
        (ToolError::failed("/home/u/secret"), "Error"),
        (ToolError::new(ErrorKind::Timeout, "slow"), "Error"),
    ];
    for (error, wanted) in rows {
        let given = error.clone();
        let tool = ToolBuilder::new("Work", "d", json!({"type": "object"}))
            .read_only(true)
            .build(move |_, _| std::future::ready(Err(given.clone())));
        let world = Setup::new().any_tool(Origin::BuiltIn, tool).build();
        world.call("Work", json!({})).await;
        let events = world.events.lock().unwrap();
        let class = events.iter().find_map(|(_, event)| match event {
            Event::ToolResult { error_class, .. } => error_class.clone(),
            _ => None,
        });
        assert_eq!(class.as_deref(), Some(wanted), "{error:?}");
    }
    let foreign = ToolBuilder::new("Work", "d", json!({"type": "object"}))
        .read_only(true)
        .build(|_, _| async { std::panic::panic_any(7_u8) });
    let world = Setup::new().any_tool(Origin::BuiltIn, foreign).build();
    let outcome = world.call("Work", json!({})).await;
    assert_eq!(outcome.error.unwrap().telemetry_class(), "UnknownError");
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_only_panics_when_asked_is_no_way_around_the_others() {
    let broken: std::sync::Arc<dyn Hook> = std::sync::Arc::new(StubHook::new("panic", |_| HookOutcome::default()));
    let setup = Setup::with(Stub::new("Work")).host(|host| host.hooks.push(broken));
    assert_eq!(ending(&setup.build().call("Work", json!({})).await), "permission-denied");
}
