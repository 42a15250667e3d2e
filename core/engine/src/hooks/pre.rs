//! Stage 3: PreToolUse hooks. Merge: deny beats ask beats allow; of several changed inputs that of the last registered
//! hook wins; all additional context is kept. A hook of the host that fails asks: a guard that breaks must not open
//! the door.

use toolreeve_permission::{Behavior, HookVerdict};

use super::{matching, observable_input, run_all};
use crate::context::CallContext;
use crate::host::HookEvent;
use crate::pipeline::Pipeline;
use crate::tool::{DynTool, ToolInput};

/// What the hooks said, merged.
#[derive(Default)]
pub(crate) struct PreOutcome {
    /// Their decision.
    pub(crate) verdict: Option<HookVerdict>,
    /// The input to use instead.
    pub(crate) updated_input: Option<serde_json::Value>,
    /// Text for the model.
    pub(crate) additional_context: Vec<String>,
}

/// Runs the hooks.
pub(crate) async fn run(pipeline: &Pipeline, tool: &dyn DynTool, input: &ToolInput, ctx: &CallContext) -> PreOutcome {
    let mut merged = PreOutcome::default();
    let hooks = matching(pipeline.hooks(), "PreToolUse", tool.name());
    if hooks.is_empty() {
        return merged;
    }
    let tool_input = observable_input(tool, input, input.value.as_ref().clone(), &ctx.context);
    let (tool_name, tool_use_id) = (tool.name().to_owned(), ctx.tool_use_id.to_string());
    let event = HookEvent::PreToolUse { tool_name, tool_input, tool_use_id };
    for answer in run_all(hooks, &event).await {
        let verdict = match answer {
            Ok(outcome) => {
                merged.updated_input = outcome.updated_input.or(merged.updated_input);
                merged.additional_context.extend(outcome.additional_context);
                outcome.verdict
            }
            Err(error) => {
                let message = format!("a PreToolUse hook failed: {error}");
                Some(HookVerdict { behavior: Behavior::Ask, message })
            }
        };
        if let Some(verdict) = verdict
            && merged.verdict.as_ref().is_none_or(|known| known.behavior < verdict.behavior)
        {
            merged.verdict = Some(verdict);
        }
    }
    merged
}
