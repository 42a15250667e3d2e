"""Splits a docstring into what the tool does and what its parameters mean. Reads the Google, Sphinx and NumPy forms."""

from __future__ import annotations

import inspect
import re
import typing

_SECTION = re.compile(
    r"(Args|Arguments|Parameters|Params|Returns?|Yields?|Raises|Examples?|Notes?|Attributes|See Also|Warns?):?\s*$"
)
_FIELD = re.compile(r":(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)$")
_ARGUMENT = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_NUMPY = re.compile(r"\*{0,2}(\w+)\s*(?::.*)?$")
_PARAMETERS = ("Args", "Arguments", "Parameters", "Params")


def split(doc: str | None) -> tuple[str, dict[str, str]]:
    """The description and the meaning of each parameter.

    >>> split("Adds.\\n\\nArgs:\\n    a: The first.\\n    b: The second,\\n        which is added.")
    ('Adds.', {'a': 'The first.', 'b': 'The second, which is added.'})
    """
    lines = inspect.cleandoc(doc or "").splitlines()
    description: list[str] = []
    parameters: dict[str, list[str]] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        section = _SECTION.match(line)
        underlined = at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip())
        if section and (line.rstrip().endswith(":") or underlined):
            at = _section(lines, at + (2 if underlined else 1), section.group(1), bool(underlined), parameters)
            continue
        if line.startswith(":"):
            at = _field(lines, at, parameters)
            continue
        description.append(line)
        at += 1
    return "\n".join(description).strip(), {name: " ".join(text).strip() for name, text in parameters.items()}


def _section(lines: list[str], at: int, name: str, numpy: bool, parameters: dict[str, list[str]]) -> int:
    """Reads a section; returns the line behind it."""
    current: typing.Optional[list[str]] = None
    indent: typing.Optional[int] = None
    while at < len(lines):
        line = lines[at]
        depth = len(line) - len(line.lstrip())
        next_underlined = at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip())
        if line.strip() and depth == 0 and (not numpy or next_underlined):
            break
        at += 1
        if name not in _PARAMETERS or not line.strip():
            continue
        if indent is None:
            indent = depth
        match = (_NUMPY if numpy else _ARGUMENT).match(line.strip()) if depth <= indent else None
        if match:
            current = parameters.setdefault(match.group(1), [])
            if not numpy and match.group(2):
                current.append(match.group(2))
        elif current is not None:
            current.append(line.strip())
    return at


def _field(lines: list[str], at: int, parameters: dict[str, list[str]]) -> int:
    """Reads a `:param x: …` line with what belongs to it; returns the line behind it."""
    match = _FIELD.match(lines[at])
    current: list[str] = parameters.setdefault(match.group(1), []) if match else []
    if match:
        current.append(match.group(2))
    at += 1
    while at < len(lines) and lines[at].startswith((" ", "\t")):
        current.append(lines[at].strip())
        at += 1
    return at
