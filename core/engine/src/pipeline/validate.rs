//! Stage 2: the schema, with coercion and an error that the model can act on; then the tool's own validation.

use futures_util::FutureExt;
use serde_json::Value;

use super::Refusal;
use crate::context::CallContext;
use crate::error::{ErrorKind, ToolError};
use crate::pool::ToolPool;
use crate::schema::InputError;
use crate::tool::{DynTool, ToolInput, Validation};

fn invalid(message: impl std::fmt::Display) -> ToolError {
    ToolError::new(ErrorKind::InvalidInput, format!("InputValidationError: {message}"))
}

/// Parses the input of a request.
pub(super) fn parse(
    tool: &dyn DynTool,
    raw: &Value,
    broken_input: Option<&str>,
    pool: &ToolPool,
) -> Result<ToolInput, ToolError> {
    if let Some(problem) = broken_input {
        return Err(invalid(format!("the input of {} is not valid JSON: {problem}", tool.name())));
    }
    typed(tool, raw).map_err(|misfit| invalid(format!("{misfit}{}", schema_hint(tool, pool))))
}

/// Typing an input runs the tool author's code, which may panic.
fn typed(tool: &dyn DynTool, raw: &Value) -> Result<ToolInput, InputError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tool.parse_input(raw)))
        .unwrap_or_else(|_| Err(InputError::new(format!("{} failed while it read its input", tool.name()))))
}

/// A model that guesses the input of a tool whose schema it never saw needs to be told how to get it.
fn schema_hint(tool: &dyn DynTool, pool: &ToolPool) -> String {
    if !tool.should_defer() || !pool.offers("ToolSearch") {
        return String::new();
    }
    let name = tool.name();
    format!(
        "\nThe schema of {name} was not sent yet. Load it with ToolSearch (query \"select:{name}\"), then call again."
    )
}

/// Puts an input that a hook or a person changed in place of the old one and validates it. `Some` is a question for
/// the person.
pub(super) async fn revalidate(
    tool: &dyn DynTool,
    input: &mut ToolInput,
    updated: &Value,
    ctx: &CallContext,
) -> Result<Option<String>, Refusal> {
    *input = typed(tool, updated).map_err(|misfit| invalid(format!("the changed input does not fit: {misfit}")))?;
    validate(tool, input, ctx).await
}

/// The tool's own validation. `Some` is a question for the person.
pub(super) async fn validate(
    tool: &dyn DynTool,
    input: &ToolInput,
    ctx: &CallContext,
) -> Result<Option<String>, Refusal> {
    // Building the future may run the tool's code too, so it happens inside of the guard.
    let validation = std::panic::AssertUnwindSafe(async { tool.validate_input(input, ctx).await }).catch_unwind().await;
    match validation {
        Ok(Validation::Pass) => Ok(None),
        Ok(Validation::Ask { message }) => Ok(Some(message)),
        Ok(Validation::Reject { message, .. }) => Err(ToolError::new(ErrorKind::Rejected, message).into()),
        Err(_) => {
            let text = format!("{} failed while it checked its input; nothing was done.", tool.name());
            Err(ToolError::new(ErrorKind::Panicked, text).into())
        }
    }
}
