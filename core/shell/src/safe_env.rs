//! The variables that allow rules look past. Owns the list; each entry changes what a program prints or builds, never
//! what it runs.

/// The 32 variables known to be harmless in front of a command.
pub const SAFE_ENV_VARS: [&str; 32] = [
    "CGO_ENABLED",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "FORCE_COLOR",
    "GO111MODULE",
    "GOARCH",
    "GOEXPERIMENT",
    "GOOS",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NUMERIC",
    "LC_TIME",
    "LINES",
    "LS_COLORS",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
    "TIME_STYLE",
];

/// Whether allow rules may look past an assignment of this variable.
pub fn is_safe_env(name: &str) -> bool {
    SAFE_ENV_VARS.contains(&name)
}
