//! What the host answers: inside of a callback or later, from any thread.

use std::ffi::c_char;

use serde_json::Value;
use toolreeve::bridge::answers::{classifier_verdict, hook_outcome, prompt_answer, tool_output};
use toolreeve::engine::host::{HostError, ModelChunk};
use toolreeve::engine::{ErrorKind, HostOutput, ToolError};

use crate::agent::{find, toolreeve_agent};
use crate::error::{Failure, toolreeve_error};
use crate::guard::guard;
use crate::status::toolreeve_status;
use crate::text::{bytes, json, text};

/// Hands over a piece of a model's answer: bytes of its event stream (SSE), cut anywhere. Any thread.
/// `TOOLREEVE_STATUS_NOT_WANTED` says that the answer is complete or cancelled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_model_push(
    agent: *const toolreeve_agent,
    request_id: u64,
    data: *const c_char,
    length: usize,
) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        // SAFETY: the caller's promise about texts.
        let bytes = unsafe { bytes(data, length, "data") }?;
        wanted(find(agent)?.bridge.model_chunk(request_id, ModelChunk::Bytes(bytes.to_vec())))
    })
}

/// Hands over one event of a model's answer as JSON, instead of bytes of its stream. What is no JSON is refused and
/// ends the answer with a failure. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_model_push_event(
    agent: *const toolreeve_agent,
    request_id: u64,
    event: *const c_char,
    event_length: usize,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let bridge = &find(agent)?.bridge;
        // SAFETY: the caller's promise about texts.
        match unsafe { json(event, event_length, "event") } {
            Ok(event) => wanted(bridge.model_chunk(request_id, ModelChunk::Event(event))),
            Err(failure) => {
                bridge.model_fail(request_id, failure.words());
                Err(failure)
            }
        }
    })
}

/// The model's answer is complete. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_model_end(agent: *const toolreeve_agent, request_id: u64) -> toolreeve_status {
    guard(std::ptr::null_mut(), || wanted(find(agent)?.bridge.model_end(request_id)))
}

/// The model's answer failed; the run ends with the event `error` and these words. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_model_fail(
    agent: *const toolreeve_agent,
    request_id: u64,
    message: *const c_char,
    message_length: usize,
) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        let bridge = &find(agent)?.bridge;
        // SAFETY: the caller's promise about texts.
        match unsafe { text(message, message_length, "message") } {
            Ok(message) => wanted(bridge.model_fail(request_id, message)),
            Err(failure) => {
                bridge.model_fail(request_id, "the model failed, and what it said is not readable");
                Err(failure)
            }
        }
    })
}

/// Answers a tool with JSON: a string is a text for the model; an object has `content` (a string or content blocks),
/// and may have `is_error` and `structured`. Anything else is refused and fails the call. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_tool_answer(
    agent: *const toolreeve_agent,
    request_id: u64,
    answer: *const c_char,
    answer_length: usize,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        // SAFETY: the caller's promise about texts.
        let answer = unsafe { json(answer, answer_length, "answer") };
        settle_tool(agent, request_id, usable(answer, tool_output))
    })
}

/// Answers a tool with plain text. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_tool_answer_text(
    agent: *const toolreeve_agent,
    request_id: u64,
    answer: *const c_char,
    answer_length: usize,
) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        // SAFETY: the caller's promise about texts.
        let answer = unsafe { text(answer, answer_length, "answer") };
        settle_tool(agent, request_id, answer.map(HostOutput::text))
    })
}

/// A tool failed; the model reads these words as an error. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_tool_fail(
    agent: *const toolreeve_agent,
    request_id: u64,
    message: *const c_char,
    message_length: usize,
) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        let bridge = &find(agent)?.bridge;
        // SAFETY: the caller's promise about texts.
        match unsafe { text(message, message_length, "message") } {
            Ok(message) => wanted(bridge.answer_tool(request_id, Err(ToolError::failed(message)))),
            Err(failure) => {
                bridge.answer_tool(request_id, Err(garbage("the tool failed", &failure)));
                Err(failure)
            }
        }
    })
}

