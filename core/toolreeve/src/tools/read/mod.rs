//! The Read tool: shows a text file to the model with line numbers. Reads only.

mod permit;
mod render;
mod run;
mod schema;

use std::borrow::Cow;

use serde_json::Value;
use toolreeve_engine::{
    CallContext, CallSubject, ContentBlock, Context, RenderNode, Resources, ResultLimit, Tool, ToolError, ToolOutput,
    Validation,
};

pub use schema::{ReadInput, ReadOutput, TextFile};

use crate::files::{path, touched};

/// The most tokens of one result where nothing else is said.
pub const DEFAULT_MAX_TOKENS: usize = 25_000;

/// The environment variable that says something else.
pub const MAX_TOKENS_VARIABLE: &str = "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS";

/// The tool.
#[derive(Debug, Clone)]
pub struct Read {
    max_tokens: usize,
}

impl Default for Read {
    fn default() -> Self {
        Self::with_max_tokens(DEFAULT_MAX_TOKENS)
    }
}

impl Read {
    /// A tool that shows at most so many tokens (estimated) at a time.
    pub fn with_max_tokens(max_tokens: usize) -> Self {
        Self { max_tokens }
    }

    /// A tool with the limit of [`MAX_TOKENS_VARIABLE`], or the default if that is unset or no positive number.
    pub fn from_env() -> Self {
        let limit = std::env::var(MAX_TOKENS_VARIABLE).ok().and_then(|text| text.trim().parse().ok());
        Self::with_max_tokens(limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_MAX_TOKENS))
    }
}

impl Tool for Read {
    type Input = ReadInput;
    type Output = ReadOutput;

    fn name(&self) -> &str {
        "Read"
    }

    fn description(&self) -> &str {
        "Reads a text file, or some lines of it, with line numbers."
    }

    fn prompt(&self) -> Cow<'_, str> {
        Cow::Borrowed(include_str!("prompt.md").trim_ascii())
    }

    fn max_result_size(&self) -> ResultLimit {
        ResultLimit::Unlimited
    }

    fn search_hint(&self) -> &str {
        "open view show cat file content lines"
    }

    fn is_concurrency_safe(&self, _: &ReadInput) -> bool {
        true
    }

    fn is_read_only(&self, _: &ReadInput) -> bool {
        true
    }

    fn resources(&self, input: &ReadInput, context: &Context) -> Option<Resources> {
        touched::read_file(context, &input.file_path)
    }

    async fn validate_input(&self, input: &ReadInput, ctx: &CallContext) -> Validation {
        permit::validate(input, &ctx.context)
    }

    fn permission_subject(&self, input: &ReadInput, ctx: &CallContext) -> CallSubject {
        permit::subject(input, ctx)
    }

    fn classifier_input(&self, input: &ReadInput) -> String {
        input.file_path.clone()
    }

    async fn call(&self, input: &ReadInput, ctx: &CallContext) -> Result<ToolOutput<ReadOutput>, ToolError> {
        run::run(input, ctx, self.max_tokens).await.map(ToolOutput::new)
    }

    fn result_content(&self, output: &ReadOutput) -> Vec<ContentBlock> {
        vec![ContentBlock::text(render::for_model(output))]
    }

    fn backfill_observable_input(&self, input: &mut Value, context: &Context) {
        path::backfill(input, "file_path", context);
    }

    fn render_use(&self, input: &ReadInput) -> RenderNode {
        render::call(input)
    }

    fn render_result(&self, _: &ReadInput, output: &ReadOutput) -> RenderNode {
        render::result(output)
    }

    fn render_rejected(&self, input: &ReadInput) -> RenderNode {
        RenderNode::error(format!("Reading {} was refused", input.file_path))
    }

    fn render_grouped(&self, inputs: &[&ReadInput]) -> Option<RenderNode> {
        Some(render::grouped(inputs))
    }
}
