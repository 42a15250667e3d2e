//! Runs the host's callbacks for what waits in the queue, on the host's own thread.

use std::ffi::c_char;
use std::sync::atomic::Ordering;

use serde::Serialize;
use serde_json::json;
use toolreeve::bridge::HostRequest;
use toolreeve::engine::host::HostError;
use toolreeve::engine::{ErrorKind, ToolError};

use crate::agent::{Shared, find, lock, toolreeve_agent};
use crate::callbacks::{Callback, RequestFn};
use crate::error::{Failure, toolreeve_error};
use crate::guard::guard;
use crate::status::toolreeve_status;
use crate::text::{Out, toolreeve_string};

/// Runs the callbacks for what waits, in order, on this thread: at most `max`, or with 0 all that waits at this moment.
/// Never waits for anything but the callbacks. `handled` may be NULL; else it gets the number of what was handled.
/// Callbacks may call every function. One thread at a time: while callbacks are running, whoever else calls this, and
/// callbacks themselves, get `TOOLREEVE_STATUS_BUSY`. If a callback frees the agent, the rest is dropped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_dispatch(
    agent: *mut toolreeve_agent,
    max: usize,
    handled: *mut usize,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let shared = find(agent)?;
        let _turn = Turn::take(&shared)?;
        let mut count = 0;
        for request in shared.bridge.take(if max == 0 { usize::MAX } else { max }) {
            if shared.is_freed() {
                break;
            }
            count += 1;
            deliver(&shared, agent, request);
        }
        if let Ok(out) = Out::new(handled, "handled") {
            out.write(count);
        }
        Ok(())
    })
}

/// Takes the next event that no callback heard: its run and its JSON, which is to be freed. `TOOLREEVE_STATUS_EMPTY` if
/// there is none; then dispatch brings more. Take until it is empty: the descriptor does not tell of events that
/// dispatch has brought already (`toolreeve_agent_wait` does).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_next_event(
    agent: *const toolreeve_agent,
    run_id: *mut u64,
    event: *mut toolreeve_string,
) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        let (run_out, event_out) = (Out::new(run_id, "run_id")?, Out::new(event, "event")?);
        let shared = find(agent)?;
        let next = lock(&shared.events).pop_front();
        let (run, event) = next.ok_or_else(|| Failure::state(toolreeve_status::EMPTY))?;
        event_out.write_json(&event)?;
        run_out.write(run);
        Ok(())
    })
}

/// The right to run callbacks, given back when it is dropped.
struct Turn<'a>(&'a Shared);

impl<'a> Turn<'a> {
    fn take(shared: &'a Shared) -> Result<Self, Failure> {
        if shared.dispatching.swap(true, Ordering::Acquire) {
            let words = "callbacks of this agent are running; return from them and dispatch again";
            return Err(Failure::new(toolreeve_status::BUSY, words));
        }
        Ok(Self(shared))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.dispatching.store(false, Ordering::Release);
    }
}

/// Hands one request to its callback; without a callback it is answered with a failure.
fn deliver(shared: &Shared, agent: *mut toolreeve_agent, request: HostRequest) {
    let (bridge, callbacks) = (&shared.bridge, &shared.callbacks);
    match request {
        HostRequest::Model { id, body } => {
            if let Err(problem) = call(callbacks.model.as_ref(), agent, id, &body) {
                bridge.model_fail(id, format!("the model cannot be asked: {problem}"));
            }
        }
        HostRequest::Permission { id, prompt } => {
            if let Err(problem) = call(callbacks.permission.as_ref(), agent, id, &prompt) {
                bridge.answer_permission(id, Err(HostError::new(problem)));
            }
        }
        HostRequest::Hook { id, hook, input } => {
            if let Err(problem) = call(callbacks.hooks.get(hook), agent, id, &input) {
                bridge.answer_hook(id, Err(HostError::new(problem)));
            }
        }
        HostRequest::Classifier { id, tool_name, input } => {
            let request = json!({"tool_name": tool_name, "input": input});
            if let Err(problem) = call(callbacks.classifier.as_ref(), agent, id, &request) {
                bridge.answer_classifier(id, Err(HostError::new(problem)));
            }
        }
        HostRequest::Tool { id, name, input, tool_use_id } => {
            let input = serde_json::to_string(&input).unwrap_or_default();
            match callbacks.tools.get(&name) {
                // SAFETY: the function came with this userdata, and the texts live until it returns.
                Some(callback) => unsafe {
                    let (input_data, input_length) = parts(&input);
                    let (id_data, id_length) = parts(&tool_use_id);
                    let userdata = callback.userdata();
                    (callback.function)(userdata, agent, id, id_data, id_length, input_data, input_length);
                },
                None => {
                    let error = ToolError::new(ErrorKind::Host, format!("the tool {name} has no callback"));
                    bridge.answer_tool(id, Err(error));
                }
            }
        }
        HostRequest::Cancel { id } => {
            if let Some(callback) = &callbacks.cancel {
                // SAFETY: the function came with this userdata.
                unsafe { (callback.function)(callback.userdata(), agent, id) };
            }
        }
        HostRequest::Event { run, event } => {
            if callbacks.events.is_some() {
                // An event that is no JSON cannot be: all its parts are.
                let _ = call(callbacks.events.as_ref(), agent, run, &event);
            } else {
                lock(&shared.events).push_back((run, event));
            }
        }
        // A request of a kind that this library does not know was made by no one.
        _ => {}
    }
}

fn call(
    callback: Option<&Callback<RequestFn>>,
    agent: *mut toolreeve_agent,
    id: u64,
    request: &impl Serialize,
) -> Result<(), String> {
    let callback = callback.ok_or("the host registered no callback for it")?;
    let text = serde_json::to_string(request).map_err(|error| error.to_string())?;
    let (data, length) = parts(&text);
    // SAFETY: the function came with this userdata, and the text lives until it returns.
    unsafe { (callback.function)(callback.userdata(), agent, id, data, length) };
    Ok(())
}

fn parts(text: &str) -> (*const c_char, usize) {
    (text.as_ptr().cast(), text.len())
}
