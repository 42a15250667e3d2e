//! The `sandbox` key of a settings file. Owns the shapes only.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The `sandbox` key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SandboxSettings {
    /// Whether commands run in the sandbox. The default is no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Whether to refuse to start where there is no sandbox, instead of to warn. The default is no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_if_unavailable: Option<bool>,
    /// Whether commands in the sandbox need no prompt. The default is yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_allow_bash_if_sandboxed: Option<bool>,
    /// Commands that run outside, in the syntax of the content of `Bash` rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excluded_commands: Vec<String>,
    /// Whether a call may ask to run outside. The default is yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_unsandboxed_commands: Option<bool>,
    /// What commands may read and write.
    #[serde(skip_serializing_if = "is_default")]
    pub filesystem: SandboxFilesystem,
    /// What commands may reach.
    #[serde(skip_serializing_if = "is_default")]
    pub network: SandboxNetwork,
    /// Secrets that commands do not see.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub credentials: Map<String, Value>,
    /// Violations that are not reported: parts of them by parts of the command.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ignore_violations: BTreeMap<String, Vec<String>>,
    /// Whether a weaker sandbox inside of an unprivileged container is enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_weaker_nested_sandbox: Option<bool>,
    /// Whether weaker isolation of the network is enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_weaker_network_isolation: Option<bool>,
    /// Every other key.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl SandboxSettings {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        is_default(self)
    }
}

/// The `sandbox.filesystem` key. Prefixes of paths: `/` absolute, `~/` home, else from the folder of the settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SandboxFilesystem {
    /// Further places that may be written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_write: Vec<String>,
    /// Places that may not be written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny_write: Vec<String>,
    /// Places that may not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny_read: Vec<String>,
    /// Places inside of those that may be read all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_read: Vec<String>,
    /// Whether files are left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
    /// Managed settings only: whether only their `allowRead` counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_managed_read_paths_only: Option<bool>,
    /// Every other key.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The `sandbox.network` key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SandboxNetwork {
    /// Hosts that may be reached without a prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_domains: Vec<String>,
    /// Hosts that may not be reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denied_domains: Vec<String>,
    /// Whether a host that is not on the list is denied instead of asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_allowlist: Option<bool>,
    /// Managed settings only: whether only their list counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_managed_domains_only: Option<bool>,
    /// Unix sockets that may be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_unix_sockets: Vec<String>,
    /// Whether every Unix socket may be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_all_unix_sockets: Option<bool>,
    /// Whether commands may listen on local ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_local_binding: Option<bool>,
    /// The port of an HTTP proxy of the host's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_proxy_port: Option<u16>,
    /// The port of a SOCKS proxy of the host's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socks_proxy_port: Option<u16>,
    /// Every other key.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
