//! A tool of one's own, in the form of a built-in one: the folder `word_count` and the one line that registers it.
//! CONTRIBUTING.md explains it; the tests below hold that what it shows is what compiles here.

#[expect(unreachable_pub, reason = "in the library, tools are reachable; in this program nothing is")]
mod word_count;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;
use toolreeve::AgentBuilder;
use toolreeve::engine::host::{HostError, ModelChunks, ModelRequest, ModelStream};
use toolreeve::engine::{CancelToken, EventSink, ToolResult, ToolUse, erase};
use word_count::WordCount;

/// This example brings no model: it calls the tool itself.
struct NoModel;

impl ModelStream for NoModel {
    fn open(&self, _: ModelRequest, _: CancelToken) -> BoxFuture<'_, Result<ModelChunks, HostError>> {
        std::future::ready(Err(HostError::new("there is no model here"))).boxed()
    }
}

/// Puts a call through validation, permission and all the rest.
async fn call(input: serde_json::Value) -> Result<ToolResult, Box<dyn std::error::Error>> {
    let agent = AgentBuilder::new(Arc::new(NoModel)).tool(erase(WordCount)).build()?;
    let tool_use = ToolUse { id: "call-1".to_owned(), name: "WordCount".to_owned(), input };
    let mut results = agent.call(vec![tool_use], EventSink::none(), &CancelToken::new()).await;
    results.pop().ok_or_else(|| "every call has a result".into())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", call(json!({"text": "the quick brown fox", "min_letters": 4})).await?.text());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_tool_answers_through_the_whole_pipeline() {
        let result = call(json!({"text": "the quick brown fox", "min_letters": 4})).await.unwrap();
        assert_eq!((result.text().as_str(), result.is_error), ("2 words", false));
    }

    #[tokio::test]
    async fn bad_input_names_the_field() {
        for (input, field) in [
            (json!({}), "`text` is missing"),
            (json!({"text": "a", "words": 1}), "`words`"),
            (json!({"text": "a", "min_letters": 0}), "`min_letters`"),
        ] {
            let result = call(input).await.unwrap();
            assert!(result.is_error && result.text().contains(field), "{}", result.text());
        }
    }

    #[test]
    fn contributing_shows_exactly_these_files() {
        let shown = include_str!("../CONTRIBUTING.md");
        for (name, file) in [
            ("schema.rs", include_str!("word_count/schema.rs")),
            ("run.rs", include_str!("word_count/run.rs")),
            ("mod.rs", include_str!("word_count/mod.rs")),
            ("prompt.md", include_str!("word_count/prompt.md")),
        ] {
            assert!(shown.contains(file), "CONTRIBUTING.md does not show examples/word_count/{name} as it is");
        }
    }
}
