//! The classifier: started with the hooks, kept, waited for only where a plain question is open.

use serde_json::json;
use toolreeve_engine::Validation;
use toolreeve_engine::host::{HookOutcome, PromptAnswer};
use toolreeve_permission::{Behavior, HookVerdict};

use crate::support::{Person, Setup, Stub, StubHook, call, ending};

fn waits(world: &crate::support::World) -> usize {
    world.heard().iter().filter(|line| line.starts_with("classifier_pending")).count()
}

#[tokio::test(start_paused = true)]
async fn it_starts_with_the_hooks_and_is_waited_for_on_a_plain_question() {
    let slow_hook = StubHook::late("PreToolUse", 60, |_| Ok(HookOutcome::default()));
    let world = Setup::with(Stub::asking("Work")).hook(slow_hook).classifier(100).build();
    assert_eq!(ending(&world.call("Work", json!({"text": "fine 1"})).await), "ok");
    assert_eq!(world.log.time_of("classify Work fine 1"), Some(0));
    assert_eq!(world.heard_at("classifier_pending t1"), Some(60), "only once the question is open");
    assert_eq!(world.log.time_of("start t1"), Some(100), "beside the hooks, not behind them");
}

#[tokio::test(start_paused = true)]
async fn a_verdict_that_is_there_is_not_announced_as_pending() {
    let slow_hook = StubHook::late("PreToolUse", 200, |_| Ok(HookOutcome::default()));
    let world = Setup::with(Stub::asking("Work")).hook(slow_hook).classifier(100).build();
    assert_eq!(ending(&world.call("Work", json!({"text": "fine"})).await), "ok");
    assert_eq!(waits(&world), 0);

    let world = Setup::with(Stub::asking("Work")).classifier(100).build();
    for _ in 0..2 {
        assert_eq!(ending(&world.call("Work", json!({"text": "fine"})).await), "ok");
    }
    assert_eq!(waits(&world), 1, "the second verdict comes from the cache");
    assert_eq!(world.log.said().iter().filter(|line| *line == "classify Work fine").count(), 1);
}

#[tokio::test(start_paused = true)]
async fn without_an_input_for_it_nothing_is_asked() {
    let world = Setup::with(Stub::asking("Work")).classifier(10).build();
    assert_eq!(ending(&world.call("Work", json!({})).await), "permission-denied");
    assert_eq!((world.log.said().len(), waits(&world)), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn it_is_not_waited_for_where_something_else_decides() {
    let hook = |behavior| {
        StubHook::new("PreToolUse", move |_| HookOutcome {
            verdict: Some(HookVerdict { behavior, message: "so".to_owned() }),
            ..HookOutcome::default()
        })
    };
    let validation = Some(Validation::Ask { message: "sure?".to_owned() });
    let rows = [
        ("allow rule", Setup::with(Stub::asking("Work")).rule(Behavior::Allow, "Work"), "ok"),
        ("deny rule", Setup::with(Stub::asking("Work")).rule(Behavior::Deny, "Work(fine)"), "permission-denied"),
        ("ask rule", Setup::with(Stub::asking("Work")).rule(Behavior::Ask, "Work"), "permission-denied"),
        ("hook asks", Setup::with(Stub::asking("Work")).hook(hook(Behavior::Ask)), "permission-denied"),
        ("hook denies", Setup::with(Stub::asking("Work")).hook(hook(Behavior::Deny)), "permission-denied"),
        ("tool asks", Setup::with(Stub { validation, ..Stub::asking("Work") }), "permission-denied"),
        ("needs a person", Setup::with(Stub { needs_person: true, ..Stub::asking("Work") }), "permission-denied"),
    ];
    for (what, setup, wanted) in rows {
        let world = setup.classifier(1_000).build();
        assert_eq!(ending(&world.call("Work", json!({"text": "fine"})).await), wanted, "{what}");
        assert_eq!((world.log.now(), waits(&world)), (0, 0), "{what}");
        tokio::task::yield_now().await;
        assert_eq!(world.log.alive(), 0, "{what}: the question is given up");
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_is_unsure_or_broken_leaves_it_to_the_person() {
    for text in ["hm", "broken", "panic"] {
        let setup = Setup::with(Stub::asking("Work")).classifier(10);
        let world = setup.person([Person::Answers(PromptAnswer::allow_once())]).build();
        assert_eq!(ending(&world.call("Work", json!({"text": text})).await), "ok");
        assert_eq!(world.asked.lock().unwrap().len(), 1, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_verdict_on_the_old_input_says_nothing_about_a_changed_one() {
    let changes = StubHook::new("PreToolUse", |_| HookOutcome {
        updated_input: Some(json!({"text": "evil"})),
        ..HookOutcome::default()
    });
    let world = Setup::with(Stub::asking("Work")).hook(changes).classifier(10).build();
    let outcome = world.call("Work", json!({"text": "fine"})).await;
    assert_eq!(ending(&outcome), "permission-denied");
    assert!(world.log.said().contains(&"classify Work evil".to_owned()), "{:?}", world.log.said());
}

#[tokio::test(start_paused = true)]
async fn calls_beside_each_other_are_judged_beside_each_other() {
    let world = Setup::with(Stub::asking("Work")).classifier(100).build();
    let calls = (0..3).map(|at| call(&format!("t{at}"), "Work", json!({"text": format!("fine {at}")})));
    assert!(world.run(calls).await.iter().all(|outcome| ending(outcome) == "ok"));
    assert_eq!(world.log.now(), 100);
}
