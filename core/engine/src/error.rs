//! Failures of tools as data: what the model reads, and a class that is safe to count.
//! Never carries a path, a command or code in the class.

use std::borrow::Cow;

use crate::exec::cancel::CancelReason;

/// What kind of failure a call ended in. The slugs are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No tool has the name.
    UnknownTool,
    /// The input does not fit the schema, or is no JSON at all.
    InvalidInput,
    /// The tool's own validation refused the input.
    Rejected,
    /// The permission chain refused the call.
    PermissionDenied,
    /// The person put the question off: the call waits for an approval.
    Deferred,
    /// The call was cancelled, or never started.
    Cancelled(CancelReason),
    /// The call ran out of time.
    Timeout,
    /// The operating system refused something.
    Io,
    /// The tool did its work and reports failure.
    Failed,
    /// The tool or a host callback panicked or raised.
    Panicked,
    /// A host callback failed or answered nonsense.
    Host,
}

impl ErrorKind {
    /// The stable slug, for example `invalid-input`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown-tool",
            Self::InvalidInput => "invalid-input",
            Self::Rejected => "rejected",
            Self::PermissionDenied => "permission-denied",
            Self::Deferred => "deferred",
            Self::Cancelled(_) => "cancelled",
            Self::Timeout => "timeout",
            Self::Io => "io",
            Self::Failed => "failed",
            Self::Panicked => "panicked",
            Self::Host => "host",
        }
    }
}

/// A failed call: the text for the model, and what may be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// What the model reads.
    pub message: String,
    /// A message that its author marked as safe to count (no path, no code).
    pub safe_message: Option<Cow<'static, str>>,
    /// The operating system's name of the error, for example `ENOENT`.
    pub os_code: Option<&'static str>,
    /// A stable name of the error's type, for example that of a Python exception.
    pub name: Option<String>,
}

impl ToolError {
    /// A failure with a text for the model.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), safe_message: None, os_code: None, name: None }
    }

    /// The tool did its work and reports failure.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    /// The operating system refused something; `what` says what was tried, for example "cannot read /a/b".
    pub fn io(what: impl std::fmt::Display, error: &std::io::Error) -> Self {
        let mut this = Self::new(ErrorKind::Io, format!("{what}: {}", describe_io(error)));
        this.os_code = error.raw_os_error().and_then(os_code_name);
        this
    }

    /// Marks a message as safe to count.
    #[must_use]
    pub fn with_safe_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.safe_message = Some(message.into());
        self
    }

    /// Names the type of the error.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The class for telemetry: the safe message, else the OS code (`Error:ENOENT`), else a stable name of more than
    /// three characters, else `Error`. Never a path or code. Values that are no errors are `UnknownError`
    /// (see [`unknown_error_class`]).
    pub fn telemetry_class(&self) -> String {
        if let Some(message) = &self.safe_message {
            return message.to_string();
        }
        if let Some(code) = self.os_code {
            return format!("Error:{code}");
        }
        match &self.name {
            Some(name) if name.len() > 3 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => name.clone(),
            _ => "Error".to_owned(),
        }
    }
}

/// The class of a value that is no error at all, for example a panic with a foreign payload.
pub fn unknown_error_class() -> &'static str {
    "UnknownError"
}

/// An operating system error in words, without the "(os error 2)" tail.
fn describe_io(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

/// The symbolic name of an error number, for those a tool meets.
fn os_code_name(code: i32) -> Option<&'static str> {
    // The numbers below are the same on Linux and macOS; the others differ and are matched by platform.
    let name = match code {
        1 => "EPERM",
        2 => "ENOENT",
        4 => "EINTR",
        5 => "EIO",
        7 => "E2BIG",
        8 => "ENOEXEC",
        12 => "ENOMEM",
        13 => "EACCES",
        16 => "EBUSY",
        17 => "EEXIST",
        18 => "EXDEV",
        20 => "ENOTDIR",
        21 => "EISDIR",
        22 => "EINVAL",
        23 => "ENFILE",
        24 => "EMFILE",
        26 => "ETXTBSY",
        27 => "EFBIG",
        28 => "ENOSPC",
        30 => "EROFS",
        32 => "EPIPE",
        #[cfg(target_os = "linux")]
        11 => "EAGAIN",
        #[cfg(target_os = "linux")]
        36 => "ENAMETOOLONG",
        #[cfg(target_os = "linux")]
        39 => "ENOTEMPTY",
        #[cfg(target_os = "linux")]
        40 => "ELOOP",
        #[cfg(target_os = "linux")]
        110 => "ETIMEDOUT",
        #[cfg(target_os = "linux")]
        122 => "EDQUOT",
        _ => return None,
    };
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn telemetry_class_prefers_safe_message_then_os_code_then_name() {
        let missing = std::io::Error::from_raw_os_error(2);
        let error = ToolError::io("cannot read /secret/path", &missing);
        assert_eq!(error.telemetry_class(), "Error:ENOENT");
        assert_eq!(error.message, "cannot read /secret/path: No such file or directory");
        assert_eq!(error.clone().with_safe_message("read failed").telemetry_class(), "read failed");
        assert_eq!(ToolError::failed("x").with_name("ValueError").telemetry_class(), "ValueError");
        assert_eq!(ToolError::failed("x").with_name("nJT").telemetry_class(), "Error");
        assert_eq!(ToolError::failed("x").with_name("/home/u secret").telemetry_class(), "Error");
    }
}
