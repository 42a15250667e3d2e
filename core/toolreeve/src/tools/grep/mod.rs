//! Grep: searches the content of files for a regular expression.

mod file;
mod lines;
mod matcher;
mod permit;
mod render;
mod run;
mod schema;
mod window;

use std::borrow::Cow;
use std::time::Duration;

use toolreeve_engine::{
    CallContext, CallSubject, ContentBlock, Context, RenderNode, Resources, ResultLimit, Tool, ToolError, ToolOutput,
    Validation,
};

pub use schema::{GrepInput, GrepOutput, OutputMode, Skipped};

use crate::files::touched;
use crate::search::SEARCH_LIMIT;

/// The tool, with what a host may set.
#[derive(Debug, Clone)]
pub struct Grep {
    /// How many lines or files are listed where the input does not say; 250 unless set otherwise.
    pub default_limit: usize,
    /// How long a search may take; 20 seconds unless set otherwise.
    pub time_limit: Duration,
}

impl Default for Grep {
    fn default() -> Self {
        Self { default_limit: 250, time_limit: SEARCH_LIMIT }
    }
}

impl Tool for Grep {
    type Input = GrepInput;
    type Output = GrepOutput;

    fn name(&self) -> &str {
        "Grep"
    }

    fn description(&self) -> &str {
        "Searches the content of files for a regular expression."
    }

    fn prompt(&self) -> Cow<'_, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    fn search_hint(&self) -> &str {
        "search file contents with a regular expression"
    }

    fn max_result_size(&self) -> ResultLimit {
        ResultLimit::Chars(20_000)
    }

    fn is_concurrency_safe(&self, _input: &GrepInput) -> bool {
        true
    }

    fn is_read_only(&self, _input: &GrepInput) -> bool {
        true
    }

    fn resources(&self, input: &GrepInput, context: &Context) -> Option<Resources> {
        permit::misfit(context, input).is_none().then(|| touched::search(permit::place(context, input).real()))?
    }

    async fn validate_input(&self, input: &GrepInput, ctx: &CallContext) -> Validation {
        match permit::misfit(&ctx.context, input) {
            Some(message) => Validation::Reject { message, code: 1 },
            None => Validation::Pass,
        }
    }

    fn permission_subject(&self, input: &GrepInput, ctx: &CallContext) -> CallSubject {
        permit::place(&ctx.context, input).subject()
    }

    fn classifier_input(&self, input: &GrepInput) -> String {
        match &input.path {
            Some(path) => format!("{} in {path}", input.pattern),
            None => input.pattern.clone(),
        }
    }

    async fn call(&self, input: &GrepInput, ctx: &CallContext) -> Result<ToolOutput<GrepOutput>, ToolError> {
        run::run(self, input, ctx).await.map(ToolOutput::new)
    }

    fn result_content(&self, output: &GrepOutput) -> Vec<ContentBlock> {
        vec![ContentBlock::text(render::text(output))]
    }

    fn render_use(&self, input: &GrepInput) -> RenderNode {
        render::call(input)
    }

    fn render_result(&self, _input: &GrepInput, output: &GrepOutput) -> RenderNode {
        render::result(output)
    }
}
