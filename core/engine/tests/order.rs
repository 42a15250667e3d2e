//! The streaming executor: when calls start, in which order results leave, and what one call does to the others.

use std::time::Duration;

use serde_json::json;
use toolreeve_engine::exec::streaming::CallState;
use toolreeve_engine::{CancelReason, Event};

use crate::support::{Setup, Stub, after, call, drain, ending, ids};

fn starts(world: &crate::support::World, ids: &[&str]) -> Vec<Option<u64>> {
    ids.iter().map(|id| world.log.time_of(&format!("start {id}"))).collect()
}

#[tokio::test(start_paused = true)]
async fn results_leave_in_the_order_of_the_requests_and_progress_leaves_at_once() {
    let world = Setup::with(Stub::new("Work")).build();
    let calls = [
        call("a", "Work", json!({"ms": 300})),
        call("b", "Work", json!({"ms": 100, "text": "progress b"})),
        call("c", "Work", json!({"ms": 200})),
    ];
    let outcomes = world.run(calls).await;
    assert_eq!(ids(&outcomes), ["a", "b", "c"]);
    assert_eq!(world.heard_at("tool_progress b"), Some(0));
    assert_eq!(world.heard_at("tool_end b"), Some(100));
    assert_eq!(world.heard_at("tool_result b"), Some(300), "behind a");
    assert_eq!(world.log.now(), 300);
}

#[tokio::test(start_paused = true)]
async fn a_call_starts_when_it_is_pushed_while_the_model_still_streams() {
    let world = Setup::with(Stub::new("Work")).build();
    let mut executor = world.executor();
    executor.push(call("a", "Work", json!({"ms": 50})));
    after(200).await;
    assert_eq!(world.log.time_of("end a"), Some(50), "nobody asked for a result yet");
    assert_eq!(world.heard_at("tool_end a"), Some(50));
    executor.push(call("b", "Work", json!({"ms": 50})));
    executor.stream_ended();
    executor.push(call("c", "Work", json!({"ms": 50})));
    assert_eq!(ids(&drain(&mut executor).await), ["a", "b", "c"]);
    let events = world.events.lock().unwrap();
    let streaming: Vec<bool> = events
        .iter()
        .filter_map(|(_, event)| match event {
            Event::ToolStart { while_streaming, .. } => Some(*while_streaming),
            _ => None,
        })
        .collect();
    assert_eq!(streaming, [true, true, false]);
}

#[tokio::test(start_paused = true)]
async fn an_exclusive_call_waits_for_all_before_it_and_holds_back_all_behind_it() {
    let world = Setup::with(Stub::new("Safe")).tool(Stub::exclusive("Alone")).build();
    let calls = [
        call("a", "Safe", json!({"ms": 30})),
        call("b", "Safe", json!({"ms": 10})),
        call("c", "Alone", json!({"ms": 10})),
        call("d", "Safe", json!({"ms": 10})),
        call("e", "Safe", json!({"ms": 10})),
        call("f", "Alone", json!({})),
    ];
    world.run(calls).await;
    let times = starts(&world, &["a", "b", "c", "d", "e", "f"]);
    assert_eq!(times, [Some(0), Some(0), Some(30), Some(40), Some(40), Some(50)]);
}

#[tokio::test(start_paused = true)]
async fn there_is_no_numeric_cap() {
    let world = Setup::with(Stub::new("Work")).build();
    let outcomes = world.run((0..500).map(|at| call(&format!("t{at}"), "Work", json!({"ms": 100})))).await;
    assert_eq!((outcomes.len(), world.log.now()), (500, 100));
}

