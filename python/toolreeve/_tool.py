"""Tools written in Python: the `tool` decorator and what it makes."""

from __future__ import annotations

import functools
import inspect
import typing

from . import _docstring, _schema
from ._errors import ConfigError
from .events import Json

__all__ = ["Tool", "ToolContext", "tool"]

_EMPTY = inspect.Parameter.empty


class ToolContext:
    """What a tool may know about its call. A parameter with this type hint gets it; the model does not see it."""

    __slots__ = ("_cancelled", "_report", "tool_use_id")

    tool_use_id: str
    """The id of the model's request."""

    def __init__(self, tool_use_id: str, report: typing.Callable[[typing.Any], object]) -> None:
        self.tool_use_id = tool_use_id
        self._report = report
        self._cancelled = False

    def progress(self, data: typing.Any) -> None:
        """Reports progress: anything that is JSON. It reaches the host at once, as a `ToolProgress` event."""
        self._report(data)

    @property
    def cancelled(self) -> bool:
        """Whether the result is no longer wanted. A coroutine is cancelled; a plain function has to look here."""
        return self._cancelled


class Tool:
    """A tool. Made by `tool`; calling it calls the function, so it can be tested as what it is."""

    name: str
    description: str
    input_schema: Json
    function: typing.Callable[..., typing.Any]

    def __init__(
        self,
        function: typing.Callable[..., typing.Any],
        *,
        name: str | None = None,
        description: str | None = None,
        schema: typing.Any = None,
        takes_dict: bool = False,
        read_only: bool = False,
        concurrency_safe: bool = False,
        reads: typing.Sequence[str] | None = None,
        writes: typing.Sequence[str] | None = None,
        destructive: bool = False,
        requires_interaction: bool = False,
        classifier_fields: typing.Sequence[str] = (),
        defer_loading: bool = False,
        search_hint: str = "",
        aliases: typing.Sequence[str] = (),
        max_result_chars: int | None = None,
        mcp: bool = False,
    ) -> None:
        if not callable(function):
            raise ConfigError(f"a tool needs a function; this is {function!r}")
        functools.update_wrapper(self, function, updated=())
        target = _target(function)
        self.function = function
        self.name = name or getattr(target, "__name__", "") or type(function).__name__
        told, meanings = _docstring.split(inspect.getdoc(target))
        self.description = told if description is None else description
        self.kind = _kind(target)
        self.takes_dict = takes_dict
        self.context_name: str | None = None
        self.convert: _schema.Convert = None
        self.input_schema = self._read_signature(target, schema, meanings)
        # Then `begin` has nothing to do but to call the function.
        self.is_simple = self.convert is None and self.context_name is None and not takes_dict
        self._spec: Json = {
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
            "read_only": read_only,
            "concurrency_safe": concurrency_safe,
            "reads": _keys(self.name, "reads", reads),
            "writes": _keys(self.name, "writes", writes),
            "destructive": destructive,
            "requires_interaction": requires_interaction,
            "classifier_fields": list(classifier_fields),
            "defer_loading": defer_loading,
            "search_hint": search_hint,
            "aliases": list(aliases),
            "max_result_chars": max_result_chars,
            "mcp": mcp,
        }

    def __call__(self, *args: typing.Any, **kwargs: typing.Any) -> typing.Any:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<toolreeve.Tool {self.name}>"

    @property
    def spec(self) -> Json:
        """What the library is told about the tool."""
        return dict(self._spec)

    def begin(self, value: Json, context: ToolContext | None) -> typing.Any:
        """Calls the function with a checked input."""
        if self.convert is not None:
            value = self.convert(value)
        if self.takes_dict:
            if self.context_name is not None:
                return self.function(value, **{self.context_name: context})
            return self.function(value)
        if self.context_name is not None:
            return self.function(**value, **{self.context_name: context})
        return self.function(**value)

    def _read_signature(self, target: typing.Any, schema: typing.Any, meanings: dict[str, str]) -> Json:
        where = f"tool {self.name!r}"
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError) as error:
            if isinstance(schema, dict) and "type" in schema:
                return schema
            raise ConfigError(f"{where}: its parameters cannot be read; give `schema`") from error
        has_hints = hasattr(target, "__annotations__")
        hints = _schema.hints_of(target, where) if has_hints and schema is None else _loose_hints(target)
        fields: dict[str, tuple[typing.Any, bool, typing.Any]] = {}
        open_ended = False
        for at, (name, parameter) in enumerate(signature.parameters.items()):
            hint = hints.get(name, typing.Any)
            if hint is ToolContext or hint in ("ToolContext", "toolreeve.ToolContext"):
                self.context_name = name
                continue
            if self.takes_dict and at == 0:
                continue
            if parameter.kind is parameter.VAR_KEYWORD:
                open_ended = True
                continue
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
                if schema is None:
                    raise ConfigError(f"{where}: the parameter {name!r} cannot be given by name")
                continue
            if schema is None and not self.takes_dict:
                fields[name] = (hint, parameter.default is _EMPTY, parameter.default)
        if schema is not None:
            given, self.convert = given_schema(schema, where)
            return given
        made, self.convert = _schema.object_schema(fields, "", open_ended=open_ended)
        for name, meaning in meanings.items():
            if meaning and name in made["properties"]:
                made["properties"][name].setdefault("description", meaning)
        return made


