"""Type hints to JSON Schema and back."""

import dataclasses
import enum
import pathlib
import typing
from typing import Annotated, Any, Literal, Optional, TypedDict, Union

import pytest
from support import one_result

import toolreeve
from toolreeve._schema import schema_of


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Movie(TypedDict):
    title: Annotated[str, "What it is called."]
    year: typing.Optional[int]


class Loose(TypedDict, total=False):
    a: str


UserId = typing.NewType("UserId", int)

POINT = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
    "required": ["x"],
    "additionalProperties": False,
}

ROWS = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (None, {"type": "null"}),
    (Any, {}),
    (list, {"type": "array"}),
    (dict, {"type": "object"}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (typing.List[str], {"type": "array", "items": {"type": "string"}}),
    (typing.Sequence[str], {"type": "array", "items": {"type": "string"}}),
    (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (
        tuple[int, str],
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
    ),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (typing.Mapping[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
    (Optional[int], {"type": ["integer", "null"]}),
    (int | None, {"type": ["integer", "null"]}),
    (Union[int, str], {"type": ["integer", "string"]}),
    (Union[list[int], str], {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal[1, "b"], {"enum": [1, "b"]}),
    (Color, {"type": "string", "enum": ["red", "blue"]}),
    (Annotated[int, "How many."], {"type": "integer", "description": "How many."}),
    (Annotated[int, {"minimum": 1}], {"type": "integer", "minimum": 1}),
    (pathlib.Path, {"type": "string"}),
    (UserId, {"type": "integer"}),
    (Point, POINT),
    (list[Point], {"type": "array", "items": POINT}),
    (
        Movie,
        {
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "What it is called."},
                "year": {"type": ["integer", "null"]},
            },
            "required": ["title", "year"],
            "additionalProperties": False,
        },
    ),
    (Loose, {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}),
]


@pytest.mark.parametrize(("hint", "schema"), ROWS, ids=[str(hint) for hint, _ in ROWS])
def test_a_hint_has_this_schema(hint, schema):
    assert schema_of(hint)[0] == schema


@pytest.mark.parametrize(
    ("hint", "value", "made"),
    [
        (Point, {"x": 1}, Point(1, 0)),
        (list[Point], [{"x": 1}, {"x": 2, "y": 3}], [Point(1), Point(2, 3)]),
        (Optional[Point], None, None),
        (Optional[Point], {"x": 1}, Point(1)),
        (Union[int, Point], 3, 3),
        (Union[int, Point], {"x": 3}, Point(3)),
        (Color, "red", Color.RED),
        (pathlib.Path, "/a", pathlib.Path("/a")),
        (set[int], [1, 2], {1, 2}),
        (tuple[int, Point], [1, {"x": 2}], (1, Point(2))),
        (dict[str, Point], {"a": {"x": 1}}, {"a": Point(1)}),
    ],
)
def test_values_come_as_the_hint_says(hint, value, made):
    assert schema_of(hint)[1](value) == made


@pytest.mark.parametrize("hint", [str, list[int], dict[str, int], Optional[int], Literal["a"], Movie])
def test_plain_values_are_not_touched(hint):
    assert schema_of(hint)[1] is None


def test_pydantic_models_and_its_types():
    import datetime

    import pydantic

    class Model(pydantic.BaseModel):
        n: int = pydantic.Field(ge=1, description="At least one.")

    schema, convert = schema_of(Model)
    assert schema["properties"] == {"n": {"description": "At least one.", "minimum": 1, "type": "integer"}}
    assert convert({"n": 2}) == Model(n=2)
    schema, convert = schema_of(datetime.date)
    assert schema == {"format": "date", "type": "string"}
    assert convert("2026-01-02") == datetime.date(2026, 1, 2)
    schema, convert = schema_of(Annotated[int, pydantic.Field(gt=3)])
    assert schema["exclusiveMinimum"] == 3


def test_a_type_without_a_schema_names_the_parameter():
    class Odd:
        pass

    with pytest.raises(toolreeve.ConfigError, match=r"thing: no schema for the type .*Odd"):

        @toolreeve.tool
        def broken(thing: Odd):
            pass


def test_a_hint_that_does_not_resolve_names_the_tool():
    with pytest.raises(toolreeve.ConfigError, match="tool 'broken': a type hint is not known here"):

        @toolreeve.tool
        def broken(thing: "Nowhere"):  # noqa: F821
            pass


def test_signatures_that_cannot_be_called_by_name_are_refused():
    with pytest.raises(toolreeve.ConfigError, match="'args' cannot be given by name"):
        toolreeve.tool(lambda *args: None)
    with pytest.raises(toolreeve.ConfigError, match="'a' cannot be given by name"):

        @toolreeve.tool
        def broken(a, /):
            pass


@pytest.mark.parametrize(
    "doc",
    [
        "Does it.\n\nMore.\n\nArgs:\n    a: The first\n        thing.\n    b (int): The second.\n\nReturns:\n    Nothing.",
        "Does it.\n\nMore.\n\n:param a: The first\n    thing.\n:param int b: The second.\n:returns: Nothing.",
        "Does it.\n\nMore.\n\nParameters\n----------\na : int\n    The first\n    thing.\nb\n    The second.\n\nReturns\n"
        "-------\nint\n    Nothing.",
    ],
    ids=["google", "sphinx", "numpy"],
)
def test_docstrings_say_what_parameters_mean(doc):
    def function(a: int, b: int = 2):
        pass

    function.__doc__ = doc
    made = toolreeve.tool(function)
    assert made.description == "Does it.\n\nMore."
    assert made.input_schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "The first thing."},
            "b": {"type": "integer", "default": 2, "description": "The second."},
        },
        "required": ["a"],
        "additionalProperties": False,
    }


def test_the_forms_of_a_given_schema():
    json_schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    for schema in ({"a": int}, json_schema, TypedDict("Input", {"a": int})):

        @toolreeve.tool("double", "Doubles.", schema)
        async def double(args):
            return {"content": [{"type": "text", "text": str(args["a"] * 2)}]}

        assert (double.name, double.description) == ("double", "Doubles.")
        assert double.input_schema["properties"] == {"a": {"type": "integer"}}
        assert one_result(double, input={"a": 2}).content == "4"


def test_a_given_schema_with_a_function_of_named_parameters():
    @toolreeve.tool(schema={"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}})
    def add(a, b):
        return a + b

    assert one_result(add, input={"a": 1, "b": 2}).content == "3"


def test_annotations_of_the_sdk_form():
    @toolreeve.tool("t", "T.", {}, annotations={"readOnlyHint": True, "maxResultSizeChars": 9})
    async def t(args):
        return ""

    assert (t.spec["read_only"], t.spec["concurrency_safe"], t.spec["max_result_chars"]) == (True, True, 9)


def test_a_tool_is_still_its_function():
    @toolreeve.tool(read_only=True)
    def add(a: int, b: int) -> int:
        """Adds."""
        return a + b

    assert add(1, 2) == 3
    assert add.__doc__ == "Adds." and add.__name__ == "add"
