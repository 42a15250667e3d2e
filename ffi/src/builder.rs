//! Puts an agent together: its configuration, then its callbacks.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex};

use toolreeve::bridge::{AgentConfig, BridgedAgent, HookSpec, HostToolSpec};

use crate::agent::{Shared, keep, lock, toolreeve_agent};
use crate::callbacks::{
    Callback, Callbacks, Userdata, toolreeve_cancel_fn, toolreeve_event_fn, toolreeve_finalizer_fn, toolreeve_model_fn,
    toolreeve_request_fn, toolreeve_tool_fn,
};
use crate::error::{Failure, toolreeve_error};
use crate::guard::guard;
use crate::handle::Table;
use crate::status::toolreeve_status;
use crate::text::{Out, text};

/// An agent in the making. `toolreeve_builder_build` ends it; `toolreeve_builder_free` is for one that is not built. Any
/// thread.
pub struct toolreeve_builder {
    _opaque: [u8; 0],
}

/// Empty once it is built.
struct Parts {
    config: AgentConfig,
    callbacks: Callbacks,
}

static BUILDERS: Table<Mutex<Option<Parts>>> = Table::new(2);

/// Begins an agent from a configuration, a JSON object whose fields may all be left out: `cwd`, `home`,
/// `additional_directories`, `rules` {`allow`, `ask`, `deny`}, `mode`, `settings` (the content of a settings file) and
/// `settings_folder` (where patterns `/p` in it begin),
/// `system`, `max_turns`, `built_in_tools`, `simple`, `repl`, `env`, `messages`, `session_id`, `spill_dir`, `threads`.
/// An unknown field is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_builder_new(
    config: *const c_char,
    config_length: usize,
    builder: *mut *mut toolreeve_builder,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let out = Out::new(builder, "builder")?;
        // SAFETY: the caller's promise about texts.
        let config = read_config(unsafe { text(config, config_length, "config") }?)?;
        let parts = Parts { config, callbacks: Callbacks::default() };
        out.write(BUILDERS.insert(Mutex::new(Some(parts))));
        Ok(())
    })
}

/// Frees a builder that was not built, and finalizes its callbacks. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_builder_free(builder: *mut toolreeve_builder) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        if !builder.is_null() {
            BUILDERS.remove(builder)?;
        }
        Ok(())
    })
}

/// Sets the callback for the model. Without one, runs fail with the event `error`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_builder_model(
    builder: *mut toolreeve_builder,
    callback: toolreeve_model_fn,
    userdata: *mut c_void,
    finalizer: toolreeve_finalizer_fn,
) -> toolreeve_status {
    let userdata = Userdata::new(userdata, finalizer);
    guard(std::ptr::null_mut(), || {
        let callback = Callback::new(given(callback)?, userdata);
        change(builder, |parts| Ok(parts.callbacks.model.replace(callback))).map(drop)
    })
}

/// Sets the callback for permission questions. Without one there is nobody to ask, and what would ask is denied. The
/// request is JSON with `tool_use_id`, `tool_name`, `input`, `title`, `suggestions`, `decision` and more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_builder_permission(
    builder: *mut toolreeve_builder,
    callback: toolreeve_request_fn,
    userdata: *mut c_void,
    finalizer: toolreeve_finalizer_fn,
) -> toolreeve_status {
    let userdata = Userdata::new(userdata, finalizer);
    guard(std::ptr::null_mut(), || {
        let callback = Callback::new(given(callback)?, userdata);
        change(builder, |parts| Ok(parts.callbacks.permission.replace(callback))).map(drop)
    })
}

/// Sets the classifier: it judges calls by their meaning where no rule does, started together with the hooks. In the
/// mode `auto` it may refuse calls too. The request is JSON with `tool_name` and `input`, a text; answer with
/// `toolreeve_classifier_answer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_builder_classifier(
    builder: *mut toolreeve_builder,
    callback: toolreeve_request_fn,
    userdata: *mut c_void,
    finalizer: toolreeve_finalizer_fn,
) -> toolreeve_status {
    let userdata = Userdata::new(userdata, finalizer);
    guard(std::ptr::null_mut(), || {
        let callback = Callback::new(given(callback)?, userdata);
        change(builder, |parts| Ok(parts.callbacks.classifier.replace(callback))).map(drop)
    })
}

/// Sets the callback for events. Without one, events wait for `toolreeve_agent_next_event`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_builder_events(
    builder: *mut toolreeve_builder,
    callback: toolreeve_event_fn,
    userdata: *mut c_void,
    finalizer: toolreeve_finalizer_fn,
) -> toolreeve_status {
    let userdata = Userdata::new(userdata, finalizer);
    guard(std::ptr::null_mut(), || {
        let callback = Callback::new(given(callback)?, userdata);
        change(builder, |parts| Ok(parts.callbacks.events.replace(callback))).map(drop)
    })
}

/// Sets the callback that hears which requests are no longer wanted. Without one, `TOOLREEVE_STATUS_NOT_WANTED` tells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_builder_cancel(
    builder: *mut toolreeve_builder,
    callback: toolreeve_cancel_fn,
    userdata: *mut c_void,
    finalizer: toolreeve_finalizer_fn,
) -> toolreeve_status {
    let userdata = Userdata::new(userdata, finalizer);
    guard(std::ptr::null_mut(), || {
        let callback = Callback::new(given(callback)?, userdata);
        change(builder, |parts| Ok(parts.callbacks.cancel.replace(callback))).map(drop)
    })
}

