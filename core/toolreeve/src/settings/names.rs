//! Names that settings may hold: the keys of `permissions` and the public tools. Tables only.

/// The keys of `permissions`.
pub(super) const PERMISSION_KEYS: [&str; 10] = [
    "allow",
    "ask",
    "deny",
    "defaultMode",
    "additionalDirectories",
    "disableBypassPermissionsMode",
    "disableAutoMode",
    "blockReadsOutsideWorkingDirectories",
    "blockWritesOutsideWorkingDirectories",
    "denyInsteadOfPrompting",
];

pub(super) fn is_permission_key(name: &str) -> bool {
    PERMISSION_KEYS.contains(&name)
}

/// The public names of tools, current and older, as far as none has a `_`: such names are never reported.
const TOOLS: [&str; 66] = [
    "Agent",
    "AgentOutputTool",
    "Artifact",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Cd",
    "ClaudeDesign",
    "Config",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EndConversation",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "KillBash",
    "KillShell",
    "LS",
    "LSP",
    "ListAgents",
    "ListMcpResourcesTool",
    "MCPSearch",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "OfferChromeSetup",
    "PowerShell",
    "Projects",
    "PushNotification",
    "REPL",
    "Read",
    "ReadMcpResourceDirTool",
    "ReadMcpResourceTool",
    "ReadNotifications",
    "RefreshMcpTools",
    "RemoteTrigger",
    "ReportFindings",
    "ScheduleWakeup",
    "SendFeedback",
    "SendMessage",
    "SendUserFile",
    "SendUserMessage",
    "SetGoal",
    "ShareOnboardingGuide",
    "ShowOnboardingRolePicker",
    "Skill",
    "SlashCommand",
    "StructuredOutput",
    "SubagentHandback",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WaitForMcpServers",
    "WebFetch",
];

/// Further public names.
const MORE_TOOLS: [&str; 5] = ["ObserverReport", "TeamCreate", "TeamDelete", "WebSearch", "Workflow"];

/// Whether a tool may have this name: it is public, a pattern, or has a `_` as the tools of hosts and servers do.
pub(super) fn may_be_tool(name: &str) -> bool {
    name == "Write"
        || name.contains(['_', '*', '-'])
        || TOOLS.binary_search(&name).is_ok()
        || MORE_TOOLS.binary_search(&name).is_ok()
        // Tools of hosts are often named in small letters.
        || name.starts_with(|first: char| first.is_ascii_lowercase()) && !is_slip(name)
}

/// Whether a name differs from a public one by its case only.
fn is_slip(name: &str) -> bool {
    TOOLS.iter().chain(&MORE_TOOLS).chain(&["Write"]).any(|tool| tool.eq_ignore_ascii_case(name))
}

/// The tool that a text which is no rule most likely names; `*` if none.
pub(super) fn tool_of(text: &str) -> &str {
    let name = text.split('(').next().unwrap_or_default().trim();
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if plain && text.contains('(') { name } else { "*" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(TOOLS.is_sorted() && MORE_TOOLS.is_sorted());
    }

    #[test]
    fn what_a_broken_rule_names() {
        for (text, tool) in [
            ("Bash(rm", "Bash"),
            (" Read (../x)", "Read"),
            ("mcp__a__b(", "mcp__a__b"),
            ("Read, Write", "*"),
            ("", "*"),
            ("(x)", "*"),
            ("Bash Read(x)", "*"),
            ("Read Write", "*"),
        ] {
            assert_eq!(tool_of(text), tool, "{text:?}");
        }
    }

    #[test]
    fn names_that_no_tool_has() {
        for (name, known) in [
            ("Bash", true),
            ("Write", true),
            ("bash", false),
            ("webfetch", false),
            ("Bashh", false),
            ("echo", true),
            ("mcp__x__y", true),
            ("Task*", true),
        ] {
            assert_eq!(may_be_tool(name), known, "{name}");
        }
    }
}
