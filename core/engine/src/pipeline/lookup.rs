//! Stage 1: finds the tool by its name, else by an older name, as old transcripts still use them (seeds 5.4).

use std::sync::Arc;

use crate::error::{ErrorKind, ToolError};
use crate::pool::ToolPool;
use crate::registry::{Resolved, ToolRegistry};

/// At most this many names are listed for a model that asked for a tool that does not exist.
const MAX_LISTED_NAMES: usize = 60;

/// Finds the tool. One that exists but was not offered (removed by a deny rule, switched off) is not found: what the
/// model cannot see it cannot call.
pub(super) fn find(registry: &ToolRegistry, pool: &ToolPool, name: &str) -> Result<Resolved, ToolError> {
    if let Some(tool) = pool.get(name) {
        return Ok(Resolved { tool: Arc::clone(tool), by_alias: false });
    }
    match registry.resolve(name) {
        Some(resolved) if pool.offers(resolved.tool.name()) => Ok(resolved),
        Some(resolved) => Err(ToolError::new(
            ErrorKind::UnknownTool,
            format!("The tool {} is not available in this session.", resolved.tool.name()),
        )),
        None => {
            let names: Vec<&str> = pool.tools().iter().map(|tool| tool.name()).take(MAX_LISTED_NAMES).collect();
            let text = format!("There is no tool named {name:?}. Available tools: {}.", names.join(", "));
            Err(ToolError::new(ErrorKind::UnknownTool, text))
        }
    }
}
