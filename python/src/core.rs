//! `Core`: one bridged agent as Python holds it. Thin: every method is one step of the library behind a panic guard.
//!
//! The methods that answer never let go of the interpreter lock: they run on any Python thread, also on one that the
//! end of the interpreter would stop in the middle. No thread of the library ever takes that lock.

use std::collections::HashMap;
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use serde_json::Value;
use toolreeve::bridge::{Bridge, BridgeError, BridgedAgent, RequestId, answers};
use toolreeve::engine::host::HostError;
use toolreeve::engine::{ToolResult, ToolUse};

use crate::answer::{model_chunk, tool_answer};
use crate::convert::to_json;
use crate::errors::{error, from_bridge, from_tool, guard};
use crate::request::to_tuples;

type Results = Mutex<HashMap<u64, Arc<Mutex<Option<Vec<ToolResult>>>>>>;

/// A bridged agent.
#[pyclass(frozen, module = "toolreeve._toolreeve")]
pub(crate) struct Core {
    /// Empty once closed.
    agent: Mutex<Option<Arc<BridgedAgent>>>,
    bridge: Bridge,
    /// The results of `call` by run, until Python fetches them.
    results: Results,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Core {
    /// The agent, unless it is closed or this is a forked child.
    fn open(&self) -> Option<Arc<BridgedAgent>> {
        // A lock may have been held by a thread that stayed behind, so a child touches none.
        if self.bridge.is_forked() { None } else { lock(&self.agent).clone() }
    }

    fn agent(&self, py: Python<'_>) -> PyResult<Arc<BridgedAgent>> {
        self.open().ok_or_else(|| match self.bridge.is_forked() {
            true => from_bridge(py, &BridgeError::Forked),
            false => error(py, "closed", "the agent is closed"),
        })
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        let Some(agent) = lock(&self.agent).take() else { return };
        // Its threads may need a moment to end; other Python threads go on meanwhile. Where the interpreter itself is
        // ending there is no lock to let go of.
        let mut agent = Some(agent);
        let _ = Python::try_attach(|py| py.detach(|| drop(agent.take())));
        drop(agent);
    }
}

#[pymethods]
impl Core {
    /// Makes an agent from the JSON text of its configuration.
    #[new]
    fn new(py: Python<'_>, config: &str) -> PyResult<Self> {
        guard(py, || {
            let agent = py.detach(|| BridgedAgent::from_json(config)).map_err(|problem| from_bridge(py, &problem))?;
            let bridge = agent.bridge().clone();
            Ok(Self { agent: Mutex::new(Some(Arc::new(agent))), bridge, results: Results::default() })
        })
    }

    /// The descriptor that is readable while there are requests.
    fn fd(&self, py: Python<'_>) -> PyResult<i32> {
        guard(py, || {
            self.agent(py)?;
            Ok(self.bridge.fd().as_raw_fd())
        })
    }

    /// Whether this process was forked from the one that made the agent.
    fn is_forked(&self) -> bool {
        self.bridge.is_forked()
    }

    /// Whether `close` was called.
    fn is_closed(&self) -> bool {
        lock(&self.agent).is_none()
    }

    /// Takes up to `limit` requests, in order.
    fn take<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Bound<'py, PyList>> {
        guard(py, || {
            let taken = if self.bridge.is_forked() { Vec::new() } else { self.bridge.take(limit) };
            to_tuples(py, taken)
        })
    }

    /// Begins to work on a prompt.
    fn run(&self, py: Python<'_>, prompt: &str) -> PyResult<u64> {
        guard(py, || self.agent(py)?.run(prompt).map_err(|problem| from_bridge(py, &problem)))
    }

    /// Goes on with what waited for approvals.
    fn resume(&self, py: Python<'_>) -> PyResult<u64> {
        guard(py, || self.agent(py)?.resume().map_err(|problem| from_bridge(py, &problem)))
    }

