//! Cancellation by every reason, before and during each stage; nothing is lost and nothing goes on.

use serde_json::json;
use toolreeve_engine::host::HookOutcome;
use toolreeve_engine::{CancelReason, CancelToken};

use crate::support::{ALL_REASONS, Person, Setup, Stub, StubHook, after, call, ending, ids};

fn words(reason: CancelReason) -> &'static str {
    match reason {
        CancelReason::User => "The user interrupted this call.",
        CancelReason::SiblingError => "another call of the same message failed",
        CancelReason::Discarded => "the model's answer was discarded",
        CancelReason::Timeout => "the time limit of the turn was reached",
        CancelReason::Shutdown => "the session ended",
        _ => unreachable!("a reason without words"),
    }
}

#[tokio::test(start_paused = true)]
async fn before_it_starts_a_call_never_runs() {
    for reason in ALL_REASONS {
        let world = Setup::with(Stub::new("Work")).build();
        world.turn.cancel(reason);
        let outcomes = world.run((0..3).map(|at| call(&format!("t{at}"), "Work", json!({})))).await;
        assert_eq!(ids(&outcomes), ["t0", "t1", "t2"]);
        for outcome in &outcomes {
            assert_eq!(ending(outcome), "cancelled");
            assert!(outcome.result.text().contains(words(reason)), "{}", outcome.result.text());
        }
        assert!(world.log.said().is_empty());
        assert!(!world.heard().contains(&"tool_start t0".to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn during_any_stage_what_is_waited_for_is_dropped() {
    type Make = fn() -> Setup;
    let stages: [(&str, Make); 6] = [
        ("validation", || Setup::with(Stub::new("Work"))),
        ("own check", || Setup::with(Stub::new("Work"))),
        ("hook", || Setup::with(Stub::new("Work")).hook(StubHook::hanging("PreToolUse"))),
        ("classifier", || Setup::with(Stub::asking("Work")).classifier(1_000_000)),
        ("prompt", || Setup::with(Stub::asking("Work")).person([Person::NeverAnswers])),
        ("call", || Setup::with(Stub::new("Work"))),
    ];
    for reason in ALL_REASONS {
        for (stage, setup) in stages {
            for must_finish in [false, true] {
                if must_finish && stage == "call" {
                    continue;
                }
                let text = match stage {
                    "validation" => "slow-validation",
                    "own check" => "slow-check",
                    _ => "x",
                };
                let world = setup().build();
                let turn = world.turn.clone();
                let input = json!({"text": text, "end": "hang"});
                let (outcome, ()) = tokio::join!(world.call("Work", input), async {
                    after(20).await;
                    turn.cancel(reason);
                });
                assert_eq!(ending(&outcome), "cancelled", "{stage} {reason:?}");
                assert!(outcome.result.text().contains(words(reason)), "{stage}: {}", outcome.result.text());
                assert_eq!(world.log.now(), 20, "{stage}: at once");
                assert_eq!(world.log.said().contains(&"start t1".to_owned()), stage == "call", "{stage}");
                tokio::task::yield_now().await;
                assert_eq!(world.log.alive(), 0, "{stage}: nothing goes on");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_does_not_listen_is_dropped_after_its_grace() {
    for reason in ALL_REASONS {
        let world = Setup::with(Stub::new("Work")).build();
        let turn = world.turn.clone();
        let (outcome, ()) = tokio::join!(world.call("Work", json!({"end": "deaf"})), async {
            after(10).await;
            turn.cancel(reason);
        });
        assert_eq!(ending(&outcome), "cancelled");
        assert_eq!(world.log.now(), 5_010);
        assert_eq!(world.log.alive(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_finishes_within_the_grace_keeps_its_result() {
    let world = Setup::with(Stub::new("Work")).build();
    let turn = world.turn.clone();
    // Deaf to the token and done soon after it.
    let tool = toolreeve_engine::ToolBuilder::new("Slow", "d", json!({"type": "object"})).read_only(true).build(
        |_, _| async {
            after(100).await;
            Ok(toolreeve_engine::HostOutput::text("done all the same"))
        },
    );
    drop(world);
    let world = Setup::new().any_tool(toolreeve_engine::Origin::BuiltIn, tool).build();
    drop(turn);
    let turn = world.turn.clone();
    let (outcome, ()) = tokio::join!(world.call("Slow", json!({})), async {
        after(10).await;
        turn.cancel(CancelReason::User);
    });
    assert_eq!((ending(&outcome), outcome.result.text().as_str()), ("ok", "done all the same"));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_must_finish_outlives_the_person_and_nothing_else() {
    for reason in ALL_REASONS {
        let world = Setup::with(Stub { must_finish: true, ..Stub::new("Save") }).build();
        let turn = world.turn.clone();
        let (outcome, ()) = tokio::join!(world.call("Save", json!({"ms": 100, "text": "saved"})), async {
            after(10).await;
            turn.cancel(reason);
        });
        let wanted = if reason == CancelReason::User { ("ok", 100) } else { ("cancelled", 10) };
        assert_eq!((ending(&outcome), world.log.now()), wanted, "{reason:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_later_reason_reaches_a_tool_that_ignored_the_person() {
    let world = Setup::with(Stub { must_finish: true, ..Stub::new("Save") }).build();
    let turn = world.turn.clone();
    let (outcome, ()) = tokio::join!(world.call("Save", json!({"ms": 1_000})), async {
        after(10).await;
        turn.cancel(CancelReason::User);
        after(10).await;
        turn.cancel(CancelReason::Shutdown);
    });
    assert_eq!((ending(&outcome), world.log.now()), ("cancelled", 20));
}

#[tokio::test(start_paused = true)]
async fn what_waits_behind_a_tool_that_must_finish_is_not_started_after_an_interruption() {
    let world = Setup::with(Stub { must_finish: true, ..Stub::exclusive("Save") }).build();
    let turn = world.turn.clone();
    let calls = [call("a", "Save", json!({"ms": 100})), call("b", "Save", json!({}))];
    let (outcomes, ()) = tokio::join!(world.run(calls), async {
        after(10).await;
        turn.cancel(CancelReason::User);
    });
    assert_eq!(outcomes.iter().map(ending).collect::<Vec<_>>(), ["ok", "cancelled"]);
    assert_eq!(world.log.said(), ["start a", "end a"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_cannot_cancel_its_siblings_through_its_own_token() {
    let tool = toolreeve_engine::ToolBuilder::new("Selfish", "d", json!({"type": "object"}))
        .read_only(true)
        .concurrency_safe(true)
        .build(|_, ctx| async move {
            ctx.cancel.cancel(CancelReason::Timeout);
            Ok(toolreeve_engine::HostOutput::text("mine"))
        });
    let world = Setup::with(Stub::new("Work")).any_tool(toolreeve_engine::Origin::BuiltIn, tool).build();
    let outcomes = world.run([call("a", "Selfish", json!({})), call("b", "Work", json!({"ms": 10}))]).await;
    assert_eq!(outcomes.iter().map(ending).collect::<Vec<_>>(), ["ok", "ok"]);
}

#[tokio::test(start_paused = true)]
async fn hooks_are_not_run_for_what_was_cancelled() {
    let heard = StubHook::new("PostToolUseFailure", |_| HookOutcome {
        additional_context: Some("heard".to_owned()),
        ..HookOutcome::default()
    });
    let world = Setup::with(Stub::new("Work")).hook(heard).build();
    let turn = world.turn.clone();
    let (outcome, ()) = tokio::join!(world.call("Work", json!({"end": "hang"})), async {
        after(10).await;
        turn.cancel(CancelReason::Timeout);
    });
    assert!(outcome.additional_context.is_empty());
}

#[tokio::test(start_paused = true)]
async fn many_waiters_of_one_tree_all_wake() {
    let root = CancelToken::new();
    let waiters: Vec<_> = (0..100)
        .map(|at| {
            let token = if at % 2 == 0 { root.child() } else { root.child().child() };
            tokio::spawn(async move { token.cancelled().await })
        })
        .collect();
    after(1).await;
    root.cancel(CancelReason::Shutdown);
    for waiter in waiters {
        assert_eq!(waiter.await.unwrap(), CancelReason::Shutdown);
    }
}