#[tokio::test(start_paused = true)]
async fn who_only_pushes_does_not_hold_back_the_queue() {
    let world = Setup::with(Stub::exclusive("Alone")).build();
    let mut executor = world.executor();
    executor.push(call("a", "Alone", json!({"ms": 10})));
    executor.push(call("b", "Alone", json!({"ms": 10})));
    after(100).await;
    executor.push(call("c", "Alone", json!({"ms": 10})));
    after(100).await;
    assert_eq!(starts(&world, &["a", "b", "c"]), [Some(0), Some(10), Some(100)]);
    assert_eq!(ids(&drain(&mut executor).await), ["a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn the_states_of_calls_can_be_seen() {
    use CallState::{Completed, Executing, Queued, Yielded};
    let world = Setup::with(Stub::new("Safe")).tool(Stub::exclusive("Alone")).build();
    let mut executor = world.executor();
    for (id, name) in [("a", "Safe"), ("b", "Safe"), ("c", "Alone")] {
        executor.push(call(id, name, json!({"ms": if id == "a" { 20 } else { 10 }})));
    }
    let states = |executor: &toolreeve_engine::StreamingExecutor| executor.states();
    assert_eq!(states(&executor), [Executing, Executing, Queued]);
    executor.next().await.unwrap();
    assert_eq!(states(&executor), [Yielded, Completed, Executing]);
    drain(&mut executor).await;
    assert_eq!(states(&executor), [Yielded; 3]);
    assert!(!executor.has_pending());
    assert!(executor.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn asking_for_a_result_can_be_given_up_without_loss() {
    let world = Setup::with(Stub::new("Work")).build();
    let mut executor = world.executor();
    for id in ["a", "b", "c"] {
        executor.push(call(id, "Work", json!({"ms": 100})));
    }
    let mut got = Vec::new();
    while executor.has_pending() {
        if let Ok(Some(outcome)) = tokio::time::timeout(Duration::from_millis(7), executor.next()).await {
            got.push(outcome);
        }
    }
    assert_eq!(ids(&got), ["a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_cancels_siblings_stops_them_and_not_the_turn() {
    for end in ["error", "bad_output", "panic"] {
        let shell = Stub { cancels_siblings: true, ..Stub::new("Shell") };
        let world = Setup::with(shell).tool(Stub::new("Work")).build();
        let calls = [
            call("a", "Work", json!({"end": "hang"})),
            call("b", "Shell", json!({"ms": 10, "end": end, "text": "oh"})),
            call("c", "Work", json!({"ms": 5})),
            call("d", "Work", json!({"alone": true})),
        ];
        let outcomes = world.run(calls).await;
        let endings: Vec<&str> = outcomes.iter().map(ending).collect();
        let own = if end == "panic" { "panicked" } else { "failed" };
        assert_eq!(endings, ["cancelled", own, "ok", "cancelled"], "{end}");
        assert!(outcomes[3].result.text().contains("another call of the same message failed"));
        assert_eq!(world.log.time_of("stop a SiblingError"), Some(10), "{:?}", world.log.said());
        assert!(!world.turn.is_cancelled());
    }
}

#[tokio::test(start_paused = true)]
async fn siblings_are_stopped_at_once_though_nobody_asks_for_results() {
    let shell = Stub { cancels_siblings: true, ..Stub::new("Shell") };
    let must_finish = Stub { must_finish: true, ..Stub::new("Save") };
    let world = Setup::with(shell).tool(must_finish).build();
    let mut executor = world.executor();
    executor.push(call("a", "Save", json!({"end": "hang"})));
    executor.push(call("b", "Shell", json!({"ms": 10, "end": "error"})));
    after(500).await;
    assert_eq!(world.log.time_of("stop a SiblingError"), Some(10), "only the person is ignored");
    executor.push(call("c", "Save", json!({})));
    let outcomes = drain(&mut executor).await;
    assert_eq!(outcomes.iter().map(ending).collect::<Vec<_>>(), ["cancelled", "failed", "cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn other_failures_leave_the_siblings_alone() {
    let world = Setup::with(Stub::new("Work")).build();
    let calls = ["error", "bad_output", "panic", "ok"].map(|end| call(end, "Work", json!({"ms": 10, "end": end})));
    let outcomes = world.run(calls).await;
    assert_eq!(outcomes.iter().map(ending).collect::<Vec<_>>(), ["failed", "failed", "panicked", "ok"]);
}

#[tokio::test(start_paused = true)]
async fn discarding_gives_each_call_a_result_and_starts_nothing_more() {
    let world = Setup::with(Stub::new("Safe")).tool(Stub::exclusive("Alone")).build();
    let mut executor = world.executor();
    executor.push(call("a", "Safe", json!({})));
    executor.push(call("b", "Safe", json!({"end": "hang"})));
    executor.push(call("c", "Alone", json!({})));
    assert_eq!(executor.next().await.unwrap().result.tool_use_id, "a");
    after(10).await;
    assert_eq!(executor.discard(), ["a", "b", "c"], "for the tombstones");
    executor.push(call("d", "Safe", json!({})));
    let outcomes = drain(&mut executor).await;
    assert_eq!(ids(&outcomes), ["b", "c", "d"]);
    for outcome in &outcomes {
        assert!(outcome.result.text().contains("the model's answer was discarded"), "{}", outcome.result.text());
    }
    assert_eq!(world.log.said(), ["start a", "end a", "start b", "stop b Discarded"]);
    assert!(!world.turn.is_cancelled(), "a new executor can be built");
    assert_eq!(ending(&world.call("Safe", json!({})).await), "ok");
}

#[tokio::test(start_paused = true)]
async fn dropping_the_executor_stops_every_call() {
    for end in ["hang", "deaf"] {
        let world = Setup::with(Stub { must_finish: true, ..Stub::new("Work") }).build();
        let mut executor = world.executor();
        for at in 0..20 {
            executor.push(call(&format!("t{at}"), "Work", json!({"end": end})));
        }
        after(10).await;
        assert_eq!(world.log.alive(), 20);
        drop(executor);
        tokio::task::yield_now().await;
        assert_eq!(world.log.alive(), 0, "{end}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_repeated_id_gets_a_result_each_time() {
    let world = Setup::with(Stub::new("Work")).build();
    let calls = [("one", 30), ("two", 10), ("three", 20)];
    let outcomes = world.run(calls.map(|(text, ms)| call("same", "Work", json!({"ms": ms, "text": text})))).await;
    let texts: Vec<String> = outcomes.iter().map(|outcome| outcome.result.text()).collect();
    assert_eq!(texts, ["one", "two", "three"]);
}

#[tokio::test(start_paused = true)]
async fn only_a_call_that_ran_alone_changes_the_context() {
    let world = Setup::with(Stub::new("Safe")).tool(Stub::exclusive("Alone")).build();
    let calls = [
        call("a", "Safe", json!({"end": "change", "text": "from-safe"})),
        call("b", "Alone", json!({"end": "change", "text": "from-alone"})),
        call("c", "Alone", json!({"end": "bad_change"})),
        call("d", "Alone", json!({"end": "change", "text": "after"})),
    ];
    let outcomes = world.run(calls).await;
    assert!(outcomes.iter().all(|outcome| ending(outcome) == "ok"));
    assert_eq!(world.environment(), ["from-alone", "after"], "a change that panics changes nothing");
    assert!(world.heard().contains(&"error ".to_owned()));
    let said = world.log.said();
    let at = |line: &str| said.iter().position(|said| said == line).unwrap();
    assert!(at("change from-alone") < at("start c"), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_context_may_read_the_session() {
    let world = Setup::with(Stub::new("Work")).build();
    let session = std::sync::Arc::clone(&world.session);
    let seen = std::sync::Arc::clone(&session);
    session.update_context(move |context| {
        let before = seen.context().env.len();
        context.env.push(("before".to_owned(), before.to_string()));
    });
    assert_eq!(world.environment(), ["before"]);
}

#[tokio::test(start_paused = true)]
async fn an_executor_without_calls_has_nothing_to_give() {
    let world = Setup::new().build();
    let mut executor = world.executor();
    assert!(!executor.has_pending());
    assert!(executor.next().await.is_none());
    assert!(executor.discard().is_empty());
    world.turn.cancel(CancelReason::User);
    assert!(executor.next().await.is_none());
}

#[test]
fn results_survive_on_a_runtime_with_several_threads() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    runtime.block_on(async {
        let world = Setup::with(Stub::new("Safe")).tool(Stub::exclusive("Alone")).build();
        let wanted: Vec<String> = (0..500).map(|at| format!("t{at}")).collect();
        let calls = wanted
            .iter()
            .enumerate()
            .map(|(at, id)| call(id, if at % 7 == 0 { "Alone" } else { "Safe" }, json!({"text": id})));
        let outcomes = world.run(calls).await;
        assert_eq!(ids(&outcomes), wanted);
        assert!(outcomes.iter().all(|outcome| ending(outcome) == "ok"));
    });
}
