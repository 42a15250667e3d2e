"""What the model callable is given, and how its answer is read."""

from __future__ import annotations

import collections.abc
import typing

from . import _results
from .events import Json

__all__ = ["ModelRequest"]


class ModelRequest(collections.abc.Mapping[str, typing.Any]):
    """What the model is asked: `tools`, `system` (if there is one) and `messages`, in the form of the Messages API, so
    that `client.messages.create(**request, model=…, max_tokens=…, stream=True)` sends it. Parts are made when they are
    first read."""

    __slots__ = ("_body", "_names", "_parts")

    def __init__(self, body: typing.Any) -> None:
        self._body = body
        self._parts: Json = {}
        self._names: list[str] | None = None

    def __getitem__(self, name: str) -> typing.Any:
        if name in self._parts:
            return self._parts[name]
        part = self._body.part(name) if isinstance(name, str) else None
        if part is None:
            raise KeyError(name)
        self._parts[name] = part
        return part

    def __iter__(self) -> typing.Iterator[str]:
        if self._names is None:
            self._names = ["tools", "messages"] if self.system is None else ["tools", "system", "messages"]
        return iter(self._names)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<toolreeve.ModelRequest {', '.join(self)}>"

    @property
    def tools(self) -> list[Json]:
        """The tools on offer."""
        return typing.cast("list[Json]", self["tools"])

    @property
    def system(self) -> str | None:
        """The system prompt."""
        return typing.cast("str | None", self.get("system"))

    @property
    def messages(self) -> list[Json]:
        """The conversation so far."""
        return typing.cast("list[Json]", self["messages"])


def piece(item: typing.Any) -> typing.Any:
    """One piece of an answer, as the compiled half takes it."""
    if type(item) in (bytes, str, dict):
        return item
    if isinstance(item, (bytearray, memoryview)):
        return bytes(item)
    plain = _results.to_plain(item)
    if not isinstance(plain, (dict, str)):
        raise TypeError(
            f"a model gives bytes, str or event dicts (or objects with model_dump()); this one gave "
            f"{type(item).__name__}"
        )
    return plain


def whole_message(answer: typing.Any) -> Json | None:
    """A complete message, for models that do not stream."""
    if hasattr(answer, "__aiter__") or hasattr(answer, "__next__"):
        return None
    if not isinstance(answer, dict):
        if not callable(getattr(answer, "model_dump", None)):
            return None
        answer = _results.to_plain(answer)
    if isinstance(answer, dict) and isinstance(answer.get("content"), list):
        return {**answer, "type": "message"}
    return None
