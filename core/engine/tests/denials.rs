//! What is refused again and again: guidance for the model, and the pause of the auto mode.

use serde_json::json;
use toolreeve_engine::CallOutcome;
use toolreeve_engine::host::PromptAnswer;
use toolreeve_permission::{AUTO_BLOCKS_IN_A_ROW, Behavior, PermissionMode};

use crate::support::{Person, Setup, Stub, World, ending};

async fn call(world: &World, text: &str) -> CallOutcome {
    world.call("Work", json!({"text": text})).await
}

fn is_guided(outcome: &CallOutcome) -> bool {
    outcome.result.text().contains("times in a row")
}

#[tokio::test(start_paused = true)]
async fn the_third_refusal_of_a_kind_brings_guidance() {
    let world = Setup::with(Stub::asking("Work")).rule(Behavior::Deny, "Work(bad)").rule(Behavior::Allow, "Work(good)");
    let world = world.build();
    for (text, wanted, guided) in [
        ("other", "permission-denied", false),
        ("other", "permission-denied", false),
        ("third", "permission-denied", false),
        ("other", "permission-denied", true),
        ("good", "ok", false),
        ("other", "permission-denied", true),
    ] {
        let outcome = call(&world, text).await;
        assert_eq!((ending(&outcome), is_guided(&outcome)), (wanted, guided), "{text}: {}", outcome.result.text());
    }
}

#[tokio::test(start_paused = true)]
async fn an_approval_ends_the_row() {
    let no = || Person::Answers(PromptAnswer::deny("no"));
    let yes = || Person::Answers(PromptAnswer::allow_once());
    let world = Setup::with(Stub::asking("Work")).person([no(), no(), yes(), no(), no(), no()]).build();
    let mut guided = Vec::new();
    for _ in 0..6 {
        guided.push(is_guided(&call(&world, "same").await));
    }
    assert_eq!(guided, [false, false, false, false, false, true]);
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_refuses_counts_too_and_a_failed_call_does_not() {
    let hook = crate::support::StubHook::new("PreToolUse", |_| toolreeve_engine::host::HookOutcome {
        verdict: Some(toolreeve_permission::HookVerdict { behavior: Behavior::Deny, message: "no".to_owned() }),
        ..Default::default()
    });
    let world = Setup::with(Stub::asking("Work")).hook(hook).build();
    let mut guided = Vec::new();
    for _ in 0..3 {
        guided.push(is_guided(&call(&world, "same").await));
    }
    assert_eq!(guided, [false, false, true]);

    let world = Setup::with(Stub::new("Work")).build();
    for _ in 0..4 {
        assert!(!is_guided(&world.call("Work", json!({"text": "same", "end": "error"})).await));
    }
}

#[tokio::test(start_paused = true)]
async fn the_auto_mode_refuses_what_is_blocked_then_asks_the_person() {
    let setup = Setup::with(Stub::asking("Work")).mode(PermissionMode::Auto).classifier(10);
    let world = setup.person([Person::Answers(PromptAnswer::allow_once())]).build();
    for at in 1..AUTO_BLOCKS_IN_A_ROW {
        let outcome = call(&world, &format!("block {at}")).await;
        assert_eq!(ending(&outcome), "permission-denied");
        assert!(outcome.result.text().contains("it is harmful"), "{}", outcome.result.text());
    }
    assert_eq!(world.asked.lock().unwrap().len(), 0);
    assert_eq!(ending(&call(&world, "block last").await), "ok", "the third goes to the person");
    assert_eq!(world.asked.lock().unwrap().len(), 1);
    assert_eq!(ending(&call(&world, "block again").await), "permission-denied", "their approval resumed the auto mode");
    assert_eq!(ending(&call(&world, "fine").await), "ok");
    assert_eq!(world.asked.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn while_it_pauses_the_classifier_is_not_heard() {
    let setup = Setup::with(Stub::asking("Work")).mode(PermissionMode::Auto).classifier(10);
    let world = setup.person((0..3).map(|_| Person::Answers(PromptAnswer::deny("no")))).build();
    for at in 1..=AUTO_BLOCKS_IN_A_ROW {
        call(&world, &format!("block {at}")).await;
    }
    assert_eq!(world.asked.lock().unwrap().len(), 1);
    assert_eq!(ending(&call(&world, "fine").await), "permission-denied", "the person says no to what it would allow");
    assert_eq!(world.asked.lock().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn outside_of_the_auto_mode_a_block_is_a_question() {
    let world = Setup::with(Stub::asking("Work")).classifier(10).person([Person::Answers(PromptAnswer::allow_once())]);
    let world = world.build();
    assert_eq!(ending(&call(&world, "block").await), "ok");
    assert_eq!(world.asked.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn nobody_to_ask_while_it_pauses_is_a_refusal() {
    let world = Setup::with(Stub::asking("Work")).mode(PermissionMode::Auto).classifier(10).build();
    for at in 0..6 {
        assert_eq!(ending(&call(&world, &format!("block {at}")).await), "permission-denied");
    }
    assert!(call(&world, "fine").await.result.text().contains("nobody to ask"));
}
