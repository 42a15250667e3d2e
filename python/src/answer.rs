//! Answers of Python on their way to the library. What cannot be used becomes a failure of the one request.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use serde_json::Value;
use toolreeve::bridge::RequestId;
use toolreeve::engine::host::ModelChunk;
use toolreeve::engine::{ContentBlock, ErrorKind, HostOutput, ToolError};

use crate::convert::to_json;

/// What a tool answered: `(id, kind, …)`.
///
/// Kinds: 0 a text; 1 a text and the value it was made from; 2 content blocks, the structured value or `None`, and
/// whether it is a failure; 3 a failure with its text and the name of its type or `None`; 4 the same, not foreseen by
/// the tool's author.
pub(crate) fn tool_answer(answer: &Bound<'_, PyTuple>) -> PyResult<(RequestId, Result<HostOutput, ToolError>)> {
    let id = answer.get_item(0)?.extract()?;
    let kind: u8 = answer.get_item(1)?.extract()?;
    Ok((id, read(answer, kind).unwrap_or_else(|problem| Err(unusable(&problem)))))
}

fn read(answer: &Bound<'_, PyTuple>, kind: u8) -> Result<Result<HostOutput, ToolError>, String> {
    let field = |at: usize| answer.get_item(at).map_err(|error| error.to_string());
    let text = |at: usize| field(at)?.extract::<String>().map_err(|_| "its text is not valid Unicode".to_owned());
    match kind {
        0 => Ok(Ok(HostOutput::text(text(2)?))),
        1 => Ok(Ok(HostOutput { structured: Some(to_json(&field(3)?)?), ..HostOutput::text(text(2)?) })),
        2 => {
            let blocks = to_json(&field(2)?)?;
            let content: Vec<ContentBlock> = serde_json::from_value(blocks).map_err(|error| error.to_string())?;
            let structured = match to_json(&field(3)?)? {
                Value::Null => None,
                value => Some(value),
            };
            let is_error = field(4)?.extract().map_err(|_| "is_error is no bool".to_owned())?;
            Ok(Ok(HostOutput { content, structured, is_error }))
        }
        _ => {
            let kind = if kind == 3 { ErrorKind::Failed } else { ErrorKind::Panicked };
            let error = ToolError::new(kind, text(2)?);
            let name: Option<String> = field(3)?.extract().unwrap_or_default();
            Ok(Err(match name {
                Some(name) => error.with_name(name),
                None => error,
            }))
        }
    }
}

fn unusable(problem: &str) -> ToolError {
    ToolError::new(ErrorKind::Host, format!("The tool's result is not usable: {problem}."))
}

/// A piece of the model's answer: bytes or text of the event stream, or one event as a dict.
pub(crate) fn model_chunk(piece: &Bound<'_, PyAny>) -> Result<ModelChunk, String> {
    if let Ok(bytes) = piece.cast::<PyBytes>() {
        return Ok(ModelChunk::Bytes(bytes.as_bytes().to_vec()));
    }
    if let Ok(text) = piece.cast::<PyString>() {
        let text = text.to_str().map_err(|_| "a piece of the stream is not valid Unicode".to_owned())?;
        return Ok(ModelChunk::Bytes(text.as_bytes().to_vec()));
    }
    to_json(piece).map(ModelChunk::Event).map_err(|problem| format!("an event of the stream is not usable: {problem}"))
}
