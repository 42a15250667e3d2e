"""What a tool returns, in the form of the library's answers: see `answer.rs` for the tuples."""

from __future__ import annotations

import dataclasses
import enum
import json
import typing

from ._errors import ToolError
from .events import Json

Answer = tuple[typing.Any, ...]

TEXT, VALUE, BLOCKS, FAILED, RAISED = range(5)
_MAX_ERROR_CHARS = 10_000
_BLOCK_TYPES = {"text", "image", "document", "search_result", "tool_reference", "audio", "resource", "resource_link"}


def answer_of(request: int, result: object) -> Answer:
    """The answer for what a tool returned. Raises `TypeError` or `ValueError` for what is no JSON."""
    if type(result) is str:
        return (request, TEXT, result)
    if result is None:
        return (request, TEXT, "")
    plain = to_plain(result)
    if isinstance(plain, str):
        return (request, TEXT, plain)
    if isinstance(plain, dict) and _is_blocks(plain.get("content")):
        structured = plain.get("structuredContent", plain.get("structured_content"))
        is_error = bool(plain.get("is_error", plain.get("isError", False)))
        return (request, BLOCKS, _blocks(plain["content"]), structured, is_error)
    if _is_blocks(plain) and plain:
        return (request, BLOCKS, _blocks(plain), None, False)
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
    return (request, VALUE, text, plain)


def failure_of(request: int, error: BaseException) -> Answer:
    """The answer for what a tool raised: the type and the message, never a traceback."""
    if isinstance(error, ToolError):
        name = error.name or (None if type(error) is ToolError else type(error).__name__)
        if isinstance(error.content, str):
            return (request, FAILED, _capped(error.content) or "The tool failed.", name)
        try:
            return (request, BLOCKS, _blocks(to_plain(error.content)), None, True)
        except (TypeError, ValueError, KeyError):
            return (request, FAILED, _capped(str(error)), name)
    name = type(error).__name__
    return (request, RAISED, describe(error), name)


def unusable(request: int, error: BaseException) -> Answer:
    """The answer for a result that is no JSON."""
    return (request, RAISED, f"The tool's result is not usable: {_capped(str(error))}", type(error).__name__)


def describe(error: BaseException) -> str:
    """An exception in one line: its type and its message."""
    name = type(error).__name__
    try:
        text = str(error)
    except Exception:  # an exception whose own text raises
        text = ""
    # Half of a surrogate pair is a string to Python but no text.
    text = text.encode("utf-8", "replace").decode("utf-8")
    return _capped(f"{name}: {text}" if text else name)


def _capped(text: str) -> str:
    if len(text) <= _MAX_ERROR_CHARS:
        return text
    return f"{text[:_MAX_ERROR_CHARS]}… ({len(text) - _MAX_ERROR_CHARS} more characters)"


def to_plain(value: typing.Any, depth: int = 0) -> typing.Any:
    """A value in the plain built-in types of JSON. Raises `TypeError` or `ValueError` if there is no such form."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if depth > 120:
        raise ValueError("it is nested too deeply")
    if isinstance(value, enum.Enum):
        return to_plain(value.value, depth + 1)
    if isinstance(value, dict):
        return {_key(key): to_plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_plain(item, depth + 1) for item in value]
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return to_plain(dump(mode="json", by_alias=True, exclude_none=True), depth + 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        # Not `asdict`: that copies whatever it does not know.
        fields = dataclasses.fields(value)
        return {each.name: to_plain(getattr(value, each.name), depth + 1) for each in fields}
    dump = getattr(value, "to_dict", None)
    if callable(dump):
        return to_plain(dump(), depth + 1)
    if hasattr(value, "__fspath__"):
        return to_plain(value.__fspath__(), depth + 1)
    raise TypeError(f"a value of type {type(value).__name__} is not JSON")


def _key(key: object) -> str:
    if isinstance(key, enum.Enum):
        key = key.value
    if isinstance(key, str):
        return str(key)
    if isinstance(key, (int, float, bool)):
        return json.dumps(key)
    raise TypeError(f"a key of type {type(key).__name__} is not JSON")


def _is_blocks(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(block, dict) and block.get("type") in _BLOCK_TYPES for block in value
    )


def _blocks(blocks: list[Json]) -> list[Json]:
    return [_block(block) for block in blocks]


def _block(block: Json) -> Json:
    """A content block of MCP in the form of the model's API; blocks of that API as they are."""
    kind = block.get("type")
    if kind == "text":
        return {"type": "text", "text": str(block.get("text", ""))}
    if kind == "image" and "source" not in block:
        media_type = block.get("mimeType", block.get("mime_type", ""))
        source = {"type": "base64", "media_type": media_type, "data": block.get("data", "")}
        return {"type": "image", "source": source}
    if kind == "resource":
        resource = block.get("resource", {})
        text = resource.get("text") if isinstance(resource, dict) else None
        return {"type": "text", "text": text if isinstance(text, str) else f"[resource {resource.get('uri', '')}]"}
    if kind == "resource_link":
        return {"type": "text", "text": f"[{block.get('name', 'resource')}]({block.get('uri', '')})"}
    if kind == "audio":
        return {"type": "text", "text": f"[audio, {block.get('mimeType', 'unknown type')}]"}
    return block
