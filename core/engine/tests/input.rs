//! Stage 2: the schema with its coercions and its error texts, and the tool's own validation.

use serde_json::{Value, json};
use toolreeve_engine::{HostOutput, Origin, RequestedCall, ToolBuilder, ToolUse, Validation};
use toolreeve_permission::Behavior;

use crate::support::{Person, Setup, Stub, ending};
use toolreeve_engine::host::PromptAnswer;

#[tokio::test(start_paused = true)]
async fn common_slips_are_coerced_for_typed_and_host_written_tools() {
    let schema = json!({"type": "object", "required": ["ms"], "properties": {
        "ms": {"type": "integer"}, "alone": {"type": "boolean"}, "text": {"type": "string"}}});
    let echo = ToolBuilder::new("Echo", "Says its input.", schema)
        .read_only(true)
        .build(|input: Value, _| async move { Ok(HostOutput::text(input.to_string())) });
    let world = Setup::with(Stub::new("Work")).any_tool(Origin::BuiltIn, echo).build();
    let slips = json!({"ms": "5", "alone": "true", "text": "12"});
    let typed = world.call("Work", slips.clone()).await;
    assert_eq!((typed.result.text().as_str(), world.log.time_of("end t1")), ("12", Some(5)));
    let echoed = world.call("Echo", slips).await;
    assert_eq!(echoed.result.text(), r#"{"ms":5,"alone":true,"text":"12"}"#);
    assert_eq!(ending(&world.call("Work", json!({"ms": 5.0})).await), "ok", "a whole float is an integer");
    assert_eq!(ending(&world.call("Work", json!({"ms": null})).await), "ok", "null stands for a missing field");
}

#[tokio::test(start_paused = true)]
async fn a_misfit_names_each_field_inside_of_the_error_tag() {
    let world = Setup::with(Stub::new("Work")).build();
    for (input, wanted) in [
        (json!({"ms": "many"}), "The parameter `ms` is expected as `integer` but provided as `string`"),
        (json!({"wrong": 1}), "An unexpected parameter was provided: `wrong`"),
        (json!("text"), "The input is expected as `object` but provided as `string`"),
        (json!(null), "The input is expected as `object` but provided as `null`"),
        (json!({"end": "sideways"}), "`end`"),
        (json!({"ms": 1.5}), "`ms`"),
        (json!({"ms": -1}), "`ms`"),
        (json!({"ms": 5_000_000_000_u64}), "5000000000"),
    ] {
        let outcome = world.call("Work", input.clone()).await;
        let text = outcome.result.text();
        assert_eq!(ending(&outcome), "invalid-input", "{input}");
        assert!(text.starts_with("<tool_use_error>InputValidationError: Work "), "{text}");
        assert!(text.contains(wanted) && text.ends_with("</tool_use_error>"), "{text}");
    }
    assert!(world.log.said().is_empty(), "nothing ran");
}

#[tokio::test(start_paused = true)]
async fn input_that_is_no_json_fails_with_its_reason() {
    let world = Setup::with(Stub::new("Work")).build();
    let tool_use = ToolUse { id: "t1".to_owned(), name: "Work".to_owned(), input: json!({}) };
    let broken = RequestedCall { tool_use, broken_input: Some("it ends too early".to_owned()) };
    let outcomes = world.run([broken]).await;
    assert_eq!(ending(&outcomes[0]), "invalid-input");
    assert_eq!(
        outcomes[0].result.text(),
        "<tool_use_error>InputValidationError: the input of Work is not valid JSON: it ends too early</tool_use_error>"
    );
}

#[tokio::test(start_paused = true)]
async fn a_schema_that_was_never_sent_is_hinted_at() {
    let deferred = || Stub { deferred: true, ..Stub::new("Later") };
    let hint =
        "The schema of Later was not sent yet. Load it with ToolSearch (query \"select:Later\"), then call again.";
    let world = Setup::with(deferred()).tool(Stub::new("ToolSearch")).tool(Stub::new("Now")).build();
    assert!(world.call("Later", json!({"x": 1})).await.result.text().contains(hint));
    assert!(!world.call("Now", json!({"x": 1})).await.result.text().contains("not sent"));
    assert_eq!(ending(&world.call("Later", json!({})).await), "ok", "a guess that fits is run");
    let without_search = Setup::with(deferred()).build();
    assert!(!without_search.call("Later", json!({"x": 1})).await.result.text().contains("ToolSearch"));
}

#[tokio::test(start_paused = true)]
async fn a_tool_passes_rejects_or_asks() {
    let ask = Some(Validation::Ask { message: "is this meant?".to_owned() });
    let setup = Setup::with(Stub::new("Work"))
        .tool(Stub { validation: ask, ..Stub::new("Asks") })
        .rule(Behavior::Allow, "Asks")
        .person([Person::Answers(PromptAnswer::allow_once()), Person::Answers(PromptAnswer::deny("no"))]);
    let world = setup.build();
    assert_eq!(ending(&world.call("Work", json!({"text": "good"})).await), "ok");
    let rejected = world.call("Work", json!({"text": "bad"})).await;
    assert_eq!(ending(&rejected), "rejected");
    assert_eq!(rejected.result.text(), "<tool_use_error>the text is bad</tool_use_error>");
    assert_eq!(ending(&world.call("Asks", json!({})).await), "ok");
    assert!(world.asked.lock().unwrap()[0].title.contains("is this meant?"), "an allow rule does not answer it");
    assert_eq!(ending(&world.call("Asks", json!({})).await), "permission-denied");
}

#[tokio::test(start_paused = true)]
async fn a_broken_schema_refuses_every_input_and_says_why() {
    let tool = ToolBuilder::new("Odd", "d", json!({"type": "no-such-type"}))
        .build(|_, _| async { Ok(HostOutput::text("never")) });
    assert!(tool.input_schema().problem().is_some());
    let world = Setup::new().any_tool(Origin::BuiltIn, tool).build();
    let outcome = world.call("Odd", json!({})).await;
    assert!(outcome.result.text().contains("the input schema of Odd is not usable"), "{}", outcome.result.text());
}