/// Adds a tool that the host runs. `spec` is JSON: `name` and `input_schema`, and what may be left out: `description`,
/// `prompt`, `aliases`, `read_only`, `concurrency_safe`, `destructive`, `requires_interaction`, `classifier_fields`, `defer_loading`,
/// `search_hint`, `max_result_chars`, `mcp`, and `reads` and `writes`, lists of keys with fields of the input in them
/// (`file:{path}`, `table:{name}`): calls whose keys do not meet run beside each other. What is not said is careful:
/// alone, not read-only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_builder_add_tool(
    builder: *mut toolreeve_builder,
    spec: *const c_char,
    spec_length: usize,
    callback: toolreeve_tool_fn,
    userdata: *mut c_void,
    finalizer: toolreeve_finalizer_fn,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    let userdata = Userdata::new(userdata, finalizer);
    guard(error, || {
        let mut callback = Some(Callback::new(given(callback)?, userdata));
        // SAFETY: the caller's promise about texts.
        let spec = unsafe { text(spec, spec_length, "spec") }?;
        let spec: HostToolSpec = read("the tool", spec)?;
        change(builder, |parts| {
            if parts.callbacks.tools.contains_key(&spec.name) {
                let words = format!("there is a tool {:?} already; give this one another name", spec.name);
                return Err(Failure::argument(words));
            }
            parts.callbacks.tools.extend(callback.take().map(|callback| (spec.name.clone(), callback)));
            parts.config.tools.push(spec);
            Ok(())
        })
    })
}

/// Adds a hook that the host runs. `spec` is JSON: `event`, a name of the public contract such as "PreToolUse", "Stop"
/// or "UserPromptSubmit", and `matcher`, which names tools (or what else the event is about) and may be left out. The
/// request and the answer have the public shapes of hooks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_builder_add_hook(
    builder: *mut toolreeve_builder,
    spec: *const c_char,
    spec_length: usize,
    callback: toolreeve_request_fn,
    userdata: *mut c_void,
    finalizer: toolreeve_finalizer_fn,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    let userdata = Userdata::new(userdata, finalizer);
    guard(error, || {
        let callback = Callback::new(given(callback)?, userdata);
        // SAFETY: the caller's promise about texts.
        let spec: HookSpec = read("the hook", unsafe { text(spec, spec_length, "spec") }?)?;
        change(builder, |parts| {
            parts.callbacks.hooks.push(callback);
            parts.config.hooks.push(spec);
            Ok(())
        })
    })
}

/// Makes the agent. Ends the builder, also on failure: its handle is invalid afterwards and its callbacks belong to the
/// agent or are finalized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_builder_build(
    builder: *mut toolreeve_builder,
    agent: *mut *mut toolreeve_agent,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let out = Out::new(agent, "agent")?;
        let builder = BUILDERS.remove(builder)?;
        let parts = lock(&builder).take();
        let Parts { mut config, callbacks } = parts.ok_or_else(|| Failure::state(toolreeve_status::INVALID_HANDLE))?;
        config.ask = callbacks.permission.is_some();
        config.classifier = callbacks.classifier.is_some();
        out.write(keep(Shared::new(BridgedAgent::new(config)?, callbacks)));
        Ok(())
    })
}

/// Makes an agent without callbacks: it tells of its tools, judges calls and runs the built-in tools, but has no model
/// and nobody to ask. The configuration is that of `toolreeve_builder_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_new(
    config: *const c_char,
    config_length: usize,
    agent: *mut *mut toolreeve_agent,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let out = Out::new(agent, "agent")?;
        // SAFETY: the caller's promise about texts.
        let config = read_config(unsafe { text(config, config_length, "config") }?)?;
        out.write(keep(Shared::new(BridgedAgent::new(config)?, Callbacks::default())));
        Ok(())
    })
}

fn read_config(text: &str) -> Result<AgentConfig, Failure> {
    let config: AgentConfig = if text.is_empty() { AgentConfig::default() } else { read("the configuration", text)? };
    let misplaced = [
        (!config.tools.is_empty(), "tools", "toolreeve_builder_add_tool"),
        (!config.hooks.is_empty(), "hooks", "toolreeve_builder_add_hook"),
        (config.ask, "ask", "toolreeve_builder_permission"),
        (config.classifier, "classifier", "toolreeve_builder_classifier"),
    ];
    match misplaced.into_iter().find(|(is_given, ..)| *is_given) {
        Some((_, field, function)) => {
            let words = format!("{field}: needs a callback; leave it out and use {function}");
            Err(Failure::new(toolreeve_status::INVALID_CONFIG, words))
        }
        None => Ok(config),
    }
}

/// Reads JSON of a given shape; what is no JSON at all has a status of its own.
fn read<T: for<'a> serde::Deserialize<'a>>(what: &str, text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => {
            Failure::new(toolreeve_status::INVALID_CONFIG, format!("{what} is not usable: {error}"))
        }
        _ => Failure::json(what, &error),
    })
}

fn given<F>(callback: Option<F>) -> Result<F, Failure> {
    callback.ok_or_else(|| Failure::null("callback"))
}

/// Changes what is being built. What `change` returns or fails with leaves the lock before it is dropped: a finalizer may
/// call this library.
fn change<R>(
    builder: *mut toolreeve_builder,
    change: impl FnOnce(&mut Parts) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let builder: Arc<Mutex<Option<Parts>>> = BUILDERS.get(builder)?;
    let mut parts = lock(&builder);
    change(parts.as_mut().ok_or_else(|| Failure::state(toolreeve_status::INVALID_HANDLE))?)
}
