//! Calls that declare what they touch, and calls whose final input touches more than their first one did.

use std::sync::Arc;

use serde_json::{Value, json};
use toolreeve_engine::host::{HookEvent, HookOutcome, PromptAnswer, RuleDestination};
use toolreeve_engine::{CancelReason, DynTool, HostOutput, Origin, RequestedCall, ToolBuilder};
use toolreeve_permission::Behavior;

use crate::support::{Log, Person, Setup, Stub, StubHook, World, after, call, drain, ending, ids};

/// A tool that is not concurrency-safe and writes what its input names.
fn writer(log: &Log, read_only: bool) -> Arc<dyn DynTool> {
    let schema = json!({"type": "object", "properties": {"at": {"type": "string"}, "ms": {"type": "integer"}}});
    let log = log.clone();
    let nothing: [&str; 0] = [];
    ToolBuilder::new("Put", "d", schema).read_only(read_only).resource_keys(nothing, ["file:{at}"]).build(
        move |input, ctx| {
            let log = log.clone();
            async move {
                log.say(format!("start {}", ctx.tool_use_id));
                after(input["ms"].as_u64().unwrap_or(10)).await;
                log.say(format!("end {}", ctx.tool_use_id));
                Ok(HostOutput::text(input["at"].as_str().unwrap_or_default()))
            }
        },
    )
}

fn setup() -> Setup {
    let setup = Setup::with(Stub::new("Safe")).tool(Stub::exclusive("Alone"));
    let tool = writer(setup.log(), true);
    setup.any_tool(Origin::BuiltIn, tool)
}

fn put(id: &str, at: &str) -> RequestedCall {
    call(id, "Put", json!({"at": at}))
}

fn starts(world: &World, ids: &[&str]) -> Vec<Option<u64>> {
    ids.iter().map(|id| world.log.time_of(&format!("start {id}"))).collect()
}

#[tokio::test(start_paused = true)]
async fn two_calls_conflict_only_if_their_keys_do() {
    let world = setup().build();
    let calls = [
        put("a", "x"),
        put("b", "y"),
        put("c", "x/below"),
        call("d", "Safe", json!({"ms": 10})),
        call("e", "Alone", json!({"ms": 10})),
        put("f", "x"),
        call("g", "Put", json!({"ms": 10})),
    ];
    let outcomes = world.run(calls).await;
    assert_eq!(ids(&outcomes), ["a", "b", "c", "d", "e", "f", "g"]);
    assert!(outcomes.iter().all(|outcome| ending(outcome) == "ok"));
    // c is below a; what declares nothing reads everything, or is alone; g lacks the field, so it is alone too.
    let wanted = [0, 0, 10, 20, 30, 40, 50].map(Some);
    assert_eq!(starts(&world, &["a", "b", "c", "d", "e", "f", "g"]), wanted);
}

#[tokio::test(start_paused = true)]
async fn batches_are_cut_by_safety_alone() {
    let world = setup().build();
    let calls = vec![put("a", "x"), put("b", "y")];
    toolreeve_engine::run_batches(&world.pipeline, calls, &world.turn, 10).await;
    assert_eq!(starts(&world, &["a", "b"]), [Some(0), Some(10)]);
}

#[tokio::test(start_paused = true)]
async fn a_question_about_one_call_is_answered_before_the_next_is_judged() {
    for (answer, asked, endings) in [
        (PromptAnswer::allow_once(), 2, ["ok", "ok", "ok"]),
        (
            PromptAnswer::Allow {
                updated_input: None,
                rules: vec!["Put".to_owned()],
                destination: RuleDestination::default(),
            },
            1,
            ["ok", "ok", "ok"],
        ),
        (
            PromptAnswer::Deny { message: String::new(), interrupt: true },
            1,
            ["permission-denied", "cancelled", "cancelled"],
        ),
    ] {
        let setup = Setup::with(Stub::new("Safe"));
        let tool = writer(setup.log(), false);
        let person = [Person::Answers(answer.clone()), Person::Answers(PromptAnswer::allow_once())];
        let world = setup.any_tool(Origin::BuiltIn, tool).person(person).build();
        let outcomes = world.run([put("a", "x"), put("b", "y"), call("c", "Safe", json!({}))]).await;
        assert_eq!(outcomes.iter().map(ending).collect::<Vec<_>>(), endings, "{answer:?}");
        assert_eq!(world.asked.lock().unwrap().len(), asked, "{answer:?}");
    }
}

/// A hook that makes calls with these ids exclusive.
fn changes(which: fn(&str) -> bool) -> StubHook {
    StubHook::new("PreToolUse", move |event| {
        let HookEvent::PreToolUse { mut tool_input, tool_use_id, .. } = event else { return HookOutcome::default() };
        tool_input["alone"] = json!(true);
        tool_input.as_object_mut().unwrap().remove("seen");
        let updated_input = which(&tool_use_id).then_some(tool_input);
        HookOutcome { updated_input, ..HookOutcome::default() }
    })
}

