//! WordCount: counts the words of a text. It touches nothing but its input, so it is read-only and may run beside
//! other calls.

mod run;
mod schema;

use std::borrow::Cow;

use toolreeve_engine::{CallContext, ContentBlock, Tool, ToolError, ToolOutput, Validation};

pub use schema::{Input, Output};

/// The tool.
pub struct WordCount;

impl Tool for WordCount {
    type Input = Input;
    type Output = Output;

    fn name(&self) -> &str {
        "WordCount"
    }

    fn description(&self) -> &str {
        "Counts the words of a text."
    }

    fn prompt(&self) -> Cow<'_, str> {
        include_str!("prompt.md").into()
    }

    // Without these two lines a call would be exclusive and would need permission: the defaults are the careful ones.
    fn is_read_only(&self, _: &Input) -> bool {
        true
    }

    fn is_concurrency_safe(&self, _: &Input) -> bool {
        true
    }

    async fn validate_input(&self, input: &Input, _: &CallContext) -> Validation {
        match input.min_letters {
            Some(0) => Validation::Reject { message: "`min_letters` must be at least 1".to_owned(), code: 1 },
            _ => Validation::Pass,
        }
    }

    async fn call(&self, input: &Input, _: &CallContext) -> Result<ToolOutput<Output>, ToolError> {
        Ok(ToolOutput::new(run::count(input)))
    }

    fn result_content(&self, output: &Output) -> Vec<ContentBlock> {
        vec![ContentBlock::text(format!("{} words", output.words))]
    }
}
