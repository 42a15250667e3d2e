//! Values between Python and JSON, built directly, never through text. Only the plain built-in types pass, so that no
//! code of the user runs in here; what is a class of its own is made plain on the Python side.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

/// How deep values may be nested; also what stops a value that contains itself. The same as for JSON text.
const MAX_DEPTH: usize = 127;

/// A Python value as JSON. The error is one sentence.
pub(crate) fn to_json(value: &Bound<'_, PyAny>) -> Result<Value, String> {
    to_json_at(value, 0)
}

fn to_json_at(value: &Bound<'_, PyAny>, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return text_of(text).map(Value::String);
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let mut map = Map::new();
        for (key, item) in dict.iter() {
            let key = key.cast::<PyString>().map_err(|_| format!("the key {} is no string", short_repr(&key)))?;
            map.insert(text_of(key)?, to_json_at(&item, depth + 1)?);
        }
        return Ok(Value::Object(map));
    }
    if let Ok(list) = value.cast::<PyList>() {
        return list.iter().map(|item| to_json_at(&item, depth + 1)).collect::<Result<_, _>>().map(Value::Array);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return whole_number(value);
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        let number = number.value();
        return Number::from_f64(number).map(Value::Number).ok_or_else(|| format!("{number} is no number in JSON"));
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return tuple.iter().map(|item| to_json_at(&item, depth + 1)).collect::<Result<_, _>>().map(Value::Array);
    }
    let kind = value.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    Err(format!("a value of type {kind} is not JSON"))
}

fn text_of(text: &Bound<'_, PyString>) -> Result<String, String> {
    // Half of a surrogate pair is a string to Python but no text.
    text.to_str().map(str::to_owned).map_err(|_| "a string in it is not valid Unicode".to_owned())
}

fn whole_number(value: &Bound<'_, PyAny>) -> Result<Value, String> {
    if let Ok(number) = value.extract::<i64>() {
        return Ok(number.into());
    }
    if let Ok(number) = value.extract::<u64>() {
        return Ok(number.into());
    }
    let wide = value.extract::<f64>().ok().and_then(Number::from_f64);
    wide.map(Value::Number).ok_or_else(|| "a whole number in it is too large".to_owned())
}

fn short_repr(value: &Bound<'_, PyAny>) -> String {
    let text = value.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    format!("of type {text}")
}

/// A JSON value as Python.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (None, Some(number)) => number.into_pyobject(py)?.into_any(),
            (None, None) => PyFloat::new(py, number.as_f64().unwrap_or_default()).into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(to_python(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(map) => {
            let dict = PyDict::new(py);
            for (key, item) in map {
                dict.set_item(key, to_python(py, item)?)?;
            }
            dict.into_any()
        }
    })
}