def _keys(tool: str, field: str, keys: typing.Sequence[str] | None) -> list[str] | None:
    if isinstance(keys, str):
        raise ConfigError(f"tool {tool!r}: {field}: give a list; a single string would be taken letter by letter")
    return None if keys is None else list(keys)


def given_schema(schema: typing.Any, where: str) -> tuple[Json, _schema.Convert]:
    """A schema as users give it: JSON Schema, `{name: type}`, a `TypedDict`, a dataclass or a pydantic model."""
    if isinstance(schema, dict):
        is_json_schema = isinstance(schema.get("type"), str) or any(
            key in schema for key in ("properties", "$ref", "anyOf", "oneOf", "allOf", "$schema")
        )
        if is_json_schema:
            return schema, None
        # With `{name: type}` every name is required, and the function reads a dict of plain values.
        made, _ = _schema.object_schema({name: (hint, True, _EMPTY) for name, hint in schema.items()}, where)
        return made, None
    made, convert = _schema.schema_of(schema, where)
    if made.get("type") != "object":
        raise ConfigError(f"{where}: `schema` must describe an object")
    return made, convert


def _target(function: typing.Any) -> typing.Any:
    """The function behind partial objects, decorators and callable objects."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    if inspect.isfunction(function) or inspect.ismethod(function) or inspect.isbuiltin(function):
        return function
    call = getattr(type(function), "__call__", None)
    return call if inspect.isfunction(call) else function


def _kind(target: typing.Any) -> str:
    if inspect.isasyncgenfunction(target):
        return "async-generator"
    if inspect.iscoroutinefunction(target):
        return "async"
    return "plain"


def is_async(function: typing.Any) -> bool:
    """Whether calling a function cannot block."""
    return _kind(_target(function)) != "plain"


def _loose_hints(target: typing.Any) -> dict[str, typing.Any]:
    """Hints that need not resolve: a schema was given, so only `ToolContext` matters."""
    try:
        return typing.get_type_hints(target, include_extras=True)
    except Exception:  # whatever evaluating foreign annotations raises
        return dict(getattr(target, "__annotations__", {}))


_Function = typing.TypeVar("_Function", bound=typing.Callable[..., typing.Any])


@typing.overload
def tool(name: typing.Callable[..., typing.Any], /) -> Tool: ...
@typing.overload
def tool(
    name: str | None = None,
    description: str | None = None,
    schema: typing.Any = None,
    annotations: typing.Any = None,
    *,
    read_only: bool = False,
    concurrency_safe: bool | None = None,
    reads: typing.Sequence[str] | None = None,
    writes: typing.Sequence[str] | None = None,
    destructive: bool = False,
    requires_interaction: bool = False,
    classifier_fields: typing.Sequence[str] = (),
    defer_loading: bool = False,
    search_hint: str = "",
    aliases: typing.Sequence[str] = (),
    max_result_chars: int | None = None,
    mcp: bool = False,
) -> typing.Callable[[typing.Callable[..., typing.Any]], Tool]: ...
def tool(
    name: typing.Any = None,
    description: str | None = None,
    schema: typing.Any = None,
    annotations: typing.Any = None,
    *,
    read_only: bool = False,
    concurrency_safe: bool | None = None,
    reads: typing.Sequence[str] | None = None,
    writes: typing.Sequence[str] | None = None,
    destructive: bool = False,
    requires_interaction: bool = False,
    classifier_fields: typing.Sequence[str] = (),
    defer_loading: bool = False,
    search_hint: str = "",
    aliases: typing.Sequence[str] = (),
    max_result_chars: int | None = None,
    mcp: bool = False,
) -> typing.Any:
    """Makes a function a tool.

    The name is the function's, the description its docstring, the schema comes from its type hints:

    >>> @tool(read_only=True)
    ... def add(a: int, b: int = 1) -> int:
    ...     '''Adds two numbers.
    ...
    ...     Args:
    ...         a: The first.
    ...     '''
    ...     return a + b
    >>> add.name, add.description, add.input_schema["required"]
    ('add', 'Adds two numbers.', ['a'])
    >>> add.input_schema["properties"]["a"]
    {'type': 'integer', 'description': 'The first.'}

    In the other form, `@tool("name", "description", schema)`, the function takes one dict. A schema is JSON Schema,
    `{name: type}`, a `TypedDict`, a dataclass or a pydantic model.

    The function is a coroutine function, a plain function (it runs on a thread) or a generator of either kind: what it
    yields is progress, and the last value, or what it returns, is the result. A result is a text, anything that is
    JSON, `{"content": [blocks], "is_error": bool}` or a list of content blocks. Raise `ToolError` to tell the model
    what went wrong. What is not said is the careful default: not read-only, never beside other calls.

    `reads` and `writes` name what a call touches, with fields of the input in braces: `writes=["file:{path}"]`,
    `reads=["table:{name}"]`. Calls that declare something run beside each other unless one writes what the other
    touches. A key contains what goes on behind it after a `/`: `file:/a` contains `file:/a/b`.

    `classifier_fields` names the fields of the input that the agent's `classifier` reads, as a JSON object; without any,
    it is never asked about the tool.
    """
    if callable(name) and not isinstance(name, str):
        return Tool(name)
    if annotations is not None:
        read_only = read_only or bool(_hint(annotations, "readOnlyHint", "read_only_hint"))
        destructive = destructive or bool(_hint(annotations, "destructiveHint", "destructive_hint") and not read_only)
        if concurrency_safe is None:
            concurrency_safe = read_only
        if max_result_chars is None:
            max_result_chars = _hint(annotations, "maxResultSizeChars", "max_result_size_chars")

    def decorate(function: typing.Callable[..., typing.Any]) -> Tool:
        return Tool(
            function,
            name=name,
            description=description,
            schema=schema,
            takes_dict=schema is not None and _takes_one_dict(function, schema),
            read_only=read_only,
            concurrency_safe=bool(concurrency_safe),
            reads=reads,
            writes=writes,
            destructive=destructive,
            requires_interaction=requires_interaction,
            classifier_fields=classifier_fields,
            defer_loading=defer_loading,
            search_hint=search_hint,
            aliases=aliases,
            max_result_chars=max_result_chars,
            mcp=mcp,
        )

    return decorate


def _hint(annotations: typing.Any, *names: str) -> typing.Any:
    for name in names:
        value = annotations.get(name) if isinstance(annotations, dict) else getattr(annotations, name, None)
        if value is not None:
            return value
    return None


def _takes_one_dict(function: typing.Callable[..., typing.Any], schema: typing.Any) -> bool:
    """Whether the function wants the whole input: it has one parameter that is no property of the schema."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return True
    hints = _loose_hints(_target(function))
    own = [each for each in parameters if hints.get(each.name) not in (ToolContext, "ToolContext")]
    if len(own) != 1 or own[0].kind in (own[0].VAR_KEYWORD, own[0].KEYWORD_ONLY):
        return False
    if isinstance(schema, dict):
        return own[0].name not in schema.get("properties", schema)
    return own[0].name not in getattr(schema, "__annotations__", {})
