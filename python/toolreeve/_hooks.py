"""Hooks around tool calls: which there are, and how their answers are read."""

from __future__ import annotations

import typing
from dataclasses import dataclass, field

from ._errors import ConfigError
from ._toolreeve import nearest_hook_event
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
    """What some hooks want to hear of.

    `matcher` is a name, several divided by `|`, or a regular expression: of the tool, or of what else an event is about
    (the source of a session start, the kind of a notification); `None` is all. `timeout` is in seconds;
    a hook before a call that fails or takes longer makes the call ask.
    """

    matcher: str | None = None
    hooks: list[HookCallback] = field(default_factory=list)
    timeout: float | None = None


_FIELDS = ("matcher", "hooks", "timeout")


@dataclass(frozen=True)
class Hook:
    """One hook, as the dispatcher runs it."""

    event: str
    matcher: str | None
    callback: HookCallback
    timeout: float | None


def flatten(hooks: typing.Mapping[str, typing.Sequence[HookMatcher | Json]] | None) -> list[Hook]:
    """The hooks of a configuration in order, each with its own number."""
    if hooks is None:
        return []
    if not isinstance(hooks, typing.Mapping):
        raise TypeError(f"hooks: give a dict of lists of HookMatcher by event; this is {type(hooks).__name__}")
    flat = []
    for event, matchers in hooks.items():
        if not isinstance(event, str):
            raise TypeError(f"hooks: an event's name is a string; this is {type(event).__name__}")
        nearest = nearest_hook_event(event)
        if nearest != event:
            raise ConfigError(f"hooks: there is no event {event!r}; did you mean {nearest!r}?")
        place = f"hooks[{event!r}]"
        if not isinstance(matchers, typing.Sequence) or isinstance(matchers, (str, bytes)):
            raise TypeError(f"{place}: give a list of HookMatcher; this is {type(matchers).__name__}")
        for at, matcher in enumerate(matchers):
            flat.extend(_of_matcher(event, _matcher(matcher, f"{place}[{at}]"), f"{place}[{at}]"))
    return flat


def _matcher(matcher: object, place: str) -> HookMatcher:
    if isinstance(matcher, typing.Mapping):
        for name in matcher:
            if name not in _FIELDS:
                raise ConfigError(f"{place}: there is no field {name!r}; there are {', '.join(_FIELDS)}")
        return HookMatcher(**matcher)
    if not hasattr(matcher, "hooks"):
        raise ConfigError(f"{place}: give a HookMatcher")
    return typing.cast("HookMatcher", matcher)


def _of_matcher(event: str, matcher: HookMatcher, place: str) -> list[Hook]:
    if matcher.matcher is not None and not isinstance(matcher.matcher, str):
        raise TypeError(f"{place}.matcher: give a string; this is {type(matcher.matcher).__name__}")
    if not isinstance(matcher.hooks, typing.Sequence):
        raise TypeError(f"{place}.hooks: give a list of callables; this is {type(matcher.hooks).__name__}")
    for callback in matcher.hooks:
        if not callable(callback):
            raise ConfigError(f"{place}: {callback!r} is not callable")
    return [Hook(event, matcher.matcher, callback, matcher.timeout) for callback in matcher.hooks]


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
