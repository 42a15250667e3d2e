//! Glob: finds files by the pattern of their names.

mod pattern;
mod permit;
mod render;
mod run;
mod schema;

use std::borrow::Cow;
use std::time::Duration;

use toolreeve_engine::{
    CallContext, CallSubject, ContentBlock, Context, RenderNode, Resources, Tool, ToolError, ToolOutput, Validation,
};

pub use schema::{GlobInput, GlobOutput};

use crate::files::touched;
use crate::search::SEARCH_LIMIT;

/// The tool, with what a host may set.
#[derive(Debug, Clone)]
pub struct Glob {
    /// Whether files are found that git ignores. On unless set otherwise.
    pub no_ignore: bool,
    /// Whether files are found whose names, or whose folders' names, begin with a dot. On unless set otherwise.
    pub hidden: bool,
    /// How many files are listed; 100 unless set otherwise.
    pub max_files: usize,
    /// How long a search may take; 20 seconds unless set otherwise.
    pub time_limit: Duration,
}

impl Default for Glob {
    fn default() -> Self {
        Self { no_ignore: true, hidden: true, max_files: 100, time_limit: SEARCH_LIMIT }
    }
}

impl Glob {
    /// The default, with what the environment of the host says: `CLAUDE_CODE_GLOB_NO_IGNORE` and
    /// `CLAUDE_CODE_GLOB_HIDDEN`, each switched off by `false` or `0`.
    pub fn from_env() -> Self {
        let is_on = |name| !matches!(std::env::var(name).as_deref().map(str::trim), Ok("false" | "0"));
        Self {
            no_ignore: is_on("CLAUDE_CODE_GLOB_NO_IGNORE"),
            hidden: is_on("CLAUDE_CODE_GLOB_HIDDEN"),
            ..Self::default()
        }
    }
}

impl Tool for Glob {
    type Input = GlobInput;
    type Output = GlobOutput;

    fn name(&self) -> &str {
        "Glob"
    }

    fn description(&self) -> &str {
        "Finds files by the pattern of their names."
    }

    fn prompt(&self) -> Cow<'_, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    fn search_hint(&self) -> &str {
        "find files by name pattern"
    }

    fn is_concurrency_safe(&self, _input: &GlobInput) -> bool {
        true
    }

    fn is_read_only(&self, _input: &GlobInput) -> bool {
        true
    }

    fn resources(&self, input: &GlobInput, context: &Context) -> Option<Resources> {
        permit::misfit(context, input).is_none().then(|| touched::search(permit::place(context, input).0.real()))?
    }

    async fn validate_input(&self, input: &GlobInput, ctx: &CallContext) -> Validation {
        match permit::misfit(&ctx.context, input) {
            Some(message) => Validation::Reject { message, code: 1 },
            None => Validation::Pass,
        }
    }

    fn permission_subject(&self, input: &GlobInput, ctx: &CallContext) -> CallSubject {
        permit::place(&ctx.context, input).0.subject()
    }

    fn classifier_input(&self, input: &GlobInput) -> String {
        match &input.path {
            Some(path) => format!("{} in {path}", input.pattern),
            None => input.pattern.clone(),
        }
    }

    async fn call(&self, input: &GlobInput, ctx: &CallContext) -> Result<ToolOutput<GlobOutput>, ToolError> {
        run::run(self, input, ctx).await.map(ToolOutput::new)
    }

    fn result_content(&self, output: &GlobOutput) -> Vec<ContentBlock> {
        vec![ContentBlock::text(render::text(output))]
    }

    fn render_use(&self, input: &GlobInput) -> RenderNode {
        render::call(input)
    }

    fn render_result(&self, _input: &GlobInput, output: &GlobOutput) -> RenderNode {
        render::result(output)
    }
}
