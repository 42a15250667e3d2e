//! What was refused how often, for the whole session: guidance for a model that asks again and again, and the pause of
//! the auto mode. Owns which calls count as alike and when they count; the counting is the permission crate's.

use std::sync::{Mutex, MutexGuard, PoisonError};

use toolreeve_permission::{AutoModeBlocks, Behavior, Decision, DenialTracker};

use crate::context::CallContext;
use crate::tool::{CallSubject, DynTool, ToolInput};

/// The counts of a session.
#[derive(Debug, Default)]
pub(crate) struct DenialLog {
    denials: Mutex<DenialTracker>,
    auto_mode: Mutex<AutoModeBlocks>,
}

impl DenialLog {
    fn denials(&self) -> MutexGuard<'_, DenialTracker> {
        self.denials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The blocks of the auto mode's classifier.
    pub(super) fn auto_mode(&self) -> MutexGuard<'_, AutoModeBlocks> {
        self.auto_mode.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes that a call may run: the row of denials of its kind ends.
pub(super) fn note_allowed(tool: &dyn DynTool, input: &ToolInput, ctx: &CallContext, decision: Option<&Decision>) {
    let log = ctx.session.denials();
    // Nearly always so, and the kind of a call is worth finding only if it can matter.
    if log.denials().is_clear() {
        return;
    }
    let pattern = pattern(tool, input, ctx, decision);
    log.denials().allowed(tool.name(), pattern.as_deref());
}

/// Notes that a call was refused, and says what the model should be told beside it.
pub(super) fn note_denied(
    tool: &dyn DynTool,
    input: &ToolInput,
    ctx: &CallContext,
    decision: &Decision,
) -> Option<String> {
    let pattern = pattern(tool, input, ctx, Some(decision));
    ctx.session.denials().denials().denied(tool.name(), pattern.as_deref())
}

/// What makes two calls of a tool alike: the prefix or the program of the command that stood in the way, the path of a
/// file tool, the text that rules see of any other.
fn pattern(tool: &dyn DynTool, input: &ToolInput, ctx: &CallContext, decision: Option<&Decision>) -> Option<String> {
    // The tool's own code; what it breaks here it broke before, where it was reported.
    let subject =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tool.permission_subject(input, ctx))).ok()?;
    match subject {
        CallSubject::None => None,
        CallSubject::Text(text) => Some(text),
        CallSubject::Path { path, .. } => Some(path.to_string_lossy().into_owned()),
        CallSubject::Command(analysis) => {
            let parts = decision.map_or(&[][..], |decision| &decision.children);
            let at = parts.iter().position(|part| part.behavior != Behavior::Allow).unwrap_or(0);
            let command = analysis.commands.get(at)?;
            command.prefix.clone().or_else(|| command.program.clone()).or_else(|| Some(command.text.clone()))
        }
    }
}
