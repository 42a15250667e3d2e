"""JSON Schema from type hints, and the way back: from checked JSON to what the hints say.

Knows the plain types, `list`, `tuple`, `set`, `dict`, `Optional`, unions, `Literal`, `Annotated`, enums, `TypedDict`,
dataclasses, `pathlib.Path`, and pydantic models. Any other type is left to pydantic if that is importable. Never
validates: the library does that against the schema, before a tool is called.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import pathlib
import types
import typing

from ._errors import ConfigError

Json = dict[str, typing.Any]
Convert = typing.Optional[typing.Callable[[typing.Any], typing.Any]]
"""Turns a JSON value into what the hint says; `None` where JSON is that already."""

_PLAIN: dict[typing.Any, Json] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    None: {"type": "null"},
    list: {"type": "array"},
    dict: {"type": "object"},
    typing.Any: {},
    object: {},
}
_UNIONS = (typing.Union, types.UnionType)


def schema_of(hint: typing.Any, where: str = "the value") -> tuple[Json, Convert]:
    """The schema of a hint and the way back from JSON. `where` names the place for errors."""
    try:
        plain = _PLAIN.get(hint)
    except TypeError:  # not hashable
        plain = None
    if plain is not None:
        return dict(plain), None
    origin = typing.get_origin(hint)
    args = typing.get_args(hint)
    if origin is not None:
        return _generic(hint, origin, args, where)
    if _is_typed_dict(hint):
        return _typed_dict(hint, where)
    if isinstance(hint, type):
        if hasattr(hint, "model_json_schema") and hasattr(hint, "model_validate"):
            return _drop_titles(hint.model_json_schema()), hint.model_validate
        if issubclass(hint, enum.Enum):
            return _enum(hint)
        if dataclasses.is_dataclass(hint):
            return _dataclass(hint, where)
        if issubclass(hint, pathlib.PurePath):
            return {"type": "string"}, hint
        if hint is tuple or hint is set or hint is frozenset:
            return {"type": "array"}, hint
    if isinstance(hint, (str, typing.ForwardRef)):
        raise ConfigError(f"{where}: the type {hint!r} is not known here; import it or give `schema`")
    supertype = getattr(hint, "__supertype__", None)
    if supertype is not None:
        return schema_of(supertype, where)
    return _with_pydantic(hint, where)


def _generic(hint: typing.Any, origin: typing.Any, args: tuple[typing.Any, ...], where: str) -> tuple[Json, Convert]:
    if origin is typing.Annotated:
        schema, convert = schema_of(args[0], where)
        for extra in args[1:]:
            if isinstance(extra, str):
                schema["description"] = extra
            elif isinstance(extra, dict):
                schema.update(extra)
            elif type(extra).__name__ == "FieldInfo" or hasattr(extra, "__metadata__"):
                return _with_pydantic(hint, where)
            elif isinstance(getattr(extra, "documentation", None), str):  # PEP 727's Doc
                schema["description"] = extra.documentation
        return schema, convert
    if origin is typing.Literal:
        values = list(args)
        schema = {"enum": values}
        if all(isinstance(value, str) for value in values):
            schema = {"type": "string", "enum": values}
        return schema, None
    if origin in _UNIONS:
        return _union(args, where)
    if origin in (list, set, frozenset) or _is_abstract_list(origin):
        item_schema, item = schema_of(args[0], f"an item of {where}")
        schema = {"type": "array", "items": item_schema}
        if origin in (set, frozenset):
            schema["uniqueItems"] = True
            make = origin
            return schema, (lambda values: make(map(item, values))) if item else make
        return schema, (lambda values: [item(value) for value in values]) if item else None
    if origin is tuple:
        return _tuple(args, where)
    if origin is dict or _is_abstract_dict(origin):
        value_schema, value = schema_of(args[1], f"a value of {where}")
        schema = {"type": "object", "additionalProperties": value_schema}
        if value is None:
            return schema, None
        convert_value = value
        return schema, lambda mapping: {key: convert_value(item) for key, item in mapping.items()}
    if getattr(origin, "__name__", "") in ("Required", "NotRequired", "ReadOnly"):
        return schema_of(args[0], where)
    return _with_pydantic(hint, where)


def _is_abstract_list(origin: typing.Any) -> bool:
    return getattr(origin, "__module__", "") == "collections.abc" and origin.__name__ in (
        "Sequence",
        "MutableSequence",
        "Iterable",
        "Collection",
    )


def _is_abstract_dict(origin: typing.Any) -> bool:
    return getattr(origin, "__module__", "") == "collections.abc" and origin.__name__ in ("Mapping", "MutableMapping")


def _tuple(args: tuple[typing.Any, ...], where: str) -> tuple[Json, Convert]:
    if len(args) == 2 and args[1] is Ellipsis:
        item_schema, item = schema_of(args[0], f"an item of {where}")
        return {"type": "array", "items": item_schema}, (lambda values: tuple(map(item, values))) if item else tuple
    parts = [schema_of(arg, f"an item of {where}") for arg in args]
    schema = {
        "type": "array",
        "prefixItems": [part for part, _ in parts],
        "minItems": len(parts),
        "maxItems": len(parts),
    }
    converts = [convert for _, convert in parts]
    return schema, lambda values: tuple(
        value if convert is None else convert(value) for convert, value in zip(converts, values)
    )


def _union(args: tuple[typing.Any, ...], where: str) -> tuple[Json, Convert]:
    members = [schema_of(arg, where) for arg in args]
    schemas = [schema for schema, _ in members]
    converts = [convert for _, convert in members if convert is not None]
    types_only = [schema["type"] for schema in schemas if set(schema) == {"type"}]
    if len(types_only) == len(schemas) and all(isinstance(name, str) for name in types_only):
        schema = {"type": types_only if len(types_only) > 1 else types_only[0]}
    else:
        schema = {"anyOf": schemas}
    if not converts:
        return schema, None
    optional = type(None) in args or None in args
    if len(converts) == 1 and len(members) == 1 + optional:
        only = converts[0]
        return schema, lambda value: None if value is None else only(value)

    def convert(value: typing.Any) -> typing.Any:
        # The schema has accepted the value, so the first member that can take it is meant.
        for (member, way), hint in zip(members, args):
            if way is None:
                if _looks_like(value, member):
                    return value
                continue
            if not _looks_like(value, member):
                continue
            try:
                return way(value)
            except (TypeError, ValueError, KeyError):
                continue
        return value

    return schema, convert


_JSON_TYPES: dict[str, typing.Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
    "array": list,
    "object": dict,
}


def _looks_like(value: typing.Any, schema: Json) -> bool:
    name = schema.get("type")
    expected = _JSON_TYPES.get(name) if isinstance(name, str) else None
    if expected is None:
        return True
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, expected)


def _enum(hint: type[enum.Enum]) -> tuple[Json, Convert]:
    values = [member.value for member in hint]
    schema: Json = {"enum": values}
    if all(isinstance(value, str) for value in values):
        schema = {"type": "string", "enum": values}
    return schema, hint


def _is_typed_dict(hint: typing.Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, dict) and hasattr(hint, "__required_keys__")


def hints_of(owner: typing.Any, where: str) -> dict[str, typing.Any]:
    """The resolved hints of a function or class, with their `Annotated` parts."""
    try:
        return typing.get_type_hints(owner, include_extras=True)
    except NameError as error:
        raise ConfigError(f"{where}: a type hint is not known here ({error}); import it or give `schema`") from error
    except TypeError as error:
        raise ConfigError(f"{where}: its type hints cannot be read: {error}") from error


def _typed_dict(hint: typing.Any, where: str) -> tuple[Json, Convert]:
    required = set(hint.__required_keys__)
    hints = hints_of(hint, where)
    for name, each in hints.items():
        # With postponed annotations, `__required_keys__` does not know of these marks.
        mark = getattr(typing.get_origin(each), "__name__", "")
        if mark == "NotRequired":
            required.discard(name)
        elif mark == "Required":
            required.add(name)
    return object_schema(
        {name: (each, name in required, inspect.Parameter.empty) for name, each in hints.items()}, where
    )


def _dataclass(hint: typing.Any, where: str) -> tuple[Json, Convert]:
    hints = hints_of(hint, where)
    fields: dict[str, tuple[typing.Any, bool, typing.Any]] = {}
    for each in dataclasses.fields(hint):
        if not each.init:
            continue
        has_default = each.default is not dataclasses.MISSING
        required = not has_default and each.default_factory is dataclasses.MISSING
        fields[each.name] = (hints[each.name], required, each.default if has_default else inspect.Parameter.empty)
    schema, convert = object_schema(fields, where)

    def make(value: Json) -> typing.Any:
        return hint(**(convert(value) if convert else value))

    return schema, make


def object_schema(
    fields: typing.Mapping[str, tuple[typing.Any, bool, typing.Any]],
    where: str,
    *,
    open_ended: bool = False,
) -> tuple[Json, Convert]:
    """The schema of an object from `name -> (hint, required, default)`."""
    properties: dict[str, Json] = {}
    converts: dict[str, typing.Callable[[typing.Any], typing.Any]] = {}
    for name, (hint, _, default) in fields.items():
        schema, convert = schema_of(hint, f"{where}.{name}" if where else name)
        if default is not inspect.Parameter.empty and default is not None and _is_json(default):
            schema["default"] = default
        properties[name] = schema
        if convert is not None:
            converts[name] = convert
    required = [name for name, (_, required, _) in fields.items() if required]
    whole: Json = {"type": "object", "properties": properties}
    if required:
        whole["required"] = required
    if not open_ended:
        whole["additionalProperties"] = False
    if not converts:
        return whole, None

    def convert_fields(value: Json) -> Json:
        return {
            name: converts[name](item) if name in converts else item for name, item in value.items()
        }

    return whole, convert_fields


def _is_json(value: typing.Any) -> bool:
    if isinstance(value, enum.Enum):
        return False
    if isinstance(value, (list, tuple)):
        return all(map(_is_json, value))
    return value is None or isinstance(value, (str, int, float, bool))


def _with_pydantic(hint: typing.Any, where: str) -> tuple[Json, Convert]:
    try:
        import pydantic
    except ImportError:
        raise ConfigError(
            f"{where}: no schema for the type {hint!r}; use plain types, install pydantic, or give `schema`"
        ) from None
    try:
        adapter: typing.Any = pydantic.TypeAdapter(hint)
        return _drop_titles(adapter.json_schema()), adapter.validate_python
    except pydantic.PydanticUserError as error:
        text = str(error).splitlines()[0]
        raise ConfigError(f"{where}: no schema for the type {hint!r}: {text}") from error


def _drop_titles(schema: typing.Any) -> Json:
    """Without the titles that pydantic makes up from names: they cost tokens and say nothing."""
    if isinstance(schema, dict):
        return {
            key: (
                {name: _drop_titles(each) for name, each in value.items()}
                if key in ("properties", "$defs") and isinstance(value, dict)
                else _drop_titles(value)
            )
            for key, value in schema.items()
            if key != "title" or not isinstance(value, str)
        }
    if isinstance(schema, list):
        return typing.cast("Json", [_drop_titles(each) for each in schema])
    return typing.cast("Json", schema)
