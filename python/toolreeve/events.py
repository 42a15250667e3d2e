"""The events of a run, in the order in which things happen. Each is frozen; `raw` is its JSON form.

>>> event = TextDelta(text="Hi")
>>> event.type, event.raw
('text_delta', {'type': 'text_delta', 'text': 'Hi'})
"""

from __future__ import annotations

import typing
from dataclasses import dataclass, field

if typing.TYPE_CHECKING:
    from ._toolreeve import RawEvent

__all__ = [
    "ClassifierPending",
    "Decision",
    "Done",
    "ErrorEvent",
    "Event",
    "HookMessage",
    "Permission",
    "Reason",
    "StreamEnd",
    "TextDelta",
    "ThinkingDelta",
    "Tombstone",
    "ToolEnd",
    "ToolProgress",
    "ToolResult",
    "ToolStart",
    "ToolUse",
    "TurnEnd",
    "TurnStart",
    "UnknownEvent",
]

Json = dict[str, typing.Any]


@dataclass(frozen=True)
class Reason:
    """Why a decision came out as it did."""

    kind: str
    """A stable slug, for example `rule-deny`."""
    message: str
    """One sentence for people and for the model."""
    rule: str | None = None
    """The rule that matched, for example `Bash(git push:*)`."""
    source: str | None = None
    """Where that rule came from."""
    place: str | None = None
    """Where that rule is written, as `file:line:column`."""
    check: int | None = None
    """The number of the security check that fired, 1 to 23."""


@dataclass(frozen=True)
class Decision:
    """What the permission engine says about a call."""

    raw: Json
    """The whole decision as JSON."""

    @property
    def behavior(self) -> typing.Literal["allow", "ask", "deny"]:
        """What is to be done."""
        return typing.cast('typing.Literal["allow", "ask", "deny"]', self.raw["behavior"])

    @property
    def reason(self) -> Reason:
        """Why."""
        known = Reason.__dataclass_fields__
        return Reason(**{name: value for name, value in self.raw["reason"].items() if name in known})

    @property
    def part(self) -> str | None:
        """The part that the decision is about, where it is not the whole call."""
        return typing.cast("str | None", self.raw.get("part"))

    @property
    def children(self) -> list[Decision]:
        """The decisions of the parts."""
        return [Decision(child) for child in self.raw.get("children", ())]

    @property
    def suggestions(self) -> list[str]:
        """Rules that, if saved, would answer this call in future."""
        return list(self.raw.get("suggestions", ()))

    @property
    def blocked_path(self) -> str | None:
        """The path that stood in the way, if one did."""
        return typing.cast("str | None", self.raw.get("blocked_path"))


class _Event:
    """What all events share. One that comes from a run has nothing but `_source` until somebody looks at its fields:
    most events are only looked at by their type. So fields have no default in the class."""

    type: typing.ClassVar[str]

    @property
    def raw(self) -> Json:
        """The event as JSON."""
        source = self.__dict__.get("_source")
        if source is not None:
            return typing.cast("Json", source.fields())
        return {"type": self.type, **self.__dict__}

    def __getattr__(self, name: str) -> typing.Any:
        source = self.__dict__.get("_source")
        if source is None or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        fields = source.fields()
        own = self.__dict__
        for known, about in self.__dataclass_fields__.items():
            if known == "type":
                continue
            value = fields.get(known)
            own[known] = about.default_factory() if value is None and callable(about.default_factory) else value
        if name not in own:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return own[name]

    def __reduce__(self) -> tuple[typing.Any, ...]:
        fields = self.__dataclass_fields__
        return (type(self), tuple(getattr(self, name) for name in fields if name != "type"))


def _none() -> None:
    return None


@dataclass(frozen=True)
class TurnStart(_Event):
    """A request to the model begins."""

    type: typing.ClassVar[str] = "turn_start"
    turn: int


@dataclass(frozen=True)
class TextDelta(_Event):
    """The model wrote some text."""

    type: typing.ClassVar[str] = "text_delta"
    text: str


@dataclass(frozen=True)
class ThinkingDelta(_Event):
    """The model thought aloud."""

    type: typing.ClassVar[str] = "thinking_delta"
    text: str


@dataclass(frozen=True)
class ToolUse(_Event):
    """A request to run a tool is complete. `input` is completed for observers (absolute paths)."""

    type: typing.ClassVar[str] = "tool_use"
    id: str
    name: str
    input: Json
    render: Json | None = field(default_factory=_none)


@dataclass(frozen=True)
class ToolStart(_Event):
    """A call left the queue."""

    type: typing.ClassVar[str] = "tool_start"
    id: str
    while_streaming: bool


