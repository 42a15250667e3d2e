//! The tools that one request offers to the model: filtered, then sorted so that the built-ins are a prefix whose
//! bytes do not change whatever other tools come and go (prompt caches depend on it). Seeds 4.2.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use toolreeve_permission::Policy;

use crate::registry::{Origin, ToolRegistry};
use crate::tool::DynTool;

/// What the model is told about one tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolSpec {
    /// The name.
    pub name: String,
    /// What the model is told.
    pub description: String,
    /// The JSON Schema of the input.
    pub input_schema: Value,
    /// Whether the definition stays out of the model's context until it is searched for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub defer_loading: bool,
}

/// The switches of the assembly.
#[derive(Debug, Clone, Default)]
pub struct PoolOptions {
    /// Offer only Bash, Read and Edit; with `repl`, only the REPL.
    pub simple: bool,
    /// Hide the tools that the REPL wraps, if there is a REPL tool.
    pub repl: bool,
    /// The shell has a faster search of its own, so Glob and Grep leave the list.
    pub shell_has_search: bool,
}

/// The name of the REPL tool.
const REPL: &str = "REPL";
/// What simple mode offers.
const SIMPLE_TOOLS: &[&str] = &["Bash", "Edit", "Read"];
/// What the REPL wraps and REPL mode hides.
const REPL_ONLY_TOOLS: &[&str] = &["Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"];
/// What an embedded search replaces.
const SEARCH_TOOLS: &[&str] = &["Glob", "Grep"];

/// The tools on offer, in the order the model sees them.
#[derive(Clone, Default)]
pub struct ToolPool {
    tools: Vec<Arc<dyn DynTool>>,
    built_in_count: usize,
}

/// Assembles a pool. Filters, in order: simple mode, REPL mode, deny rules without content, the tool's own switch.
/// Then built-ins by name, then MCP tools by name; of two with one name the built-in stays.
pub fn assemble_pool(registry: &ToolRegistry, policy: &Policy, options: &PoolOptions) -> ToolPool {
    let has_repl = options.repl && registry.iter().any(|(_, tool)| tool.name() == REPL && tool.is_enabled());
    let offered = |tool: &Arc<dyn DynTool>, origin: Origin| {
        let name = tool.name();
        let in_mode = match (options.simple, has_repl) {
            (true, true) => name == REPL,
            (true, false) => origin == Origin::Mcp || SIMPLE_TOOLS.contains(&name),
            (false, true) => !REPL_ONLY_TOOLS.contains(&name),
            (false, false) => true,
        };
        let replaced = options.shell_has_search && SEARCH_TOOLS.contains(&name);
        in_mode && !replaced && !policy.removes_tool(name) && tool.is_enabled()
    };
    let mut tools: Vec<(Origin, Arc<dyn DynTool>)> = registry
        .iter()
        .filter(|(origin, tool)| offered(tool, *origin))
        .map(|(origin, tool)| (origin, Arc::clone(tool)))
        .collect();
    tools.sort_by(|(a_origin, a), (b_origin, b)| (a_origin, a.name()).cmp(&(b_origin, b.name())));
    let built_in_count = tools.iter().take_while(|(origin, _)| *origin == Origin::BuiltIn).count();
    ToolPool { tools: tools.into_iter().map(|(_, tool)| tool).collect(), built_in_count }
}

impl ToolPool {
    /// The tools in order.
    pub fn tools(&self) -> &[Arc<dyn DynTool>] {
        &self.tools
    }

    /// How many of them, from the front, are built in.
    pub fn built_in_count(&self) -> usize {
        self.built_in_count
    }

    /// What the model is told, in order.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(spec_of).collect()
    }

    /// The tool of this name, if it is on offer.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn DynTool>> {
        let (built_in, others) = self.tools.split_at(self.built_in_count);
        let find = |sorted: &'_ [Arc<dyn DynTool>]| sorted.binary_search_by(|tool| tool.name().cmp(name)).ok();
        match find(built_in) {
            Some(at) => built_in.get(at),
            None => find(others).and_then(|at| others.get(at)),
        }
    }

    /// Whether a tool of this name is on offer.
    pub fn offers(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

fn spec_of(tool: &Arc<dyn DynTool>) -> ToolSpec {
    ToolSpec {
        name: tool.name().to_owned(),
        description: tool.prompt().trim().to_owned(),
        input_schema: tool.input_schema().as_value().clone(),
        defer_loading: tool.should_defer(),
    }
}

impl std::fmt::Debug for ToolPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.tools.iter().map(|tool| tool.name())).finish()
    }
}
