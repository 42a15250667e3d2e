//! Stage 3: PreToolUse hooks. Merge: deny beats ask beats allow; of several changed inputs that of the last registered
//! hook wins; all additional context is kept. A hook of the host that fails asks: a guard that breaks must not open
//! the door.

use toolreeve_permission::{Behavior, HookVerdict};

use super::run_matching;
use crate::context::CallContext;
use crate::host::HookEvent;
use crate::message::ToolUse;
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
pub(crate) async fn run(
    pipeline: &Pipeline,
    tool_use: &ToolUse,
    tool: &dyn DynTool,
    input: &ToolInput,
    ctx: &CallContext,
) -> PreOutcome {
    let mut merged = PreOutcome::default();
    let hooks = pipeline.hooks();
    if hooks.is_empty() {
        return merged;
    }
    let mut tool_input = input.value.as_ref().clone();
    tool.backfill_observable_input(&mut tool_input, &ctx.context);
    let (tool_name, tool_use_id) = (tool.name().to_owned(), tool_use.id.clone());
    let event = HookEvent::PreToolUse { tool_name, tool_input, tool_use_id };
    for answer in run_matching(hooks, tool.name(), event).await {
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
