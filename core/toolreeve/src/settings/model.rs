//! The typed model of a settings file, from which its JSON Schema comes. Owns the shapes; reading a file that is only
//! partly right is in `decode`, what several files mean together in `merge`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolreeve_permission::RuleExamples;

use super::sandbox::SandboxSettings;

/// A settings file. Keys that are not known are kept in `other`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Permission rules, the mode and directories.
    pub permissions: Permissions,
    /// Hooks by event; read by the hooks themselves.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub hooks: Map<String, Value>,
    /// Whether no hook runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_all_hooks: Option<bool>,
    /// Patterns of the addresses that `http` hooks may call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_http_hook_urls: Option<Vec<String>>,
    /// Names of the environment variables that headers of `http` hooks may hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_hook_allowed_env_vars: Option<Vec<String>>,
    /// Managed settings only: whether only their permission rules count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_managed_permission_rules_only: Option<bool>,
    /// Managed settings only: whether only their hooks run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_managed_hooks_only: Option<bool>,
    /// Managed settings only: whether only their list of MCP servers counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_managed_mcp_servers_only: Option<bool>,
    /// Managed settings only: whether managed settings that the host brings count beside those of the administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_settings_behavior: Option<ParentSettingsBehavior>,
    /// The sandbox of commands.
    #[serde(skip_serializing_if = "SandboxSettings::is_empty")]
    pub sandbox: SandboxSettings,
    /// Variables for child processes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Whether all MCP servers of the project's `.mcp.json` are approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_all_project_mcp_servers: Option<bool>,
    /// Servers of `.mcp.json` that are approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled_mcpjson_servers: Option<Vec<String>>,
    /// Servers of `.mcp.json` that are rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_mcpjson_servers: Option<Vec<String>>,
    /// MCP servers that may be used; the others may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_mcp_servers: Option<Vec<McpServerMatch>>,
    /// MCP servers that may not be used, even if they are allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied_mcp_servers: Option<Vec<McpServerMatch>>,
    /// How long a question to the person waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_user_question_timeout: Option<QuestionTimeout>,
    /// The shell of commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_shell: Option<String>,
    /// What is different about skills, by their names.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub skill_overrides: Map<String, Value>,
    /// Whether skills run no shell commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_skill_shell_execution: Option<bool>,
    /// Whether `WebFetch` does without its look ahead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_web_fetch_preflight: Option<bool>,
    /// Where plans are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plans_directory: Option<String>,
    /// How worktrees are made.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub worktree: Map<String, Value>,
    /// Whether file searches leave out what git ignores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub respect_gitignore: Option<bool>,
    /// Every other key.
    #[serde(flatten)]
    pub other: Map<String, Value>,
    /// The folder of the file, absolute, where it is known: path patterns `/p` of a file that is named at the start
    /// begin there.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
}

/// The `permissions` key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Permissions {
    /// Rules that allow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<RuleEntry>,
    /// Rules that ask.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ask: Vec<RuleEntry>,
    /// Rules that deny.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<RuleEntry>,
    /// The mode to begin with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_mode: Option<ModeName>,
    /// Further directories in which files may be read and, with permission, written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additional_directories: Vec<PathBuf>,
    /// `disable` takes the mode that allows everything away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_bypass_permissions_mode: Option<Disable>,
    /// `disable` takes the auto mode away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_auto_mode: Option<Disable>,
    /// Whether reads outside of the working directories are denied instead of asked about; true anywhere wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_reads_outside_working_directories: Option<bool>,
    /// Whether writes outside of the working directories are denied instead of asked about; true anywhere wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_writes_outside_working_directories: Option<bool>,
    /// Whether what would be asked about is denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny_instead_of_prompting: Option<bool>,
    /// Every other key.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// One entry of a list of rules: the rule, or the rule with what goes with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RuleEntry {
    /// The rule, for example `Bash(npm test:*)`.
    Text(String),
    /// The rule with a message and examples.
    Full(FullRule),
}

/// A rule with a message and examples.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FullRule {
    /// The rule, for example `Bash(git push:*)`.
    pub rule: String,
    /// What the person and the model read when it denies or asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Calls that it must decide: commands, paths or texts, as its tool has them.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Calls that it must leave alone.
    #[serde(default, rename = "not_match", skip_serializing_if = "Vec::is_empty")]
    pub not_matches: Vec<String>,
}

impl RuleEntry {
    /// The text of the rule.
    pub fn rule(&self) -> &str {
        match self {
            Self::Text(rule) => rule,
            Self::Full(full) => &full.rule,
        }
    }

    /// What the person and the model read when it denies or asks.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Text(_) => None,
            Self::Full(full) => full.message.as_deref(),
        }
    }

    /// The examples; empty without any.
    pub fn examples(&self) -> RuleExamples {
        match self {
            Self::Text(_) => RuleExamples::default(),
            Self::Full(full) => RuleExamples { matches: full.matches.clone(), not_matches: full.not_matches.clone() },
        }
    }
}

impl From<&str> for RuleEntry {
    fn from(rule: &str) -> Self {
        Self::Text(rule.to_owned())
    }
}

/// The value of a switch that can only take something away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Disable {
    /// It is taken away.
    Disable,
}

/// The public names of the modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ModeName {
    /// Only reads are free.
    Default,
    /// The same as `default`.
    Manual,
    /// Also file edits and simple file commands inside of the working directories.
    AcceptEdits,
    /// Reads only; edits wait for the approval of a plan.
    Plan,
    /// Everything but ask rules, hard limits and tools that need a person.
    BypassPermissions,
    /// What would ask is denied.
    DontAsk,
    /// A classifier answers in place of the person; counts only in user, flag and managed settings.
    Auto,
}

impl From<ModeName> for toolreeve_permission::PermissionMode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Default | ModeName::Manual => Self::Default,
            ModeName::AcceptEdits => Self::AcceptEdits,
            ModeName::Plan => Self::Plan,
            ModeName::BypassPermissions => Self::BypassPermissions,
            ModeName::DontAsk => Self::DontAsk,
            ModeName::Auto => Self::Auto,
        }
    }
}

/// Whether managed settings of the host count beside those of the administrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ParentSettingsBehavior {
    /// They count too.
    Merge,
    /// They do not.
    Ignore,
}

/// One entry of a list of MCP servers; exactly one of the three is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct McpServerMatch {
    /// The name of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
    /// The command that starts it, word by word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_command: Option<Vec<String>>,
    /// A pattern of its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_url: Option<String>,
}

/// How long a question waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum QuestionTimeout {
    /// One minute.
    #[serde(rename = "60s")]
    OneMinute,
    /// Five minutes.
    #[serde(rename = "5m")]
    FiveMinutes,
    /// Ten minutes.
    #[serde(rename = "10m")]
    TenMinutes,
}

/// The JSON Schema of a settings file (draft 2020-12), as it is published beside this crate.
pub fn settings_schema() -> Value {
    schemars::schema_for!(Settings).to_value()
}
