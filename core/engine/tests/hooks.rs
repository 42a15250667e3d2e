//! Stages 3 and 7: hooks before and after a call.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;
use toolreeve_engine::hooks::HookScene;
use toolreeve_engine::host::{Hook, HookEvent, HookInput, HookOutcome, HostError, PromptAnswer};
use toolreeve_engine::{CallOutcome, CancelReason, Context, EventSink, Session};
use toolreeve_permission::{Behavior, HookVerdict};

use crate::support::{Person, Setup, Stub, StubHook, after, ending};

fn says(behavior: Behavior) -> HookOutcome {
    HookOutcome {
        verdict: Some(HookVerdict { behavior, message: format!("the hook says {}", behavior.as_str()) }),
        additional_context: Some(format!("note of {}", behavior.as_str())),
        ..HookOutcome::default()
    }
}

fn pre(behavior: Behavior) -> StubHook {
    StubHook::new("PreToolUse", move |_| says(behavior))
}

fn updating(text: &'static str, verdict: Option<Behavior>) -> StubHook {
    StubHook::new("PreToolUse", move |_| HookOutcome {
        updated_input: Some(json!({"text": text})),
        ..verdict.map(says).unwrap_or_default()
    })
}

fn context(outcome: &CallOutcome) -> Vec<&str> {
    outcome.additional_context.iter().map(String::as_str).collect()
}

#[tokio::test(start_paused = true)]
async fn a_hook_allows_denies_or_asks_and_its_context_reaches_the_model() {
    let world = Setup::with(Stub::asking("Work")).hook(pre(Behavior::Allow)).build();
    let allowed = world.call("Work", json!({"text": "x"})).await;
    assert_eq!((ending(&allowed), context(&allowed)), ("ok", vec!["note of allow"]));

    let world = Setup::with(Stub::new("Work")).hook(pre(Behavior::Deny)).rule(Behavior::Allow, "Work").build();
    let denied = world.call("Work", json!({})).await;
    assert_eq!((ending(&denied), context(&denied)), ("permission-denied", vec!["note of deny"]));
    assert!(denied.result.text().contains("the hook says deny"), "{}", denied.result.text());
    assert!(world.log.said().is_empty());

    let setup = Setup::with(Stub::new("Work")).hook(pre(Behavior::Ask)).rule(Behavior::Allow, "Work");
    let world = setup.person([Person::Answers(PromptAnswer::allow_once())]).build();
    assert_eq!(ending(&world.call("Work", json!({})).await), "ok");
    assert_eq!(world.asked.lock().unwrap().len(), 1, "a hook that asks beats an allow rule");
}