    /// The approvals that wait.
    fn approvals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || {
            let approvals = self.agent(py)?.approvals().map_err(|problem| from_bridge(py, &problem))?;
            Ok(pythonize::pythonize(py, &approvals)?)
        })
    }

    /// Answers an approval: a dict with `behavior`.
    fn answer_approval(&self, py: Python<'_>, id: &str, answer: &Bound<'_, PyAny>) -> PyResult<()> {
        guard(py, || {
            let answer = to_json(answer).map_err(|problem| error(py, "approval", format!("the answer: {problem}")))?;
            self.agent(py)?.answer_approval(id, answer).map_err(|problem| from_bridge(py, &problem))
        })
    }

    /// Takes an approval away.
    fn revoke_approval(&self, py: Python<'_>, id: &str) -> PyResult<()> {
        guard(py, || self.agent(py)?.revoke_approval(id).map_err(|problem| from_bridge(py, &problem)))
    }

    /// Takes up an approval that was kept.
    fn restore_approval(&self, py: Python<'_>, approval: &Bound<'_, PyAny>) -> PyResult<()> {
        guard(py, || {
            let approval =
                to_json(approval).map_err(|problem| error(py, "approval", format!("the approval: {problem}")))?;
            self.agent(py)?.restore_approval(approval).map_err(|problem| from_bridge(py, &problem))
        })
    }

    /// Begins to run calls, each `(id, name, input)`.
    fn call(&self, py: Python<'_>, calls: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<u64> {
        guard(py, || {
            let mut uses = Vec::with_capacity(calls.len());
            for (id, name, input) in calls {
                let input =
                    to_json(&input).map_err(|problem| error(py, "invalid-input", format!("the input: {problem}")))?;
                uses.push(ToolUse { id, name, input });
            }
            // The run's number is known only afterwards, so the results wait under a place of their own until then.
            let place: Arc<Mutex<Option<Vec<ToolResult>>>> = Arc::default();
            let done = {
                let place = Arc::clone(&place);
                move |results| *lock(&place) = Some(results)
            };
            let run = self.agent(py)?.call(uses, done).map_err(|problem| from_bridge(py, &problem))?;
            lock(&self.results).insert(run, place);
            Ok(run)
        })
    }

    /// The results of a `call` that is done.
    fn take_results<'py>(&self, py: Python<'py>, run: u64) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || {
            let place = lock(&self.results).remove(&run);
            let results = place.and_then(|place| lock(&place).take()).unwrap_or_default();
            Ok(pythonize::pythonize(py, &results)?)
        })
    }

    /// Stops a run as the person would.
    fn interrupt(&self, py: Python<'_>, run: u64) -> PyResult<bool> {
        guard(py, || Ok(self.open().is_some_and(|agent| agent.interrupt(run))))
    }

    /// Stops a run because nobody wants it any more.
    fn abandon(&self, py: Python<'_>, run: u64) -> PyResult<bool> {
        guard(py, || Ok(self.open().is_some_and(|agent| agent.abandon(run))))
    }

    /// Hands over pieces of a model's answer. Returns whether more are wanted.
    fn model_chunks(&self, py: Python<'_>, id: RequestId, pieces: &Bound<'_, PyList>) -> PyResult<bool> {
        guard(py, || {
            let mut chunks = Vec::with_capacity(pieces.len());
            for piece in pieces.iter() {
                match model_chunk(&piece) {
                    Ok(chunk) => chunks.push(chunk),
                    Err(problem) => {
                        self.bridge.model_chunks(id, chunks);
                        self.bridge.model_fail(id, problem);
                        return Ok(false);
                    }
                }
            }
            Ok(self.bridge.model_chunks(id, chunks))
        })
    }

    /// The model's answer is complete.
    fn model_end(&self, py: Python<'_>, id: RequestId) -> PyResult<bool> {
        guard(py, || Ok(self.bridge.model_end(id)))
    }

    /// The model's answer failed.
    fn model_fail(&self, py: Python<'_>, id: RequestId, message: &str) -> PyResult<bool> {
        guard(py, || Ok(self.bridge.model_fail(id, message)))
    }

    /// Answers tools; see `answer.rs` for the shape.
    fn answer_tools(&self, py: Python<'_>, answers: Vec<Bound<'_, PyTuple>>) -> PyResult<()> {
        guard(py, || {
            let answers = answers.iter().map(tool_answer).collect::<PyResult<Vec<_>>>()?;
            self.bridge.answer_tools(answers);
            Ok(())
        })
    }

    /// Reports progress of a tool. Returns whether it is still wanted.
    fn tool_progress(&self, py: Python<'_>, id: RequestId, data: &Bound<'_, PyAny>) -> PyResult<bool> {
        guard(py, || {
            let data = to_json(data).map_err(|problem| error(py, "progress", format!("progress: {problem}")))?;
            Ok(self.bridge.tool_progress(id, data))
        })
    }

    /// Answers a permission question: a dict with `behavior`.
    fn answer_permission(&self, py: Python<'_>, id: RequestId, answer: &Bound<'_, PyAny>) -> PyResult<bool> {
        guard(py, || {
            let read = to_json(answer).and_then(answers::prompt_answer);
            Ok(self.bridge.answer_permission(id, read.map_err(HostError::new)))
        })
    }

    /// A permission callback failed.
    fn fail_permission(&self, py: Python<'_>, id: RequestId, message: &str) -> PyResult<bool> {
        guard(py, || Ok(self.bridge.answer_permission(id, Err(HostError::new(message)))))
    }

    /// Answers for the classifier: a dict with `verdict`.
    fn answer_classifier(&self, py: Python<'_>, id: RequestId, answer: &Bound<'_, PyAny>) -> PyResult<bool> {
        guard(py, || {
            let read = to_json(answer).and_then(answers::classifier_verdict);
            Ok(self.bridge.answer_classifier(id, read.map_err(HostError::new)))
        })
    }

    /// The classifier failed.
    fn fail_classifier(&self, py: Python<'_>, id: RequestId, message: &str) -> PyResult<bool> {
        guard(py, || Ok(self.bridge.answer_classifier(id, Err(HostError::new(message)))))
    }

    /// Answers for a hook with the public JSON of hooks.
    fn answer_hook(&self, py: Python<'_>, id: RequestId, output: &Bound<'_, PyAny>) -> PyResult<bool> {
        guard(py, || {
            let read = to_json(output).and_then(answers::hook_outcome);
            Ok(self.bridge.answer_hook(id, read.map_err(HostError::new)))
        })
    }

    /// A hook failed.
    fn fail_hook(&self, py: Python<'_>, id: RequestId, message: &str) -> PyResult<bool> {
        guard(py, || Ok(self.bridge.answer_hook(id, Err(HostError::new(message)))))
    }

    /// The conversation so far, or `None` while a run is under way.
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guard(py, || {
            let messages = self.agent(py)?.try_messages().map_err(|problem| from_bridge(py, &problem))?;
            Ok(messages.map(|messages| pythonize::pythonize(py, &messages)).transpose()?)
        })
    }

    /// What the model is told about the tools.
    fn specs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || Ok(pythonize::pythonize(py, &self.agent(py)?.specs())?))
    }

    /// Judges a call without running it.
    fn check<'py>(&self, py: Python<'py>, tool: &str, input: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || {
            let agent = self.agent(py)?;
            let input: Value =
                to_json(input).map_err(|problem| error(py, "invalid-input", format!("the input: {problem}")))?;
            let judged = py.detach(|| agent.check(tool, &input)).map_err(|problem| from_bridge(py, &problem))?;
            let decision = judged.map_err(|problem| from_tool(py, &problem))?;
            Ok(pythonize::pythonize(py, &decision)?)
        })
    }

    /// Stops everything and gives back threads and descriptors. Closing twice is fine.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guard(py, || {
            if self.bridge.is_forked() {
                return Ok(());
            }
            let agent = lock(&self.agent).take();
            py.detach(|| drop(agent));
            Ok(())
        })
    }
}
