//! Stage 3: PreToolUse hooks.

use toolreeve_permission::{Behavior, HookVerdict};

use super::{HookAnswer, HookEvent, observable_input};
use crate::context::CallContext;
use crate::pipeline::Pipeline;
use crate::tool::{DynTool, ToolInput};

/// Runs the hooks. One that stops the run denies the call too.
pub(crate) async fn run(pipeline: &Pipeline, tool: &dyn DynTool, input: &ToolInput, ctx: &CallContext) -> HookAnswer {
    let scene = pipeline.scene();
    if !scene.wants("PreToolUse", tool.name()) {
        return HookAnswer::default();
    }
    let tool_input = observable_input(tool, input, input.value.as_ref().clone(), &ctx.context);
    let (tool_name, tool_use_id) = (tool.name().to_owned(), ctx.tool_use_id.to_string());
    let mut answer = scene.raise(HookEvent::PreToolUse { tool_name, tool_input, tool_use_id }).await;
    if let Some(reason) = &answer.stop {
        let message = match reason.as_str() {
            "" => "a PreToolUse hook stopped the work".to_owned(),
            reason => format!("a PreToolUse hook stopped the work: {reason}"),
        };
        answer.verdict = Some(HookVerdict { behavior: Behavior::Deny, message });
    }
    answer
}
