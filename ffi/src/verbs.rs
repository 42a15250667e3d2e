//! The three verbs that can be used apart (specs, check, call), the judgement of a bash command, and the conversation.

use std::ffi::c_char;
use std::sync::Arc;

use toolreeve::engine::ToolUse;

use crate::agent::{Results, find, lock, toolreeve_agent};
use crate::error::{Failure, toolreeve_error};
use crate::guard::guard;
use crate::status::toolreeve_status;
use crate::text::{Out, json, text, toolreeve_string};

/// What the model is told about the tools: a JSON array in the shape of the Anthropic Messages API, which is to be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_specs(
    agent: *const toolreeve_agent,
    specs: *mut toolreeve_string,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let out = Out::new(specs, "specs")?;
        out.write_json(&find(agent)?.agent()?.specs())
    })
}

/// Judges a call without running it and without asking anybody: the decision as JSON (`behavior`, `reason`, …), which is
/// to be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_check(
    agent: *const toolreeve_agent,
    tool: *const c_char,
    tool_length: usize,
    input: *const c_char,
    input_length: usize,
    decision: *mut toolreeve_string,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let out = Out::new(decision, "decision")?;
        // SAFETY: the caller's promise about texts.
        let tool = unsafe { text(tool, tool_length, "tool") }?;
        // SAFETY: the caller's promise about texts.
        let input = unsafe { json(input, input_length, "input") }?;
        match find(agent)?.agent()?.check(tool, &input)? {
            Ok(decision) => out.write_json(&decision),
            Err(error) => Err(Failure::new(toolreeve_status::INVALID_CALL, error.message)),
        }
    })
}

/// Runs calls that did not come from this agent's model, and returns at once. `calls` is a JSON array of objects with
/// `id`, `name` and `input`. Events carry the number of the run, the last one is `done`; then `toolreeve_agent_results`
/// has the results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_call(
    agent: *const toolreeve_agent,
    calls: *const c_char,
    calls_length: usize,
    run_id: *mut u64,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let out = Out::new(run_id, "run_id")?;
        // SAFETY: the caller's promise about texts.
        let calls = unsafe { json(calls, calls_length, "calls") }?;
        let calls: Vec<ToolUse> = serde_json::from_value(calls)
            .map_err(|error| Failure::argument(format!("calls must be objects with id, name and input: {error}")))?;
        let shared = find(agent)?;
        let results = Results::default();
        let place = Arc::clone(&results);
        let run = shared.agent()?.call(calls, move |given| *lock(&place) = Some(given))?;
        lock(&shared.results).insert(run, results);
        out.write(run);
        Ok(())
    })
}

/// Takes the results of a `call` whose `done` has come: a JSON array with one result for each call, in order, which is
/// to be freed. `TOOLREEVE_STATUS_EMPTY` before that; `TOOLREEVE_STATUS_NOT_WANTED` if there is no such call or its results
/// were taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_results(
    agent: *const toolreeve_agent,
    run_id: u64,
    results: *mut toolreeve_string,
) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        let out = Out::new(results, "results")?;
        let shared = find(agent)?;
        let mut known = lock(&shared.results);
        let place = known.get(&run_id).ok_or_else(|| Failure::state(toolreeve_status::NOT_WANTED))?;
        let given = lock(place).take().ok_or_else(|| Failure::state(toolreeve_status::EMPTY))?;
        known.remove(&run_id);
        out.write_json(&given)
    })
}

/// The conversation so far: a JSON array of messages, which is to be freed. `TOOLREEVE_STATUS_BUSY` while a run is under
/// way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_messages(
    agent: *const toolreeve_agent,
    messages: *mut toolreeve_string,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let out = Out::new(messages, "messages")?;
        match find(agent)?.agent()?.try_messages()? {
            Some(messages) => out.write_json(&messages),
            None => Err(Failure::new(toolreeve_status::BUSY, "a run is under way; wait for its `done`")),
        }
    })
}

/// The questions that were put off (`{"behavior": "defer"}`): a JSON array of approvals with `id`, `session_id`,
/// `created_at`, `expires_at`, `request` and `answer`, oldest first, which is to be freed. Each may be kept as text and
/// restored in another process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_approvals(
    agent: *const toolreeve_agent,
    approvals: *mut toolreeve_string,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        let out = Out::new(approvals, "approvals")?;
        out.write_json(&find(agent)?.agent()?.approvals()?)
    })
}

/// Answers an approval: `answer` is a JSON object as for a permission question, with the behavior `allow` or `deny`.
/// `toolreeve_agent_resume` then goes on. `TOOLREEVE_STATUS_NOT_WANTED` if none with this id waits, it expired, or it has an
/// answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_answer_approval(
    agent: *const toolreeve_agent,
    id: *const c_char,
    id_length: usize,
    answer: *const c_char,
    answer_length: usize,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        // SAFETY: the caller's promise about texts.
        let id = unsafe { text(id, id_length, "id") }?;
        // SAFETY: the caller's promise about texts.
        let answer = unsafe { json(answer, answer_length, "answer") }?;
        Ok(find(agent)?.agent()?.answer_approval(id, answer)?)
    })
}

/// Takes an approval away, answered or not: its call has to be asked for anew. `TOOLREEVE_STATUS_NOT_WANTED` if there is
/// none with this id.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_revoke_approval(
    agent: *const toolreeve_agent,
    id: *const c_char,
    id_length: usize,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        // SAFETY: the caller's promise about texts.
        let id = unsafe { text(id, id_length, "id") }?;
        Ok(find(agent)?.agent()?.revoke_approval(id)?)
    })
}

/// Takes up an approval that was kept as JSON, for example by another process. One with the same id is replaced.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_agent_restore_approval(
    agent: *const toolreeve_agent,
    approval: *const c_char,
    approval_length: usize,
    error: *mut *mut toolreeve_error,
) -> toolreeve_status {
    guard(error, || {
        // SAFETY: the caller's promise about texts.
        let approval = unsafe { json(approval, approval_length, "approval") }?;
        Ok(find(agent)?.agent()?.restore_approval(approval)?)
    })
}

/// Judges a bash command without an agent: `request` is a JSON object with `command` and more, the answer a JSON object
/// with `behavior`, `reason` and more, which is to be freed. The same bytes as `toolreeve check --jsonl` and the other
/// languages give. A bad request is answered with `{"error": {"kind", "message", "field"?}}`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolreeve_check(
    request: *const c_char,
    request_length: usize,
    answer: *mut toolreeve_string,
) -> toolreeve_status {
    guard(std::ptr::null_mut(), || {
        let out = Out::new(answer, "answer")?;
        // SAFETY: the caller's promise about texts.
        let request = unsafe { text(request, request_length, "request") }?;
        out.write_text(toolreeve::check_json(request));
        Ok(())
    })
}
