"""toolreeve: the tool system of a coding agent.

A model streams `tool_use` blocks; toolreeve finds the tool, validates the input, works out what a command would do, asks
rules, hooks and the person, runs what is permitted while the model still streams, and gives every call one result.

>>> import toolreeve
>>> toolreeve.check({"command": "rm -rf /"})["behavior"]
'ask'
"""

from __future__ import annotations

import importlib
import typing

from ._errors import ConfigError, Error, InternalError, ToolError
from ._toolreeve import __version__, check, check_json, check_many

if typing.TYPE_CHECKING:
    from . import events
    from ._agent import Agent, Run
    from ._classifier import ClassifierResult
    from ._hooks import HookContext, HookMatcher
    from ._model import ModelRequest
    from ._permission import PermissionResultAllow, PermissionResultDefer, PermissionResultDeny, ToolPermissionContext
    from ._tool import Tool, ToolContext, tool
    from .events import (
        ApprovalPending,
        ClassifierPending,
        Decision,
        Done,
        ErrorEvent,
        Event,
        HookMessage,
        Permission,
        Reason,
        StreamEnd,
        TextDelta,
        ThinkingDelta,
        Tombstone,
        ToolEnd,
        ToolProgress,
        ToolResult,
        ToolStart,
        ToolUse,
        TurnEnd,
        TurnStart,
        UnknownEvent,
    )

__all__ = [
    "Agent",
    "ApprovalPending",
    "ClassifierPending",
    "ClassifierResult",
    "ConfigError",
    "Decision",
    "Done",
    "Error",
    "ErrorEvent",
    "Event",
    "HookContext",
    "HookMatcher",
    "HookMessage",
    "InternalError",
    "ModelRequest",
    "Permission",
    "PermissionResultAllow",
    "PermissionResultDefer",
    "PermissionResultDeny",
    "Reason",
    "Run",
    "StreamEnd",
    "TextDelta",
    "ThinkingDelta",
    "Tombstone",
    "Tool",
    "ToolContext",
    "ToolEnd",
    "ToolError",
    "ToolPermissionContext",
    "ToolProgress",
    "ToolResult",
    "ToolStart",
    "ToolUse",
    "TurnEnd",
    "TurnStart",
    "UnknownEvent",
    "__version__",
    "check",
    "check_json",
    "check_many",
    "events",
    "tool",
]

# Judging commands needs neither asyncio nor dataclasses, so they are imported when an agent is wanted.
_HOMES = {
    "Agent": "_agent",
    "Run": "_agent",
    "ClassifierResult": "_classifier",
    "HookContext": "_hooks",
    "HookMatcher": "_hooks",
    "ModelRequest": "_model",
    "PermissionResultAllow": "_permission",
    "PermissionResultDefer": "_permission",
    "PermissionResultDeny": "_permission",
    "ToolPermissionContext": "_permission",
    "Tool": "_tool",
    "ToolContext": "_tool",
    "tool": "_tool",
}


def __getattr__(name: str) -> typing.Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "events":
        return importlib.import_module(".events", __name__)
    value = getattr(importlib.import_module(f".{_HOMES.get(name, 'events')}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
