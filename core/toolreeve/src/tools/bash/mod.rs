//! Bash: runs a command under supervision.

mod permit;
mod render;
mod run;
mod schema;
mod shell;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use toolreeve_engine::{
    CallContext, CallSubject, ContentBlock, RenderNode, ResultLimit, Tool, ToolError, ToolOutput, Validation,
};

pub use schema::{BashInput, BashOutput};

/// The tool, with what a host may set.
#[derive(Debug, Clone)]
pub struct Bash {
    /// The bash to run, absolute; found by itself unless set.
    pub bash: Option<PathBuf>,
    /// The time limit where the input gives none; two minutes unless set otherwise.
    pub default_timeout: Duration,
    /// The longest time limit; longer ones are cut to it. Ten minutes unless set otherwise.
    pub max_timeout: Duration,
    /// A command that has written more than this is stopped; 5 GB unless set otherwise.
    pub max_output_bytes: u64,
}

impl Default for Bash {
    fn default() -> Self {
        Self {
            bash: None,
            default_timeout: Duration::from_secs(120),
            max_timeout: Duration::from_secs(600),
            max_output_bytes: 5_000_000_000,
        }
    }
}

impl Bash {
    /// The default, with the time limits that the environment of the host gives in milliseconds:
    /// `BASH_DEFAULT_TIMEOUT_MS` and `BASH_MAX_TIMEOUT_MS`. Values that are no positive number are passed over.
    pub fn from_env() -> Self {
        let limit = |name| {
            let millis = std::env::var(name).ok()?.trim().parse().ok()?;
            (millis > 0).then(|| Duration::from_millis(millis))
        };
        let default = Self::default();
        Self {
            default_timeout: limit("BASH_DEFAULT_TIMEOUT_MS").unwrap_or(default.default_timeout),
            max_timeout: limit("BASH_MAX_TIMEOUT_MS").unwrap_or(default.max_timeout),
            ..default
        }
    }
}

impl Tool for Bash {
    type Input = BashInput;
    type Output = BashOutput;

    fn name(&self) -> &str {
        "Bash"
    }

    fn description(&self) -> &str {
        "Runs a command in bash."
    }

    fn prompt(&self) -> Cow<'_, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    fn search_hint(&self) -> &str {
        "run shell commands"
    }

    fn max_result_size(&self) -> ResultLimit {
        ResultLimit::Chars(run::MAX_INLINE_CHARS)
    }

    fn is_concurrency_safe(&self, input: &BashInput) -> bool {
        permit::is_concurrency_safe(input.analysis())
    }

    fn is_read_only(&self, input: &BashInput) -> bool {
        input.analysis().read_only
    }

    fn is_destructive(&self, input: &BashInput) -> bool {
        !input.analysis().destructive_warnings.is_empty()
    }

    fn failure_cancels_siblings(&self, input: &BashInput) -> bool {
        !input.analysis().read_only
    }

    async fn validate_input(&self, input: &BashInput, _ctx: &CallContext) -> Validation {
        match permit::misfit(input) {
            Some(message) => Validation::Reject { message, code: 1 },
            None => Validation::Pass,
        }
    }

    fn permission_subject(&self, input: &BashInput, _ctx: &CallContext) -> CallSubject {
        CallSubject::Command(Arc::clone(input.analysis()))
    }

    fn destructive_warnings(&self, input: &BashInput) -> Vec<String> {
        input.analysis().destructive_warnings.iter().map(|warning| warning.message.to_owned()).collect()
    }

    fn classifier_input(&self, input: &BashInput) -> String {
        input.command.clone()
    }

    async fn call(&self, input: &BashInput, ctx: &CallContext) -> Result<ToolOutput<BashOutput>, ToolError> {
        run::run(self, input, ctx).await
    }

    fn result_content(&self, output: &BashOutput) -> Vec<ContentBlock> {
        vec![ContentBlock::text(render::text(output))]
    }

    fn render_use(&self, input: &BashInput) -> RenderNode {
        render::call(input)
    }

    fn render_result(&self, _input: &BashInput, output: &BashOutput) -> RenderNode {
        render::result(output)
    }
}
