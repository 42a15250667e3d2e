//! The Python extension module `toolreeve._toolreeve`: `Core` (a bridged agent), the check interface and the command line. Thin;
//! what feels like Python is written in Python, in `python/toolreeve/`.

mod answer;
mod convert;
mod core;
mod errors;
mod request;

use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::Value;

use crate::convert::{to_json, to_python};
use crate::errors::{error, guard};

fn request_of(py: Python<'_>, request: &Bound<'_, PyAny>) -> PyResult<Value> {
    to_json(request).map_err(|problem| error(py, "invalid-request", format!("the request is not JSON: {problem}")))
}

/// The compiled half of the package. Its interface is private; use the package `toolreeve`.
#[pymodule]
mod _toolreeve {
    use super::*;

    #[pymodule_export]
    use crate::core::Core;
    #[pymodule_export]
    use crate::request::{RawEvent, RequestBody};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Judges a command: one request, one answer. See `toolreeve.check`.
    #[pyfunction]
    fn check<'py>(py: Python<'py>, request: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || {
            let request = request_of(py, request)?;
            let answer = py.detach(|| toolreeve::check(&request));
            to_python(py, &answer)
        })
    }

    /// Judges many commands in one step, without the interpreter lock.
    #[pyfunction]
    fn check_many<'py>(py: Python<'py>, requests: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyList>> {
        guard(py, || {
            let requests = requests.iter().map(|request| request_of(py, request)).collect::<PyResult<Vec<Value>>>()?;
            let answers = py.detach(|| requests.iter().map(toolreeve::check).collect::<Vec<_>>());
            let list = PyList::empty(py);
            for answer in &answers {
                list.append(to_python(py, answer)?)?;
            }
            Ok(list)
        })
    }

    /// The same over JSON texts.
    #[pyfunction]
    fn check_json(py: Python<'_>, request: &str) -> PyResult<String> {
        guard(py, || Ok(py.detach(|| toolreeve::check_json(request))))
    }

    /// The event of hooks that is most like a name; the name itself if it is one.
    #[pyfunction]
    fn nearest_hook_event(name: &str) -> &'static str {
        toolreeve::engine::hooks::nearest_event(name)
    }

    /// The `toolreeve` command: takes the arguments, the program's name first, and returns the exit code.
    #[pyfunction]
    fn main(py: Python<'_>, args: Vec<std::ffi::OsString>) -> PyResult<u8> {
        guard(py, || Ok(py.detach(|| toolreeve::cli::main(args))))
    }
}
