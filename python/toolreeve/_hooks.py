"""Hooks around tool calls: which there are, and how their answers are read."""

from __future__ import annotations

import typing
from dataclasses import dataclass, field

from ._errors import ConfigError
from .events import Json

__all__ = ["HookCallback", "HookContext", "HookMatcher"]

HookCallback = typing.Callable[..., typing.Any]
"""A hook: `(input, tool_use_id, context) -> dict | None`, sync or async. The answer is the public JSON of hooks."""


@dataclass(frozen=True)
class HookContext:
    """What a hook is told beside its input."""

    event: str
    """The name of the event."""
    signal: None = None
    """Reserved."""


@dataclass
class HookMatcher:
    """Which tools some hooks want to hear of.

    `matcher` is a tool's name, several divided by `|`, or a regular expression; `None` is all. `timeout` is in seconds;
    a hook before a call that fails or takes longer makes the call ask.
    """

    matcher: str | None = None
    hooks: list[HookCallback] = field(default_factory=list)
    timeout: float | None = None


@dataclass(frozen=True)
class Hook:
    """One hook, as the dispatcher runs it."""

    event: str
    matcher: str | None
    callback: HookCallback
    timeout: float | None


def flatten(hooks: typing.Mapping[str, typing.Sequence[HookMatcher | Json]] | None) -> list[Hook]:
    """The hooks of a configuration in order, each with its own number."""
    flat = []
    for event, matchers in (hooks or {}).items():
        for at, matcher in enumerate(matchers):
            if isinstance(matcher, dict):
                matcher = HookMatcher(**matcher)
            if not hasattr(matcher, "hooks"):
                raise ConfigError(f"hooks[{event!r}][{at}]: give a HookMatcher")
            for callback in matcher.hooks:
                if not callable(callback):
                    raise ConfigError(f"hooks[{event!r}][{at}]: {callback!r} is not callable")
                flat.append(Hook(event, matcher.matcher, callback, matcher.timeout))
    return flat


def read_output(output: object) -> Json | None:
    """An answer in the library's form: `continue_` and `async_` are spelled as in JSON."""
    if output is None:
        return None
    if not isinstance(output, dict):
        raise TypeError(f"a hook answers a dict or None; this one answered {type(output).__name__}")
    fields: Json = dict(output)
    for spelled, name in (("continue_", "continue"), ("async_", "async")):
        if spelled in fields:
            fields[name] = fields.pop(spelled)
    if fields.pop("async", False):
        # It goes on by itself and has nothing to say about this call.
        return None
    fields.pop("asyncTimeout", None)
    return fields
