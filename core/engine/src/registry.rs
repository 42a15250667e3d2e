//! All tools that there are, by name and by older names. The single source of truth that pools are assembled from.

use std::collections::HashMap;
use std::sync::Arc;

use crate::tool::DynTool;

/// Whether a tool is built in or comes from a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Compiled in, or brought by the host as its own.
    BuiltIn,
    /// Bridged from an MCP server: sorts behind the built-ins and never replaces one.
    Mcp,
}

/// All tools. Registration order does not matter for anything the model sees.
#[derive(Clone, Default)]
pub struct ToolRegistry {
    tools: Vec<(Origin, Arc<dyn DynTool>)>,
    by_name: HashMap<String, usize>,
    by_alias: HashMap<String, usize>,
}

/// A tool found by a name.
#[derive(Clone)]
pub struct Resolved {
    /// The tool.
    pub tool: Arc<dyn DynTool>,
    /// Whether an older name was used.
    pub by_alias: bool,
}

impl ToolRegistry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool. A built-in of the same name stays and the new tool is dropped; an MCP tool of the same name is
    /// replaced. Returns whether the tool was taken.
    pub fn add(&mut self, origin: Origin, tool: Arc<dyn DynTool>) -> bool {
        let name = tool.name().to_owned();
        let index = match self.by_name.get(&name) {
            Some(&index) => {
                if self.tools[index].0 == Origin::BuiltIn && origin == Origin::Mcp {
                    return false;
                }
                self.tools[index] = (origin, tool);
                self.by_alias.retain(|_, at| *at != index);
                index
            }
            None => {
                self.tools.push((origin, tool));
                self.by_name.insert(name, self.tools.len() - 1);
                self.tools.len() - 1
            }
        };
        for alias in self.tools[index].1.aliases() {
            self.by_alias.entry(alias.to_owned()).or_insert(index);
        }
        true
    }

    /// Finds a tool by its name, else by an older name.
    pub fn resolve(&self, name: &str) -> Option<Resolved> {
        let found = |index: &usize, by_alias| Resolved { tool: Arc::clone(&self.tools[*index].1), by_alias };
        match self.by_name.get(name) {
            Some(index) => Some(found(index, false)),
            None => self.by_alias.get(name).map(|index| found(index, true)),
        }
    }

    /// All tools with their origin.
    pub fn iter(&self) -> impl Iterator<Item = (Origin, &Arc<dyn DynTool>)> {
        self.tools.iter().map(|(origin, tool)| (*origin, tool))
    }
}

impl std::fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.tools.iter().map(|(_, tool)| tool.name())).finish()
    }
}
