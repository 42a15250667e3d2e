//! Stage 4: the person, and what becomes of their answers.

use serde_json::json;
use toolreeve_engine::host::{HookOutcome, PromptAnswer, RuleDestination};
use toolreeve_permission::{Behavior, HookVerdict};

use crate::support::{Person, Setup, Stub, StubHook, call, ending};

fn answers(answer: PromptAnswer) -> [Person; 1] {
    [Person::Answers(answer)]
}

fn changed(text: &str) -> PromptAnswer {
    PromptAnswer::Allow {
        updated_input: Some(json!({"text": text})),
        rules: Vec::new(),
        destination: RuleDestination::Session,
    }
}

#[tokio::test(start_paused = true)]
async fn the_question_says_all_that_is_needed() {
    let stub = Stub { warnings: vec!["it deletes".to_owned()], ..Stub::asking("Work") };
    let world = Setup::with(stub).person(answers(PromptAnswer::allow_once())).build();
    assert_eq!(ending(&world.call("Work", json!({"text": "a"})).await), "ok");
    let asked = world.asked.lock().unwrap();
    let request = &asked[0];
    assert_eq!((request.tool_use_id.as_str(), request.tool_name.as_str()), ("t1", "Work"));
    assert_eq!(request.input, json!({"text": "a"}), "what will run, not what observers see");
    assert_eq!(request.destructive_warnings, ["it deletes"]);
    assert_eq!(request.decision.behavior, Behavior::Ask);
    assert!(world.heard().contains(&"permission t1".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn allow_once_counts_once_and_a_saved_rule_counts_from_then_on() {
    let always = PromptAnswer::Allow {
        updated_input: None,
        rules: vec!["Work".to_owned(), "((".to_owned()],
        destination: RuleDestination::Session,
    };
    let world = Setup::with(Stub::asking("Work"))
        .person([Person::Answers(PromptAnswer::allow_once()), Person::Answers(always)])
        .build();
    for asked in [1, 2, 2] {
        assert_eq!(ending(&world.call("Work", json!({})).await), "ok");
        assert_eq!(world.asked.lock().unwrap().len(), asked);
    }
    assert!(world.heard().contains(&"error ".to_owned()), "the rule that is none is reported: {:?}", world.heard());
}

#[tokio::test(start_paused = true)]
async fn a_refusal_carries_the_feedback_to_the_model() {
    let world = Setup::with(Stub::asking("Work"))
        .person([Person::Answers(PromptAnswer::deny("use the other file")), Person::Answers(PromptAnswer::deny(""))])
        .build();
    let refused = world.call("Work", json!({})).await;
    assert_eq!(ending(&refused), "permission-denied");
    assert!(refused.result.text().contains("They said: use the other file"), "{}", refused.result.text());
    assert!(!refused.interrupts_turn);
    assert!(world.call("Work", json!({})).await.result.text().contains("do something else or ask what is wanted"));
    assert!(!world.log.said().contains(&"start t1".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_interrupts_ends_the_calls_beside_it() {
    let stop = PromptAnswer::Deny { message: "stop".to_owned(), interrupt: true };
    let world = Setup::with(Stub::asking("Work")).tool(Stub::new("Read")).person(answers(stop)).build();
    let calls = [
        call("a", "Read", json!({"end": "hang"})),
        call("b", "Work", json!({})),
        call("c", "Read", json!({"alone": true})),
    ];
    let outcomes = world.run(calls).await;
    let endings: Vec<&str> = outcomes.iter().map(ending).collect();
    assert_eq!(endings, ["cancelled", "permission-denied", "cancelled"]);
    assert!(outcomes[1].interrupts_turn && !outcomes[0].interrupts_turn);
    assert!(!world.turn.is_cancelled(), "whoever runs the turn decides about the turn");
}

#[tokio::test(start_paused = true)]
async fn a_changed_input_runs_unless_it_is_invalid_or_denied() {
    let setup = || Setup::with(Stub::asking("Work")).rule(Behavior::Deny, "Work(secret)");
    let world = setup().person(answers(changed("better"))).build();
    assert_eq!(world.call("Work", json!({"text": "a"})).await.result.text(), "better");
    assert_eq!(world.asked.lock().unwrap().len(), 1, "what the person wrote is not asked about again");

    let world = setup().person(answers(changed("secret"))).build();
    let denied = world.call("Work", json!({"text": "a"})).await;
    assert_eq!(ending(&denied), "permission-denied");
    assert!(denied.result.text().contains("Work(secret)"), "{}", denied.result.text());

    let world = setup().person(answers(changed("bad"))).build();
    assert_eq!(ending(&world.call("Work", json!({"text": "a"})).await), "rejected");

    let misfit = PromptAnswer::Allow {
        updated_input: Some(json!([])),
        rules: vec!["Work".to_owned()],
        destination: RuleDestination::Session,
    };
    let world = setup().person(answers(misfit)).build();
    assert_eq!(ending(&world.call("Work", json!({"text": "a"})).await), "invalid-input");
    assert_eq!(world.session.context().policy.rules(Behavior::Allow).len(), 0, "a rule is saved with the call only");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_breaks_or_is_missing_denies() {
    for (person, words) in [(Person::Breaks, "failed: no terminal"), (Person::Panics, "panicked")] {
        let world = Setup::with(Stub::asking("Work")).person([person]).build();
        let outcome = world.call("Work", json!({})).await;
        assert_eq!(ending(&outcome), "host");
        assert!(outcome.result.text().contains(words), "{}", outcome.result.text());
    }
    let outcome = Setup::with(Stub::asking("Work")).build().call("Work", json!({})).await;
    assert_eq!(ending(&outcome), "permission-denied");
    assert!(outcome.result.text().contains("there is nobody to ask"), "{}", outcome.result.text());
}

#[tokio::test(start_paused = true)]
async fn one_question_without_an_answer_does_not_hold_up_the_calls_beside_it() {
    let world = Setup::with(Stub::asking("Work")).tool(Stub::new("Read")).person([Person::NeverAnswers]).build();
    let mut executor = world.executor();
    executor.push(call("a", "Read", json!({"ms": 10})));
    executor.push(call("b", "Work", json!({})));
    executor.push(call("c", "Read", json!({"ms": 20})));
    assert_eq!(executor.next().await.unwrap().result.tool_use_id, "a");
    assert!(tokio::time::timeout(std::time::Duration::from_secs(60), executor.next()).await.is_err());
    assert_eq!(world.log.time_of("end c"), Some(20));
    assert_eq!(world.log.alive(), 1, "the question is open");
    drop(executor);
    tokio::task::yield_now().await;
    assert_eq!(world.log.alive(), 0, "and is dropped with the executor");
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_put_off_waits_as_data_and_its_answer_counts_once() {
    let later = || Person::Answers(PromptAnswer::Defer { expires_in: None });
    let world = Setup::with(Stub::asking("Work")).person([later(), later()]).build();
    let outcome = world.call("Work", json!({"text": "a"})).await;
    assert_eq!(ending(&outcome), "deferred");
    assert!(outcome.result.text().contains("waits for the approval t1"), "{}", outcome.result.text());
    assert!(world.heard().contains(&"approval_pending t1".to_owned()), "{:?}", world.heard());
    assert!(!world.log.said().iter().any(|line| line.starts_with("start")), "nothing ran");

    let approvals = world.session.approvals();
    assert_eq!(approvals.pending().len(), 1);
    assert_eq!(approvals.pending()[0].request.input, json!({"text": "a"}));
    approvals.answer("t1", PromptAnswer::allow_once()).unwrap();
    assert_eq!(ending(&world.call("Work", json!({"text": "a"})).await), "ok");
    assert_eq!(world.asked.lock().unwrap().len(), 1);
    assert_eq!(
        ending(&world.call("Work", json!({"text": "a"})).await),
        "deferred",
        "the next time is another question"
    );
    approvals.answer("t1", PromptAnswer::deny("no longer")).unwrap();
    let refused = world.call("Work", json!({"text": "a"})).await;
    assert!(refused.result.text().contains("They said: no longer"), "{}", refused.result.text());
}

#[tokio::test(start_paused = true)]
async fn an_approval_counts_where_nobody_can_be_asked_and_never_against_a_deny_rule() {
    let later = Person::Answers(PromptAnswer::Defer { expires_in: None });
    let first = Setup::with(Stub::asking("Work")).person([later]).build();
    first.call("Work", json!({"text": "a"})).await;
    let mut approval = first.session.approvals().pending().remove(0);
    approval.answer = Some(PromptAnswer::allow_once());

    let headless = Setup::with(Stub::asking("Work")).build();
    headless.session.approvals().restore(approval.clone()).unwrap();
    assert_eq!(ending(&headless.call("Work", json!({"text": "b"})).await), "permission-denied");
    assert_eq!(ending(&headless.call("Work", json!({"text": "a"})).await), "ok");

    let strict = Setup::with(Stub::asking("Work")).rule(Behavior::Deny, "Work(a)").build();
    strict.session.approvals().restore(approval).unwrap();
    assert_eq!(ending(&strict.call("Work", json!({"text": "a"})).await), "permission-denied");
    assert_eq!(strict.session.approvals().pending().len(), 1, "and it is not used up");
}

#[tokio::test(start_paused = true)]
async fn a_hook_puts_a_question_off_where_nobody_can_be_asked() {
    let defers = |_| HookOutcome {
        verdict: Some(HookVerdict { behavior: Behavior::Ask, message: "later".into() }),
        defers: true,
        ..HookOutcome::default()
    };
    let world = Setup::with(Stub::new("Work")).hook(StubHook::new("PreToolUse", defers)).build();
    assert_eq!(ending(&world.call("Work", json!({"text": "a"})).await), "deferred");
    world.session.approvals().answer("t1", PromptAnswer::allow_once()).unwrap();
    assert_eq!(ending(&world.call("Work", json!({"text": "a"})).await), "ok");

    let attended = Setup::with(Stub::new("Work")).hook(StubHook::new("PreToolUse", defers));
    let attended = attended.person([Person::Answers(PromptAnswer::allow_once())]).build();
    assert_eq!(ending(&attended.call("Work", json!({"text": "a"})).await), "ok", "a person who is there is asked");
}