#[tokio::test(start_paused = true)]
async fn a_call_that_a_hook_makes_exclusive_waits_until_it_may_run_alone() {
    let world = Setup::with(Stub::new("Safe")).hook(changes(|id| id == "b")).build();
    let slow = |id: &str, ms: u32| call(id, "Safe", json!({"ms": ms}));
    let mut executor = world.executor();
    executor.push(slow("a", 30));
    executor.push(slow("b", 10));
    executor.push(slow("c", 10));
    after(5).await;
    executor.push(slow("d", 10));
    let outcomes = drain(&mut executor).await;
    assert_eq!(ids(&outcomes), ["a", "b", "c", "d"]);
    // What was let start with the first input may be at work already or waits; nobody runs beside b.
    assert_eq!(
        world.log.said(),
        ["start a", "end a", "start b", "end b", "start c", "start d", "end c", "end d"],
        "b waits for a, and what is behind b waits for b"
    );
    assert_eq!(starts(&world, &["a", "b", "c", "d"]), [Some(0), Some(30), Some(40), Some(40)]);
}

#[tokio::test(start_paused = true)]
async fn calls_that_are_all_made_exclusive_run_one_after_the_other() {
    let world = Setup::with(Stub::new("Safe")).hook(changes(|_| true)).build();
    let outcomes = world.run((0..20).map(|at| call(&format!("t{at}"), "Safe", json!({"ms": 10})))).await;
    assert!(outcomes.iter().all(|outcome| ending(outcome) == "ok"));
    let wanted: Vec<String> = (0..20).flat_map(|at| [format!("start t{at}"), format!("end t{at}")]).collect();
    assert_eq!(world.log.said(), wanted);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_the_person_makes_exclusive_waits_too() {
    let changed = PromptAnswer::Allow {
        updated_input: Some(json!({"ms": 10, "alone": true})),
        rules: Vec::new(),
        destination: RuleDestination::default(),
    };
    let world = Setup::with(Stub::new("Safe"))
        .tool(Stub::asking("Asks"))
        .rule(Behavior::Ask, "Asks")
        .person([Person::Answers(changed)])
        .build();
    let calls =
        [call("a", "Safe", json!({"ms": 30})), call("b", "Asks", json!({})), call("c", "Safe", json!({"ms": 50}))];
    let outcomes = world.run(calls).await;
    assert!(outcomes.iter().all(|outcome| ending(outcome) == "ok"));
    // The person answered at once, so c had not begun and keeps its place behind b.
    assert_eq!(starts(&world, &["a", "b", "c"]), [Some(0), Some(30), Some(40)]);
}

#[tokio::test(start_paused = true)]
async fn a_held_call_can_be_cancelled_and_stands_in_nobodys_way_then() {
    for discard in [false, true] {
        let world = Setup::with(Stub::new("Safe")).hook(changes(|id| id == "b")).build();
        let mut executor = world.executor();
        executor.push(call("a", "Safe", json!({"end": "hang"})));
        executor.push(call("b", "Safe", json!({})));
        after(10).await;
        executor.push(call("c", "Safe", json!({})));
        if discard {
            executor.discard();
        } else {
            world.turn.cancel(CancelReason::User);
        }
        let outcomes = drain(&mut executor).await;
        assert_eq!(outcomes.iter().map(ending).collect::<Vec<_>>(), ["cancelled"; 3]);
        assert_eq!(world.log.said().len(), 2, "only a began: {:?}", world.log.said());
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_refused_lets_go_of_what_it_declared() {
    let refuse = StubHook::new("PreToolUse", |event| {
        let refused = matches!(&event, HookEvent::PreToolUse { tool_use_id, .. } if tool_use_id == "a");
        let verdict = toolreeve_permission::HookVerdict { behavior: Behavior::Deny, message: "no".to_owned() };
        HookOutcome { verdict: refused.then_some(verdict), ..HookOutcome::default() }
    });
    let world = setup().hook(refuse).build();
    let outcomes = world.run([put("a", "x"), put("b", "x"), put("c", "y")]).await;
    assert_eq!(outcomes.iter().map(ending).collect::<Vec<_>>(), ["permission-denied", "ok", "ok"]);
    assert_eq!(starts(&world, &["b", "c"]), [Some(0), Some(0)]);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_declared_counts_as_undeclared() {
    let log = Setup::new().log().clone();
    let panics = |name: &str, log: &Log| {
        let log = log.clone();
        ToolBuilder::new(name, "d", json!({"type": "object"}))
            .read_only(true)
            .resources(|_: &Value, _| panic!("boom in resources"))
            .build(move |_, ctx| {
                let log = log.clone();
                async move {
                    log.say(format!("start {}", ctx.tool_use_id));
                    after(10).await;
                    Ok(HostOutput::text("done"))
                }
            })
    };
    let world = Setup::new().any_tool(Origin::BuiltIn, panics("Odd", &log)).build();
    let outcomes = world.run([call("a", "Odd", json!({})), call("b", "Odd", json!({}))]).await;
    assert!(outcomes.iter().all(|outcome| ending(outcome) == "ok"));
    assert_eq!(log.time_of("start b").unwrap() - log.time_of("start a").unwrap(), 10);
}
