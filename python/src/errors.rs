//! Failures on their way to Python: each becomes an exception of `toolreeve._errors`, and no panic gets out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use toolreeve::bridge::BridgeError;

/// An exception class of the package by name.
fn raise(py: Python<'_>, class: &str, kind: &str, message: String) -> PyErr {
    let made = py
        .import("toolreeve._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1((message.as_str(), kind)));
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(_) => PyRuntimeError::new_err(message),
    }
}

/// An error of the library, `toolreeve.Error`.
pub(crate) fn error(py: Python<'_>, kind: &str, message: impl Into<String>) -> PyErr {
    raise(py, "Error", kind, message.into())
}

/// What the bridge refused.
pub(crate) fn from_bridge(py: Python<'_>, problem: &BridgeError) -> PyErr {
    let message = problem.to_string();
    match problem {
        BridgeError::Config(_) | BridgeError::Build(_) => raise(py, "ConfigError", "config", message),
        BridgeError::Approval(_) | BridgeError::Answer(_) => error(py, "approval", message),
        BridgeError::Forked => error(py, "forked", message),
        BridgeError::Io(_) => error(py, "io", message),
        _ => error(py, "error", message),
    }
}

/// What a tool call was refused for, `toolreeve.ToolError`.
pub(crate) fn from_tool(py: Python<'_>, problem: &toolreeve::engine::ToolError) -> PyErr {
    raise(py, "ToolError", problem.kind.as_str(), problem.message.clone())
}

/// Runs `work`; a panic becomes `toolreeve.InternalError` instead of an exception that `except Exception` misses.
pub(crate) fn guard<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
        let message = format!("a bug in toolreeve: {}", words.unwrap_or("a panic without words"));
        Err(raise(py, "InternalError", "internal", message))
    })
}
