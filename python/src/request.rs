//! Requests of the library on their way to Python: tuples, their kind first.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use toolreeve::bridge::HostRequest;
use toolreeve::engine::Event;
use toolreeve::engine::host::ModelRequest;

use crate::convert::to_python;
use crate::errors::guard;

/// The kinds, in the order in which `_dispatch.py` knows them.
const EVENTS: u8 = 0;
const TOOL: u8 = 1;
const MODEL: u8 = 2;
const PERMISSION: u8 = 3;
const HOOK: u8 = 4;
const CANCEL: u8 = 5;
const CLASSIFIER: u8 = 6;

/// Requests as tuples, in order. Events of one run that follow each other share one, `(kind, run, events, is_over)`:
/// there are many.
pub(crate) fn to_tuples<'py>(py: Python<'py>, requests: Vec<HostRequest>) -> PyResult<Bound<'py, PyList>> {
    let tuples = PyList::empty(py);
    let mut requests = requests.into_iter().peekable();
    while let Some(request) = requests.next() {
        let tuple = match request {
            HostRequest::Event { run, event } => {
                let mut is_over = matches!(event, Event::Done { .. });
                let events = PyList::new(py, [RawEvent { event }.into_pyobject(py)?])?;
                let same_run =
                    |next: &HostRequest| matches!(next, HostRequest::Event { run: next, .. } if *next == run);
                while let Some(HostRequest::Event { event, .. }) = requests.next_if(same_run) {
                    is_over |= matches!(event, Event::Done { .. });
                    events.append(RawEvent { event }.into_pyobject(py)?)?;
                }
                (EVENTS, run, events, is_over).into_bound_py_any(py)?
            }
            HostRequest::Tool { id, name, input, tool_use_id } => {
                (TOOL, id, name, to_python(py, &input)?, tool_use_id).into_bound_py_any(py)?
            }
            HostRequest::Model { id, body } => (MODEL, id, RequestBody { body: *body }).into_bound_py_any(py)?,
            HostRequest::Permission { id, prompt } => {
                (PERMISSION, id, pythonize::pythonize(py, &prompt)?).into_bound_py_any(py)?
            }
            HostRequest::Hook { id, hook, input } => (HOOK, id, hook, to_python(py, &input)?).into_bound_py_any(py)?,
            HostRequest::Classifier { id, tool_name, input } => {
                (CLASSIFIER, id, tool_name, input).into_bound_py_any(py)?
            }
            HostRequest::Cancel { id } => (CANCEL, id).into_bound_py_any(py)?,
            _ => continue,
        };
        tuples.append(tuple)?;
    }
    Ok(tuples)
}

/// An event whose fields become Python values only when somebody looks at them.
#[pyclass(frozen, module = "toolreeve._toolreeve")]
pub(crate) struct RawEvent {
    event: Event,
}

#[pymethods]
impl RawEvent {
    /// The type: one of the names that the classes of `events.py` have; of a newer one, the empty string.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        let name = match &self.event {
            Event::TurnStart { .. } => pyo3::intern!(py, "turn_start"),
            Event::TextDelta { .. } => pyo3::intern!(py, "text_delta"),
            Event::ThinkingDelta { .. } => pyo3::intern!(py, "thinking_delta"),
            Event::ToolUse { .. } => pyo3::intern!(py, "tool_use"),
            Event::ToolStart { .. } => pyo3::intern!(py, "tool_start"),
            Event::ToolProgress { .. } => pyo3::intern!(py, "tool_progress"),
            Event::Permission { .. } => pyo3::intern!(py, "permission"),
            Event::ApprovalPending { .. } => pyo3::intern!(py, "approval_pending"),
            Event::ClassifierPending { .. } => pyo3::intern!(py, "classifier_pending"),
            Event::ToolEnd { .. } => pyo3::intern!(py, "tool_end"),
            Event::ToolResult { .. } => pyo3::intern!(py, "tool_result"),
            Event::Tombstone { .. } => pyo3::intern!(py, "tombstone"),
            Event::StreamEnd { .. } => pyo3::intern!(py, "stream_end"),
            Event::TurnEnd { .. } => pyo3::intern!(py, "turn_end"),
            Event::HookMessage { .. } => pyo3::intern!(py, "hook_message"),
            Event::Error { .. } => pyo3::intern!(py, "error"),
            Event::Done { .. } => pyo3::intern!(py, "done"),
            _ => pyo3::intern!(py, ""),
        };
        name.clone()
    }

    /// The event as JSON.
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || Ok(pythonize::pythonize(py, &self.event)?))
    }
}

/// What the model is asked. Its parts become Python values only when they are wanted: a long conversation is not
/// converted for a model that keeps its own.
#[pyclass(frozen, module = "toolreeve._toolreeve")]
pub(crate) struct RequestBody {
    body: ModelRequest,
}

#[pymethods]
impl RequestBody {
    /// The part under a name (`tools`, `system`, `messages`), or `None`.
    fn part<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        guard(py, || {
            Ok(match name {
                "tools" => Some(pythonize::pythonize(py, &self.body.tools)?),
                "system" => self.body.system.as_ref().map(|system| PyString::new(py, system).into_any()),
                "messages" => Some(pythonize::pythonize(py, &self.body.messages)?),
                _ => None,
            })
        })
    }
}
