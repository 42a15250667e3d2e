//! Requests of the library on their way to Python: one tuple each, its kind first.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolreeve::bridge::HostRequest;
use toolreeve::engine::Event;
use toolreeve::engine::host::ModelRequest;

use crate::convert::to_python;
use crate::errors::guard;

/// The kinds, in the order in which `_dispatch.py` knows them.
const EVENT: u8 = 0;
const TOOL: u8 = 1;
const MODEL: u8 = 2;
const PERMISSION: u8 = 3;
const HOOK: u8 = 4;
const CANCEL: u8 = 5;

/// One request as a tuple; `None` for a kind that is newer than this file.
pub(crate) fn to_tuple<'py>(py: Python<'py>, request: HostRequest) -> PyResult<Option<Bound<'py, PyAny>>> {
    let tuple = match request {
        HostRequest::Event { run, event } => {
            let (kind, fields) = event_fields(py, &event)?;
            (EVENT, run, kind, fields).into_bound_py_any(py)?
        }
        HostRequest::Tool { id, name, input, tool_use_id } => {
            (TOOL, id, name, to_python(py, &input)?, tool_use_id).into_bound_py_any(py)?
        }
        HostRequest::Model { id, body } => (MODEL, id, RequestBody { body: *body }).into_bound_py_any(py)?,
        HostRequest::Permission { id, prompt } => {
            (PERMISSION, id, pythonize::pythonize(py, &prompt)?).into_bound_py_any(py)?
        }
        HostRequest::Hook { id, hook, input } => (HOOK, id, hook, to_python(py, &input)?).into_bound_py_any(py)?,
        HostRequest::Cancel { id } => (CANCEL, id).into_bound_py_any(py)?,
        _ => return Ok(None),
    };
    Ok(Some(tuple))
}

/// The type of an event and its other fields. The frequent ones are built by hand.
fn event_fields<'py>(py: Python<'py>, event: &Event) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
    let fields = PyDict::new(py);
    let kind = match event {
        Event::TextDelta { text } => {
            fields.set_item(pyo3::intern!(py, "text"), text)?;
            pyo3::intern!(py, "text_delta")
        }
        Event::ToolStart { id, while_streaming } => {
            fields.set_item(pyo3::intern!(py, "id"), id)?;
            fields.set_item(pyo3::intern!(py, "while_streaming"), while_streaming)?;
            pyo3::intern!(py, "tool_start")
        }
        Event::ToolEnd { id } => {
            fields.set_item(pyo3::intern!(py, "id"), id)?;
            pyo3::intern!(py, "tool_end")
        }
        Event::ToolProgress { id, data } => {
            fields.set_item(pyo3::intern!(py, "id"), id)?;
            fields.set_item(pyo3::intern!(py, "data"), to_python(py, data)?)?;
            pyo3::intern!(py, "tool_progress")
        }
        Event::Permission { id, decision } => {
            fields.set_item(pyo3::intern!(py, "id"), id)?;
            fields.set_item(pyo3::intern!(py, "decision"), to_python(py, decision)?)?;
            pyo3::intern!(py, "permission")
        }
        Event::ToolUse { id, name, input, render } => {
            fields.set_item(pyo3::intern!(py, "id"), id)?;
            fields.set_item(pyo3::intern!(py, "name"), name)?;
            fields.set_item(pyo3::intern!(py, "input"), to_python(py, input)?)?;
            if let Some(render) = render {
                fields.set_item(pyo3::intern!(py, "render"), pythonize::pythonize(py, render)?)?;
            }
            pyo3::intern!(py, "tool_use")
        }
        other => {
            let whole = pythonize::pythonize(py, other)?.cast_into::<PyDict>()?;
            let key = pyo3::intern!(py, "type");
            let kind = whole.get_item(key)?.unwrap_or_else(|| PyString::new(py, "").into_any());
            whole.del_item(key)?;
            return Ok((kind, whole));
        }
    };
    Ok((kind.clone().into_any(), fields))
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
