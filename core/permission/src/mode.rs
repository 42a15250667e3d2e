//! The permission modes and their public names.

use serde::{Deserialize, Serialize};
use toolreeve_shell::CommandFacts;

/// How much runs without asking. The names are those of the public settings (`permissions.defaultMode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// Only reads are free.
    #[default]
    #[serde(alias = "manual")]
    Default,
    /// Also file edits and simple file commands inside of the working directories.
    AcceptEdits,
    /// Reads only; edits wait for the approval of a plan.
    Plan,
    /// Everything but ask rules, hard limits and tools that need a person.
    BypassPermissions,
    /// What would ask is denied.
    DontAsk,
    /// A classifier answers in place of the person, as far as it is certain.
    Auto,
}

/// Whether the acceptEdits mode takes a command for a file edit: a few programs, understood in full, behind nothing but
/// harmless variables and wrappers. Where they write is judged apart.
pub(crate) fn is_simple_edit(command: &CommandFacts) -> bool {
    let first = command.stripped.split([' ', '\t', '\n']).next().unwrap_or("");
    matches!(first, "mkdir" | "touch" | "rm" | "rmdir" | "mv" | "cp" | "sed")
        && command.program.as_deref() == Some(first)
        && command.paths_complete
        && !command.nested
}

/// Whether the auto mode suspends an allow rule with this content: it covers an interpreter or a runner, so it covers
/// everything.
pub(crate) fn is_broad(content: &str) -> bool {
    const RUNNERS: [&str; 32] = [
        "bash",
        "sh",
        "zsh",
        "fish",
        "dash",
        "ksh",
        "python",
        "python2",
        "python3",
        "node",
        "deno",
        "bun",
        "ruby",
        "perl",
        "php",
        "lua",
        "npx",
        "bunx",
        "uvx",
        "pipx",
        "eval",
        "exec",
        "env",
        "sudo",
        "xargs",
        "ssh",
        "docker",
        "kubectl",
        "osascript",
        "pwsh",
        "powershell",
        "su",
    ];
    let words: Vec<&str> = content.split([' ', '\t', ':']).filter(|word| !word.is_empty() && *word != "*").collect();
    let wild = content.contains('*');
    match words.as_slice() {
        [] => true,
        [one] => wild && RUNNERS.contains(&one.trim_end_matches('*')),
        ["npm" | "pnpm" | "yarn" | "uv" | "cargo" | "go" | "poetry", "run" | "exec" | "x" | "dlx"] => wild,
        _ => false,
    }
}
