//! What the engine knows of tool names: old names, families that share path rules, and the main field of each tool.
//! Owns these tables only; tools themselves live elsewhere.

/// The current name of a tool that rules may still name by an old one.
pub(crate) fn canonical(name: &str) -> &str {
    match name {
        "Task" => "Agent",
        "BashOutput" => "TaskOutput",
        "KillShell" | "KillBash" => "TaskStop",
        "LSTool" => "LS",
        "View" => "Read",
        other => other,
    }
}

/// Whether a rule for `rule_tool` speaks of `tool` too: `Edit` of everything that edits files, `Read` of everything that
/// reads them, `Bash` of everything that runs a command.
pub(crate) fn covers(rule_tool: &str, tool: &str) -> bool {
    rule_tool == tool
        || match rule_tool {
            "Edit" => matches!(tool, "Write" | "NotebookEdit" | "MultiEdit"),
            "Read" => matches!(tool, "Grep" | "Glob" | "LS" | "LSP" | "NotebookRead"),
            "Bash" => tool == "Monitor",
            _ => false,
        }
}

/// Why a path in a rule for this tool is never looked at; `None` where it is.
pub(crate) fn path_rule_home(rule_tool: &str) -> Option<&'static str> {
    match rule_tool {
        "Write" | "NotebookEdit" | "MultiEdit" => Some("Edit"),
        "Glob" | "Grep" | "LS" | "NotebookRead" => Some("Read"),
        _ => None,
    }
}

/// Whether the content of a rule for this tool is a path pattern.
pub(crate) fn takes_paths(rule_tool: &str) -> bool {
    matches!(rule_tool, "Read" | "Edit")
}

/// Whether the content of a rule for this tool is a command pattern.
pub(crate) fn takes_commands(rule_tool: &str) -> bool {
    matches!(rule_tool, "Bash" | "PowerShell" | "Monitor")
}

/// The field that a rule's content stands for; a rule on it as a parameter has no meaning.
pub(crate) fn main_field(tool: &str) -> Option<&'static str> {
    match tool {
        "Bash" | "PowerShell" | "Monitor" => Some("command"),
        "Read" | "Edit" | "Write" | "MultiEdit" => Some("file_path"),
        "Grep" | "Glob" | "LS" => Some("path"),
        "NotebookEdit" | "NotebookRead" => Some("notebook_path"),
        "WebFetch" => Some("url"),
        _ => None,
    }
}

/// Whether the tool looks things up on the network, which its read-only mark does not make free.
pub(crate) fn reaches_out(tool: &str) -> bool {
    matches!(tool, "WebFetch" | "WebSearch") || tool.starts_with("mcp__")
}
