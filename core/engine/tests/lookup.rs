//! Stage 1: which tool a name means.

use serde_json::json;
use toolreeve_engine::{HostOutput, Origin, ToolBuilder};
use toolreeve_permission::Behavior;

use crate::support::{Setup, Stub, ending};

#[tokio::test(start_paused = true)]
async fn a_name_wins_over_an_older_name_and_an_older_name_adds_a_notice() {
    let world = Setup::with(Stub::new("New").aliases(&["Old", "Other"])).tool(Stub::new("Other")).build();
    let by_name = world.call("New", json!({"text": "hi"})).await;
    assert_eq!(by_name.result.text(), "hi");
    let by_alias = world.call("Old", json!({"text": "hi"})).await;
    assert!(!by_alias.result.is_error);
    assert_eq!(by_alias.result.text(), "hi\n(The tool Old is now named New. Use that name from now on.)");
    assert_eq!(world.call("Other", json!({"text": "mine"})).await.result.text(), "mine");
}

#[tokio::test(start_paused = true)]
async fn the_notice_is_given_with_refusals_too() {
    let world = Setup::with(Stub::asking("New").aliases(&["Old"])).build();
    let refused = world.call("Old", json!({})).await;
    assert_eq!(ending(&refused), "permission-denied");
    assert!(refused.result.text().ends_with("Use that name from now on.)"), "{}", refused.result.text());
}

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_is_an_error_that_names_the_known_ones() {
    let world = Setup::with(Stub::new("Read")).tool(Stub::new("Edit")).build();
    let outcome = world.call("Raed", json!({})).await;
    assert_eq!(ending(&outcome), "unknown-tool");
    assert_eq!(
        outcome.result.text(),
        "<tool_use_error>There is no tool named \"Raed\". Available tools: Edit, Read.</tool_use_error>"
    );
    assert_eq!(world.heard(), ["tool_use t1", "tool_start t1", "tool_end t1", "tool_result t1"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_offered_cannot_be_called() {
    let disabled = Stub { enabled: false, ..Stub::new("Off") };
    let setup = Setup::with(disabled)
        .tool(Stub::panicking("Broken", "is_enabled"))
        .tool(Stub::new("Denied"))
        .tool(Stub::new("Fine"))
        .rule(Behavior::Deny, "Denied");
    let world = setup.build();
    for name in ["Off", "Broken", "Denied"] {
        let outcome = world.call(name, json!({})).await;
        assert_eq!(ending(&outcome), "unknown-tool", "{name}");
        assert!(outcome.result.text().contains("is not available in this session"), "{}", outcome.result.text());
    }
    assert_eq!(ending(&world.call("Fine", json!({})).await), "ok");
    assert_eq!(world.log.said(), ["start t1", "end t1"]);
}

#[tokio::test(start_paused = true)]
async fn every_tool_of_a_large_pool_is_found() {
    let mut setup = Setup::new();
    let names: Vec<String> = (0..50).map(|at| format!("mcp__s__t{at}")).collect();
    for name in &names {
        let tool = ToolBuilder::new(name, "d", json!({"type": "object"}))
            .read_only(true)
            .build(|_, _| async { Ok(HostOutput::text("yes")) });
        setup = setup.any_tool(Origin::Mcp, tool);
    }
    let world = setup.tool(Stub::new("Zed")).tool(Stub::new("Abc")).rule(Behavior::Allow, "mcp__s").build();
    for name in names.iter().map(String::as_str).chain(["Zed", "Abc"]) {
        assert_eq!(ending(&world.call(name, json!({})).await), "ok", "{name}");
    }
}
