//! The permission modes and their public names.

use serde::{Deserialize, Serialize};

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