/// Reports progress of a running tool: any JSON, which comes back in the event `tool_progress`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_tool_progress(
    agent: *const toolreeve_agent,
    request_id: u64,
    data: *const c_char,
    data_length: usize,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        // SAFETY: the caller's promise about texts.
        let data = unsafe { json(data, data_length, "data") }?;
        wanted(find(agent)?.bridge.tool_progress(request_id, data))
    })
}

/// Answers a permission question with JSON: `{"behavior": "allow"}`, which may have `updated_input` and `rules` to save,
/// or `{"behavior": "deny"}`, which may have `message` and `interrupt`, or `{"behavior": "defer"}`, which may have
/// `expires_in` in seconds. Anything else is refused and denies the call. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_permission_answer(
    agent: *const toolreeve_agent,
    request_id: u64,
    answer: *const c_char,
    answer_length: usize,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let bridge = &find(agent)?.bridge;
        // SAFETY: the caller's promise about texts.
        match usable(unsafe { json(answer, answer_length, "answer") }, prompt_answer) {
            Ok(answer) => wanted(bridge.answer_permission(request_id, Ok(answer))),
            Err(failure) => {
                bridge.answer_permission(request_id, Err(HostError::new(failure.words())));
                Err(failure)
            }
        }
    })
}

/// Answers for a hook with JSON in the public shape of hook output; `{}` has no opinion. Anything else is refused, and
/// before a call makes the person decide. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_hook_answer(
    agent: *const toolreeve_agent,
    request_id: u64,
    answer: *const c_char,
    answer_length: usize,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let bridge = &find(agent)?.bridge;
        // SAFETY: the caller's promise about texts.
        match usable(unsafe { json(answer, answer_length, "answer") }, hook_outcome) {
            Ok(outcome) => wanted(bridge.answer_hook(request_id, Ok(outcome))),
            Err(failure) => {
                bridge.answer_hook(request_id, Err(HostError::new(failure.words())));
                Err(failure)
            }
        }
    })
}

/// Answers for the classifier with JSON: `{"verdict": "allow"}`, `"block"` or `"unsure"`, which may have `reason` and
/// `confidence` (`high`, `medium`, `low`); an allow counts only with high confidence, which is what is meant where none
/// is said. Anything else is refused and means unsure. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_classifier_answer(
    agent: *const toolreeve_agent,
    request_id: u64,
    answer: *const c_char,
    answer_length: usize,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let bridge = &find(agent)?.bridge;
        // SAFETY: the caller's promise about texts.
        match usable(unsafe { json(answer, answer_length, "answer") }, classifier_verdict) {
            Ok(verdict) => wanted(bridge.answer_classifier(request_id, Ok(verdict))),
            Err(failure) => {
                bridge.answer_classifier(request_id, Err(HostError::new(failure.words())));
                Err(failure)
            }
        }
    })
}

/// Answers a tool; an answer that is not usable fails the call, so that it never hangs.
fn settle_tool(
    agent: *const toolreeve_agent,
    request_id: u64,
    answer: Result<HostOutput, Failure>,
) -> Result<(), Failure> {
    let bridge = &find(agent)?.bridge;
    match answer {
        Ok(output) => wanted(bridge.answer_tool(request_id, Ok(output))),
        Err(failure) => {
            bridge.answer_tool(request_id, Err(garbage("the tool's answer is not usable", &failure)));
            Err(failure)
        }
    }
}

fn garbage(what: &str, failure: &Failure) -> ToolError {
    ToolError::new(ErrorKind::Host, format!("{what}: {}", failure.words()))
}

fn usable<T>(answer: Result<Value, Failure>, read: impl FnOnce(Value) -> Result<T, String>) -> Result<T, Failure> {
    read(answer?).map_err(Failure::argument)
}

fn wanted(is_wanted: bool) -> Result<(), Failure> {
    if is_wanted { Ok(()) } else { Err(Failure::state(toolreeve_status::NOT_WANTED)) }
}