@dataclass(frozen=True)
class ToolProgress(_Event):
    """A running call reports; `data` is the tool's own."""

    type: typing.ClassVar[str] = "tool_progress"
    id: str
    data: typing.Any


@dataclass(frozen=True)
class Permission(_Event):
    """The permission chain decided."""

    type: typing.ClassVar[str] = "permission"
    id: str
    decision: Decision

    @property
    def raw(self) -> Json:
        """The event as JSON."""
        return {"type": self.type, "id": self.id, "decision": self.decision.raw}

    def __getattr__(self, name: str) -> typing.Any:
        value = super().__getattr__(name)
        decision = self.__dict__.get("decision")
        if isinstance(decision, dict):
            self.__dict__["decision"] = Decision(decision)
        return self.__dict__["decision"] if name == "decision" else value


@dataclass(frozen=True)
class ApprovalPending(_Event):
    """A question was put off: the call was not run and waits for an approval, which is plain data."""

    type: typing.ClassVar[str] = "approval_pending"
    id: str
    approval: Json


@dataclass(frozen=True)
class ClassifierPending(_Event):
    """A classifier is being waited for."""

    type: typing.ClassVar[str] = "classifier_pending"
    id: str


@dataclass(frozen=True)
class ToolEnd(_Event):
    """A call has ended. Its result follows when those of the calls before it have left."""

    type: typing.ClassVar[str] = "tool_end"
    id: str


@dataclass(frozen=True)
class ToolResult(_Event):
    """A call has its result: what the model will read."""

    type: typing.ClassVar[str] = "tool_result"
    tool_use_id: str
    content: str | list[Json]
    is_error: bool = field(default_factory=bool)
    render: Json | None = field(default_factory=_none)
    error_class: str | None = field(default_factory=_none)

    @property
    def text(self) -> str:
        """The text of the content."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(block["text"] for block in self.content if block.get("type") == "text")


@dataclass(frozen=True)
class Tombstone(_Event):
    """What was shown under these ids is void."""

    type: typing.ClassVar[str] = "tombstone"
    tool_use_ids: list[str]


@dataclass(frozen=True)
class StreamEnd(_Event):
    """The model has finished its answer, or it broke off; calls may still run."""

    type: typing.ClassVar[str] = "stream_end"
    turn: int


@dataclass(frozen=True)
class TurnEnd(_Event):
    """The answer is complete and every call has its result."""

    type: typing.ClassVar[str] = "turn_end"
    turn: int
    stop_reason: str | None
    usage: Json


@dataclass(frozen=True)
class HookMessage(_Event):
    """A hook has something to say to the person."""

    type: typing.ClassVar[str] = "hook_message"
    event: str
    """The event that the hook heard."""
    message: str
    tool_use_id: str | None = field(default_factory=_none)


@dataclass(frozen=True)
class ErrorEvent(_Event):
    """Something went wrong outside of any call, for example in the model's stream."""

    type: typing.ClassVar[str] = "error"
    kind: str
    message: str


@dataclass(frozen=True)
class Done(_Event):
    """The run is over. Always the last event."""

    type: typing.ClassVar[str] = "done"
    subtype: str
    """`success`, `error_max_turns`, `error_during_execution`, `interrupted`, `stopped_by_hook` or `deferred`."""
    turns: int
    result: str
    """The text of the model's last answer."""
    usage: Json

    @property
    def ok(self) -> bool:
        """Whether the run came to its natural end."""
        return self.subtype == "success"


@dataclass(frozen=True)
class UnknownEvent(_Event):
    """An event that this version of the package has no class for."""

    type: typing.ClassVar[str] = "unknown"
    name: str
    fields: Json

    @property
    def raw(self) -> Json:
        """The event as JSON."""
        return {"type": self.name, **self.fields}


Event = typing.Union[
    TurnStart,
    TextDelta,
    ThinkingDelta,
    ToolUse,
    ToolStart,
    ToolProgress,
    Permission,
    ApprovalPending,
    ClassifierPending,
    ToolEnd,
    ToolResult,
    Tombstone,
    StreamEnd,
    TurnEnd,
    HookMessage,
    ErrorEvent,
    Done,
    UnknownEvent,
]
"""Any event."""

_CLASSES: dict[str, typing.Any] = {
    event.type: event for event in typing.get_args(Event) if event is not UnknownEvent
}
_new = object.__new__
_set = object.__setattr__


def _build(source: RawEvent) -> Event:
    """An event of a run."""
    cls = _CLASSES.get(source.kind)
    if cls is None:
        fields = source.fields()
        return UnknownEvent(fields.pop("type"), fields)
    event = _new(cls)
    _set(event, "_source", source)
    return event  # type: ignore[no-any-return]
