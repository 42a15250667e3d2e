//! The batch executor: a finished list, in batches, with a cap and with changes of the context that wait.

use proptest::prelude::*;
use serde_json::json;
use toolreeve_engine::exec::batch::{DEFAULT_MAX_CONCURRENCY, MAX_CONCURRENCY_VARIABLE, max_concurrency};
use toolreeve_engine::exec::partition::partition;
use toolreeve_engine::{CancelReason, RequestedCall, run_batches};

use crate::support::{Setup, Stub, World, after, call, ending, ids, in_time};

fn setup() -> Setup {
    let shell = Stub { cancels_siblings: true, ..Stub::new("Shell") };
    Setup::with(Stub::new("Safe")).tool(Stub::exclusive("Alone")).tool(shell)
}

fn safe(count: usize) -> Vec<RequestedCall> {
    (0..count).map(|at| call(&format!("t{at}"), "Safe", json!({"ms": 100}))).collect()
}

async fn run(world: &World, calls: Vec<RequestedCall>, cap: usize) -> Vec<toolreeve_engine::CallOutcome> {
    in_time(run_batches(&world.pipeline, calls, &world.turn, cap)).await
}

#[test]
fn the_cap_comes_from_the_variable() {
    assert_eq!((DEFAULT_MAX_CONCURRENCY, MAX_CONCURRENCY_VARIABLE), (10, "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"));
    for (text, wanted) in
        [(None, 10), (Some("3"), 3), (Some(" 25 "), 25), (Some("0"), 10), (Some("-1"), 10), (Some("x"), 10)]
    {
        assert_eq!(max_concurrency(text), wanted, "{text:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn at_most_so_many_run_at_once() {
    for (cap, wanted) in [(10, 300), (1, 2_500), (3, 900), (100, 100), (0, 2_500)] {
        let world = setup().build();
        let outcomes = run(&world, safe(25), cap).await;
        assert_eq!(ids(&outcomes), (0..25).map(|at| format!("t{at}")).collect::<Vec<_>>());
        assert_eq!(world.log.now(), wanted, "cap {cap}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_first_call_does_not_keep_finished_places_empty() {
    let world = setup().build();
    let mut calls = vec![call("slow", "Safe", json!({"ms": 1_000}))];
    calls.extend(safe(10));
    run(&world, calls, 2).await;
    assert_eq!(world.log.now(), 1_000);
}

#[tokio::test(start_paused = true)]
async fn batches_follow_each_other_and_changes_wait_for_the_end_of_their_batch() {
    let world = setup().build();
    let change = |id: &str, name: &str, ms: u32| call(id, name, json!({"ms": ms, "end": "change", "text": id}));
    let calls =
        vec![change("a", "Safe", 30), change("b", "Safe", 10), change("c", "Alone", 10), change("d", "Safe", 10)];
    // With a cap of one the calls of a batch follow each other, and still the changes wait for its end.
    for cap in [10, 1] {
        let world = if cap == 10 { &world } else { &setup().build() };
        let outcomes = run(world, calls.clone(), cap).await;
        assert!(outcomes.iter().all(|outcome| ending(outcome) == "ok"));
        assert_eq!(world.environment(), ["a", "b", "c", "d"], "in the order of the calls");
        let said = world.log.said();
        let at = |line: &str| said.iter().position(|said| said == line).unwrap();
        assert!(at("end a") < at("change a") && at("end b") < at("change a"), "{said:?}");
        assert!(at("change b") < at("start c") && at("change c") < at("start d"), "{said:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_a_batch_of_its_own() {
    let world = setup().build();
    let calls = vec![
        call("a", "Safe", json!({"ms": 10})),
        call("b", "Safe", json!({"ms": "never"})),
        call("c", "None", json!({})),
        call("d", "Safe", json!({"ms": 10})),
    ];
    let outcomes = run(&world, calls, 10).await;
    assert_eq!(outcomes.iter().map(ending).collect::<Vec<_>>(), ["ok", "invalid-input", "unknown-tool", "ok"]);
    assert_eq!(world.log.time_of("start d"), Some(10));
}

#[tokio::test(start_paused = true)]
async fn sibling_failures_and_interruptions_reach_queued_and_running_calls() {
    let world = setup().build();
    let calls = vec![
        call("a", "Safe", json!({"end": "hang"})),
        call("b", "Shell", json!({"ms": 10, "end": "error"})),
        call("c", "Safe", json!({})),
        call("d", "Alone", json!({})),
    ];
    let outcomes = run(&world, calls, 2).await;
    assert_eq!(outcomes.iter().map(ending).collect::<Vec<_>>(), ["cancelled", "failed", "cancelled", "cancelled"]);

    let world = setup().tool(Stub { must_finish: true, ..Stub::new("Save") }).build();
    let calls = vec![
        call("a", "Save", json!({"ms": 100})),
        call("b", "Safe", json!({"end": "hang"})),
        call("c", "Alone", json!({})),
    ];
    let turn = world.turn.clone();
    let (outcomes, ()) = tokio::join!(run(&world, calls, 10), async {
        after(10).await;
        turn.cancel(CancelReason::User);
    });
    assert_eq!(outcomes.iter().map(ending).collect::<Vec<_>>(), ["ok", "cancelled", "cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_run_stops_every_call() {
    let world = setup().build();
    let calls = (0..5).map(|at| call(&format!("t{at}"), "Safe", json!({"end": "deaf"}))).collect();
    let limit = std::time::Duration::from_millis(50);
    assert!(tokio::time::timeout(limit, run(&world, calls, 10)).await.is_err());
    tokio::task::yield_now().await;
    assert_eq!(world.log.alive(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// The executor runs exactly the batches that `partition` cuts: a batch starts when the one before is over.
    #[test]
    fn batches_are_those_of_the_partition(kinds in proptest::collection::vec((any::<bool>(), 1_u32..50), 0..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let world = setup().build();
            let calls = kinds.iter().enumerate().map(|(at, &(safe, ms))| {
                call(&format!("t{at}"), if safe { "Safe" } else { "Alone" }, json!({"ms": ms}))
            });
            run(&world, calls.collect(), usize::MAX).await;
            let safe: Vec<bool> = kinds.iter().map(|(safe, _)| *safe).collect();
            let mut begins = 0;
            for batch in partition(&safe) {
                for at in batch.calls.clone() {
                    assert_eq!(world.log.time_of(&format!("start t{at}")), Some(begins));
                }
                begins += batch.calls.map(|at| u64::from(kinds[at].1)).max().unwrap();
            }
        });
    }
}