#[tokio::test(start_paused = true)]
async fn of_several_hooks_deny_beats_ask_beats_allow_and_every_note_is_kept_in_order() {
    let setup = Setup::with(Stub::asking("Work"));
    let world = setup.hook(pre(Behavior::Allow)).hook(pre(Behavior::Deny)).hook(pre(Behavior::Ask)).build();
    let outcome = world.call("Work", json!({})).await;
    assert_eq!(ending(&outcome), "permission-denied");
    assert_eq!(context(&outcome), ["note of allow", "note of deny", "note of ask"]);
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_allows_does_not_overrule_a_deny_or_ask_rule() {
    let setup = Setup::with(Stub::asking("Work")).hook(pre(Behavior::Allow));
    let world = setup.rule(Behavior::Deny, "Work(secret)").rule(Behavior::Ask, "Work(careful)").build();
    assert_eq!(ending(&world.call("Work", json!({"text": "secret"})).await), "permission-denied");
    assert_eq!(ending(&world.call("Work", json!({"text": "careful"})).await), "permission-denied");
    assert_eq!(ending(&world.call("Work", json!({"text": "other"})).await), "ok");
}

#[tokio::test(start_paused = true)]
async fn a_changed_input_is_validated_and_judged_again() {
    let world = Setup::with(Stub::new("Work")).hook(updating("changed", None)).build();
    assert_eq!(world.call("Work", json!({"text": "first"})).await.result.text(), "changed");

    let bad_field = StubHook::new("PreToolUse", |_| HookOutcome {
        updated_input: Some(json!({"ms": []})),
        additional_context: Some("kept".to_owned()),
        ..HookOutcome::default()
    });
    let outcome = Setup::with(Stub::new("Work")).hook(bad_field).build().call("Work", json!({})).await;
    assert_eq!((ending(&outcome), context(&outcome)), ("invalid-input", vec!["kept"]));
    assert!(outcome.result.text().contains("the changed input does not fit"), "{}", outcome.result.text());

    let world = Setup::with(Stub::new("Work")).hook(updating("bad", Some(Behavior::Allow))).build();
    assert_eq!(ending(&world.call("Work", json!({})).await), "rejected", "the tool validates it too");

    let setup = Setup::with(Stub::new("Work")).hook(updating("secret", Some(Behavior::Allow)));
    let world = setup.rule(Behavior::Deny, "Work(secret)").build();
    assert_eq!(ending(&world.call("Work", json!({"text": "ok"})).await), "permission-denied");
    assert!(world.log.said().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_last_registered_hook_that_changes_the_input_wins() {
    let slow = StubHook::late("PreToolUse", 90, |_| {
        Ok(HookOutcome { updated_input: Some(json!({"text": "slow first"})), ..HookOutcome::default() })
    });
    let world = Setup::with(Stub::new("Work")).hook(slow).hook(updating("quick last", None)).build();
    assert_eq!(world.call("Work", json!({})).await.result.text(), "quick last");
}

#[tokio::test(start_paused = true)]
async fn a_failing_hook_asks() {
    let failing = || StubHook::late("PreToolUse", 0, |_| Err(HostError::new("exit code 1")));
    let panicking = || StubHook::new("PreToolUse", |_| panic!("boom"));
    let refusing = || StubHook::late("panic", 0, |_| Ok(HookOutcome::default()));
    for hook in [failing(), panicking(), refusing()] {
        let setup = Setup::with(Stub::new("Work")).rule(Behavior::Allow, "Work").hook(hook);
        let world = setup.person([Person::Answers(PromptAnswer::deny("no"))]).build();
        assert_eq!(ending(&world.call("Work", json!({})).await), "permission-denied");
        let asked = world.asked.lock().unwrap();
        assert!(asked[0].title.contains("a PreToolUse hook failed: "), "{}", asked[0].title);
    }
}

#[tokio::test(start_paused = true)]
async fn hooks_run_together_and_see_the_input_completed() {
    let seen = StubHook::late("PreToolUse", 40, |event| match event {
        HookEvent::PreToolUse { tool_name, tool_input, tool_use_id } => Ok(HookOutcome {
            additional_context: Some(format!("{tool_name} {tool_input} {tool_use_id}")),
            ..HookOutcome::default()
        }),
        other => panic!("{other:?}"),
    });
    let world = Setup::with(Stub::new("Work")).tool(Stub::new("Unhooked")).hook(seen.clone()).hook(seen).build();
    let outcome = world.call("Work", json!({"text": "a"})).await;
    assert_eq!(context(&outcome), [r#"Work {"text":"a","seen":true} t1"#; 2]);
    assert_eq!(world.log.time_of("start t1"), Some(40), "not one after the other");
    assert_eq!(outcome.result.text(), "a", "the tool itself sees the input as it was");
    assert!(context(&world.call("Unhooked", json!({})).await).is_empty());
}

#[tokio::test(start_paused = true)]
async fn hooks_after_the_call_hear_success_or_failure_and_nothing_else() {
    let hear = |event: HookEvent| HookOutcome {
        additional_context: Some(match event {
            HookEvent::PostToolUse { tool_response, .. } => format!("after {tool_response}"),
            HookEvent::PostToolUseFailure { error, .. } => format!("failed {error}"),
            other => panic!("{other:?}"),
        }),
        ..HookOutcome::default()
    };
    let setup = Setup::with(Stub::new("Work")).tool(Stub::asking("Denied")).tool(Stub::new("Work2"));
    let world = setup.hook(StubHook::new("PostToolUse", hear)).hook(StubHook::new("PostToolUseFailure", hear)).build();
    assert_eq!(context(&world.call("Work", json!({"text": "hi"})).await), ["after \"hi\""]);
    assert_eq!(context(&world.call("Work", json!({"end": "error"})).await), ["failed t1 failed"]);
    assert_eq!(context(&world.call("Work", json!({"end": "bad_output", "text": "no"})).await), ["failed no"]);
    let panicked = world.call("Work", json!({"end": "panic"})).await;
    assert_eq!(context(&panicked), ["failed Work failed unexpectedly: boom in t1"]);
    for (name, input) in
        [("None", json!({})), ("Work", json!({"x": 1})), ("Work", json!({"text": "bad"})), ("Denied", json!({}))]
    {
        assert!(context(&world.call(name, input).await).is_empty(), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_after_the_call_may_replace_the_output_but_not_a_failure() {
    let replace = |_| HookOutcome { updated_output: Some(json!({"a": 1})), ..HookOutcome::default() };
    let setup = Setup::with(Stub::new("Work"));
    let world =
        setup.hook(StubHook::new("PostToolUse", replace)).hook(StubHook::new("PostToolUseFailure", replace)).build();
    assert_eq!(world.call("Work", json!({"text": "hi"})).await.result.text(), r#"{"a":1}"#);
    assert!(world.call("Work", json!({"end": "error"})).await.result.text().contains("t1 failed"));

    let large = StubHook::new("PostToolUse", |_| HookOutcome {
        updated_output: Some(json!("x".repeat(5_000))),
        ..HookOutcome::default()
    });
    let world = Setup::with(Stub::new("Work")).hook(large).build();
    let text = world.call("Work", json!({"text": "hi"})).await.result.text();
    assert!(text.starts_with("<persisted-output>") && text.len() < 3_000, "the limit holds for it too: {text}");
}

#[tokio::test(start_paused = true)]
async fn a_hook_after_the_call_that_fails_or_hangs_does_not_cost_the_result() {
    let failing = StubHook::late("PostToolUse", 0, |_| Err(HostError::new("exit code 1")));
    let panicking = StubHook::new("PostToolUse", |_| panic!("boom"));
    let world = Setup::with(Stub::new("Work")).hook(failing).hook(panicking).build();
    let outcome = world.call("Work", json!({"text": "hi"})).await;
    assert_eq!((ending(&outcome), outcome.result.text().as_str()), ("ok", "hi"));
    assert_eq!(context(&outcome), ["A hook after Work failed: exit code 1", "A hook after Work failed: it panicked"]);

    for must_finish in [false, true] {
        let stub = Stub { must_finish, ..Stub::new("Work") };
        let world = Setup::with(stub).hook(StubHook::hanging("PostToolUse")).build();
        let turn = world.turn.clone();
        let (outcome, ()) = tokio::join!(world.call("Work", json!({"text": "hi"})), async {
            after(500).await;
            turn.cancel(CancelReason::User);
        });
        assert_eq!((ending(&outcome), outcome.result.text().as_str()), ("ok", "hi"));
        assert_eq!(world.log.now(), 500);
    }
}

/// A hook with an identity, that counts how often it runs.
struct Named(&'static str, std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl Hook for Named {
    fn matches(&self, event: &str, _: &str) -> bool {
        event == "PreToolUse"
    }
    fn run(&self, _: Arc<HookInput>) -> BoxFuture<'_, Result<HookOutcome, HostError>> {
        self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        std::future::ready(Ok(HookOutcome::default())).boxed()
    }
    fn identity(&self) -> Option<&str> {
        Some(self.0).filter(|name| !name.is_empty())
    }
}

#[tokio::test(start_paused = true)]
async fn of_several_hooks_with_one_identity_only_the_first_runs() {
    let (events, count) = (EventSink::none(), Arc::new(std::sync::atomic::AtomicUsize::new(0)));
    let hook = |name| Arc::new(Named(name, Arc::clone(&count))) as Arc<dyn Hook>;
    let hooks = [hook("a"), hook("b"), hook("a"), hook(""), hook("")];
    let session = Session::new("s", Context::new("/"), "/nonexistent");
    let event = HookEvent::PreToolUse { tool_name: "T".into(), tool_input: json!({}), tool_use_id: "t".into() };
    HookScene::new(&hooks, &session, &events).raise(event).await;
    assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), 4);
}

/// The verdict of these hooks in every order.
async fn merged(event: &HookEvent, outcomes: &[HookOutcome]) -> (Option<Behavior>, bool) {
    let mut found = None;
    for turn in 0..outcomes.len() {
        let mut hooks: Vec<Arc<dyn Hook>> = Vec::new();
        for outcome in outcomes.iter().cycle().skip(turn).take(outcomes.len()) {
            let outcome = outcome.clone();
            hooks.push(Arc::new(StubHook::new("PreToolUse", move |_| outcome.clone())));
        }
        let session = Session::new("s", Context::new("/"), "/nonexistent");
        let events = EventSink::none();
        let answer = HookScene::new(&hooks, &session, &events).raise(event.clone()).await;
        let end = (answer.verdict.map(|verdict| verdict.behavior), answer.defers);
        assert_eq!(*found.get_or_insert(end), end, "the order means nothing");
    }
    found.unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn deny_beats_defer_beats_ask_beats_allow_in_every_order() {
    let event = HookEvent::PreToolUse { tool_name: "T".into(), tool_input: json!({}), tool_use_id: "t".into() };
    let (allow, ask, deny) = (says(Behavior::Allow), says(Behavior::Ask), says(Behavior::Deny));
    let defer = HookOutcome { defers: true, ..ask.clone() };
    let rows = [
        (vec![&allow, &ask, &defer, &deny], (Some(Behavior::Deny), false)),
        (vec![&allow, &ask, &defer], (Some(Behavior::Ask), true)),
        (vec![&allow, &ask], (Some(Behavior::Ask), false)),
        (vec![&allow, &defer], (Some(Behavior::Ask), true)),
        (vec![&allow, &allow], (Some(Behavior::Allow), false)),
        (vec![], (None, false)),
    ];
    for (outcomes, expected) in rows {
        let outcomes: Vec<HookOutcome> = outcomes.into_iter().cloned().collect();
        assert_eq!(merged(&event, &outcomes).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_guard_of_a_prompt_that_breaks_blocks_it_and_other_failures_are_told() {
    let session = Session::new("s", Context::new("/"), "/nonexistent");
    for (event, blocks, told) in [
        (HookEvent::UserPromptSubmit { prompt: "p".into() }, true, 0),
        (HookEvent::SessionStart { source: "startup".into() }, false, 1),
        (HookEvent::Stop { stop_hook_active: false, last_assistant_message: String::new() }, false, 1),
    ] {
        let count = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let events = EventSink::new(move |_| {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
        let broken = StubHook::late("*", 0, |_| Err(HostError::new("boom")));
        let hooks = [Arc::new(broken) as Arc<dyn Hook>];
        let answer = HookScene::new(&hooks, &session, &events).raise(event.clone()).await;
        assert_eq!(answer.verdict.is_some_and(|verdict| verdict.behavior == Behavior::Deny), blocks, "{event:?}");
        assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), told, "{event:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_text_of_a_hook_goes_to_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::new("s", Context::new("/"), dir.path());
    let events = EventSink::none();
    let long = StubHook::new("PreToolUse", |_| HookOutcome {
        additional_context: Some("é".repeat(10_001)),
        ..HookOutcome::default()
    });
    let hooks = [Arc::new(long) as Arc<dyn Hook>];
    let event = HookEvent::PreToolUse { tool_name: "T".into(), tool_input: json!({}), tool_use_id: "t".into() };
    let answer = HookScene::new(&hooks, &session, &events).raise(event).await;
    assert!(answer.additional_context[0].starts_with("<persisted-output>"), "{answer:?}");
    let saved = std::fs::read_to_string(dir.path().join("hook-t.txt")).unwrap();
    assert_eq!(saved.chars().count(), 10_001);
}
