"""The exceptions of toolreeve. Owns no logic; imported by the compiled half by name."""

from __future__ import annotations

import typing

__all__ = ["ConfigError", "Error", "InternalError", "ToolError"]


class Error(Exception):
    """Whatever toolreeve raises. `kind` is a stable slug; the text is for people."""

    kind: str

    def __init__(self, message: str = "", kind: str = "error") -> None:
        super().__init__(message)
        self.kind = kind


class ConfigError(Error, ValueError):
    """What was given cannot be used: the message names the field and the fix."""

    def __init__(self, message: str = "", kind: str = "config") -> None:
        super().__init__(message, kind)


class InternalError(Error, RuntimeError):
    """A bug in toolreeve itself."""

    def __init__(self, message: str = "", kind: str = "internal") -> None:
        super().__init__(message, kind)


class ToolError(Error):
    """Raise it in a tool to tell the model what went wrong: the result is marked as an error.

    `content` is a text, or a list of content blocks. `name` is a stable name that is safe to count; the default is the
    name of the class.
    """

    content: str | list[dict[str, typing.Any]]
    name: str | None

    def __init__(
        self,
        content: str | list[dict[str, typing.Any]] = "",
        kind: str = "failed",
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(content if isinstance(content, str) else repr(content), kind)
        self.content = content
        self.name = name
