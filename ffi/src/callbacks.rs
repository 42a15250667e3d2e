//! The types of callbacks, and the data of the host that goes with each.

use std::ffi::{c_char, c_void};

use crate::agent::toolreeve_agent;

/// Opens a model's answer. Called by `toolreeve_agent_dispatch`, on its thread. `request` is JSON: `tools`, `system`,
/// `messages` in the shape of the Anthropic Messages API; it is valid during the call only. Answer with
/// `toolreeve_model_push` or `toolreeve_model_push_event` and at last `toolreeve_model_end` or `toolreeve_model_fail`,
/// from inside of the callback or later, from any thread.
pub type toolreeve_model_fn = Option<
    unsafe extern "C" fn(
        userdata: *mut c_void,
        agent: *mut toolreeve_agent,
        request_id: u64,
        request: *const c_char,
        request_length: usize,
    ),
>;

/// Runs a tool of the host. Called by `toolreeve_agent_dispatch`, on its thread. `input` is JSON that fits the tool's
/// schema; `tool_use_id` is the model's id of the call. Both are valid during the call only. Answer once with
/// `toolreeve_tool_answer`, `toolreeve_tool_answer_text` or `toolreeve_tool_fail`, from inside of the callback or later,
/// from any thread.
pub type toolreeve_tool_fn = Option<
    unsafe extern "C" fn(
        userdata: *mut c_void,
        agent: *mut toolreeve_agent,
        request_id: u64,
        tool_use_id: *const c_char,
        tool_use_id_length: usize,
        input: *const c_char,
        input_length: usize,
    ),
>;

/// Asks the person, runs a hook, or judges a call. Called by `toolreeve_agent_dispatch`, on its thread. `request` is JSON and valid
/// during the call only. Answer once with `toolreeve_permission_answer`, `toolreeve_hook_answer` or
/// `toolreeve_classifier_answer`, from inside of the callback or later, from any thread.
pub type toolreeve_request_fn = Option<
    unsafe extern "C" fn(
        userdata: *mut c_void,
        agent: *mut toolreeve_agent,
        request_id: u64,
        request: *const c_char,
        request_length: usize,
    ),
>;

/// Hears an event. Called by `toolreeve_agent_dispatch`, on its thread. `event` is JSON with a `type`; it is valid during
/// the call only. The last event of a run is `done`.
pub type toolreeve_event_fn = Option<
    unsafe extern "C" fn(
        userdata: *mut c_void,
        agent: *mut toolreeve_agent,
        run_id: u64,
        event: *const c_char,
        event_length: usize,
    ),
>;

/// Hears that the answer to an earlier request is no longer wanted. Called by `toolreeve_agent_dispatch`, on its thread.
pub type toolreeve_cancel_fn =
    Option<unsafe extern "C" fn(userdata: *mut c_void, agent: *mut toolreeve_agent, request_id: u64)>;

/// Frees the userdata of a callback; may be NULL. Called exactly once for each registration, also if that fails: when
/// the agent (or the unbuilt builder) is freed, or, if a call on the agent is still under way on some thread, at the end
/// of that call, on that thread.
pub type toolreeve_finalizer_fn = Option<unsafe extern "C" fn(userdata: *mut c_void)>;

/// What the host wants its callback to know. Owned: dropping it runs the finalizer.
pub(crate) struct Userdata {
    pointer: *mut c_void,
    finalizer: toolreeve_finalizer_fn,
}

// SAFETY: the library never follows the pointer; it only passes it back, one call at a time, on threads that the host
// itself lends (`toolreeve_agent_dispatch`, `toolreeve_agent_free`). The header says so.
unsafe impl Send for Userdata {}
// SAFETY: a shared reference gives away no more than a copy of the pointer.
unsafe impl Sync for Userdata {}

impl Userdata {
    pub(crate) fn new(pointer: *mut c_void, finalizer: toolreeve_finalizer_fn) -> Self {
        Self { pointer, finalizer }
    }
}

impl Drop for Userdata {
    fn drop(&mut self) {
        if let Some(finalizer) = self.finalizer.take() {
            // SAFETY: the host gave this finalizer for this pointer, and `take` makes it the only call.
            unsafe { finalizer(self.pointer) };
        }
    }
}

/// A function of the host with its userdata.
pub(crate) struct Callback<F> {
    pub(crate) function: F,
    userdata: Userdata,
}

impl<F> Callback<F> {
    pub(crate) fn new(function: F, userdata: Userdata) -> Self {
        Self { function, userdata }
    }

    pub(crate) fn userdata(&self) -> *mut c_void {
        self.userdata.pointer
    }
}

type Handle = *mut toolreeve_agent;
pub(crate) type RequestFn = unsafe extern "C" fn(*mut c_void, Handle, u64, *const c_char, usize);
pub(crate) type ToolFn = unsafe extern "C" fn(*mut c_void, Handle, u64, *const c_char, usize, *const c_char, usize);
pub(crate) type CancelFn = unsafe extern "C" fn(*mut c_void, Handle, u64);

/// All callbacks of an agent. The functions for the model, the person, hooks and events have the same shape.
#[derive(Default)]
pub(crate) struct Callbacks {
    pub(crate) model: Option<Callback<RequestFn>>,
    pub(crate) permission: Option<Callback<RequestFn>>,
    pub(crate) classifier: Option<Callback<RequestFn>>,
    pub(crate) events: Option<Callback<RequestFn>>,
    pub(crate) cancel: Option<Callback<CancelFn>>,
    /// By name.
    pub(crate) tools: std::collections::HashMap<String, Callback<ToolFn>>,
    /// By number.
    pub(crate) hooks: Vec<Callback<RequestFn>>,
}
