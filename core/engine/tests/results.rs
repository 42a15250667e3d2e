//! Stage 6: what the model reads of an output, within the limits.

use serde_json::json;
use toolreeve_engine::result::apply_message_budget;
use toolreeve_engine::{ContentBlock, HostOutput, Origin, ResultLimit, ToolBuilder, ToolResult};

use crate::support::{Setup, Stub, call, ending};

#[tokio::test(start_paused = true)]
async fn silence_is_put_into_words() {
    let world = Setup::with(Stub::new("Work")).build();
    assert_eq!(world.call("Work", json!({"end": "empty"})).await.result.text(), "(Work finished without output)");
    let nothing = ToolBuilder::new("Nothing", "d", json!({"type": "object"}))
        .read_only(true)
        .build(|_, _| async { Ok(HostOutput::default()) });
    let world = Setup::new().any_tool(Origin::BuiltIn, nothing).build();
    assert_eq!(world.call("Nothing", json!({})).await.result.text(), "(Nothing finished without output)");
}

#[tokio::test(start_paused = true)]
async fn a_large_result_goes_to_a_file_of_the_session() {
    let world = Setup::with(Stub::new("Work")).build();
    let text = "0123456789".repeat(300);
    let outcomes = world.run([call("a/../b", "Work", json!({"text": text}))]).await;
    assert_eq!(ending(&outcomes[0]), "ok");
    let shown = outcomes[0].result.text();
    let path = world.spill.path().join("a____b.txt");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert!(shown.contains(&format!("saved to: {}", path.display())) && shown.contains("(3000 characters)"), "{shown}");
    assert!(shown.contains(&text[..2_000]) && !shown.contains(&text[..2_010]), "a preview of 2,000 bytes");
    let fits = world.call("Work", json!({"text": "é".repeat(1_000)})).await;
    assert_eq!(fits.result.text(), "é".repeat(1_000), "characters count and not bytes");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_limits_itself_is_left_alone_up_to_the_absolute_limit() {
    let world = Setup::with(Stub { limit: ResultLimit::Unlimited, ..Stub::new("Read") }).build();
    let text = "x".repeat(100_000);
    assert_eq!(world.call("Read", json!({"text": text.clone()})).await.result.text(), text);
    let cut = world.call("Read", json!({"text": "x".repeat(400_001)})).await.result.text();
    assert!(cut.starts_with("<persisted-output>"), "{}", &cut[..100]);
}

#[tokio::test(start_paused = true)]
async fn images_stay_beside_a_spilled_text() {
    let image = || ContentBlock::Image { media_type: "image/png".to_owned(), data: "AAAA".to_owned() };
    let tool = ToolBuilder::new("Shot", "d", json!({"type": "object"}))
        .read_only(true)
        .max_result_size(ResultLimit::Chars(10))
        .build(move |_, _| {
            let content = vec![ContentBlock::text("much too long"), image()];
            std::future::ready(Ok(HostOutput { content, ..HostOutput::default() }))
        });
    let world = Setup::new().any_tool(Origin::BuiltIn, tool).build();
    let result = world.call("Shot", json!({})).await.result;
    assert!(result.content[0].as_text().unwrap().starts_with("<persisted-output>"));
    assert_eq!(result.content[1], image());
}

#[tokio::test(start_paused = true)]
async fn all_results_of_a_message_have_one_budget() {
    let dir = tempfile::tempdir().unwrap();
    let result = |id: usize, size: usize| ToolResult {
        tool_use_id: format!("t{id}"),
        content: vec![ContentBlock::text("x".repeat(size))],
        is_error: false,
    };
    let mut results: Vec<ToolResult> =
        [40_000, 49_000, 45_000, 48_000, 20_000].iter().enumerate().map(|(at, &size)| result(at, size)).collect();
    apply_message_budget(&mut results, dir.path()).await;
    let sizes: Vec<usize> = results.iter().map(|result| result.text().len()).collect();
    assert_eq!((sizes[0], sizes[2], sizes[3], sizes[4]), (40_000, 45_000, 48_000, 20_000));
    assert!(sizes[1] < 3_000, "the largest goes first, and no more than needed: {sizes:?}");

    // Many small results cannot be made smaller by spilling; what was spilled is not spilled again.
    let mut many: Vec<ToolResult> = (100..250).map(|id| result(id, 2_100)).collect();
    let before = many.clone();
    apply_message_budget(&mut many, dir.path()).await;
    assert_eq!(many, before, "a preview would not be shorter");
    let mut spilled: Vec<ToolResult> = (300..400).map(|id| result(id, 10_000)).collect();
    apply_message_budget(&mut spilled, dir.path()).await;
    let once = spilled.clone();
    apply_message_budget(&mut spilled, dir.path()).await;
    assert_eq!(spilled, once);
}

#[tokio::test(start_paused = true)]
async fn messages_of_a_call_ride_along() {
    let world = Setup::with(Stub::new("Work")).build();
    assert_eq!(world.call("Work", json!({"text": "messages"})).await.new_messages.len(), 1);
}
