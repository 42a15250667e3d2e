"""Tools written in Python: kinds of functions, results, errors, progress."""

import asyncio
import contextvars
import dataclasses
import functools
import json
import threading

import pytest
from support import agent, collect, message, one_result, results, use

import toolreeve


async def coroutine(a: int):
    return f"got {a}"


async def slow_coroutine(a: int):
    await asyncio.sleep(0)
    return f"got {a}"


def plain(a: int):
    return f"got {a}"


def generator(a: int):
    yield "half"
    return f"got {a}"


def generator_without_return(a: int):
    yield "half"
    yield f"got {a}"


async def async_generator(a: int):
    yield "half"
    await asyncio.sleep(0)
    yield f"got {a}"


def gives_a_coroutine(a: int):
    return coroutine(a)


def gives_an_async_generator(a: int):
    return async_generator(a)


class Callable:
    def __call__(self, a: int):
        return f"got {a}"


class AsyncCallable:
    async def __call__(self, a: int):
        return f"got {a}"


class Holder:
    async def method(self, a: int):
        return f"got {a}"


KINDS = [
    coroutine,
    slow_coroutine,
    plain,
    generator,
    generator_without_return,
    async_generator,
    gives_a_coroutine,
    gives_an_async_generator,
    Callable(),
    AsyncCallable(),
    Holder().method,
    functools.partial(coroutine),
]


@pytest.mark.parametrize("function", KINDS, ids=[getattr(each, "__name__", type(each).__name__) for each in KINDS])
def test_every_kind_of_function_is_a_tool(function):
    tool = toolreeve.Tool(function, name="t")
    result = one_result(tool, input={"a": 3})
    assert (result.content, result.is_error) == ("got 3", False)


def test_plain_functions_run_on_threads_and_coroutines_on_the_loop():
    main = threading.get_ident()
    assert one_result(toolreeve.Tool(lambda: threading.get_ident() == main, name="t")).content == "false"

    async def t():
        return threading.get_ident() == main

    assert one_result(t).content == "true"


@dataclasses.dataclass
class Data:
    n: int


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("text", "text"),
        ("ümläut 🎉", "ümläut 🎉"),
        (None, "(t finished without output)"),
        (3, "3"),
        (True, "true"),
        (1.5, "1.5"),
        (2**70, str(2**70)),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        ([1, 2], "[1, 2]"),
        ((1, 2), "[1, 2]"),
        ({1: "a"}, '{"1": "a"}'),
        (Data(1), '{"n": 1}'),
        ([], "[]"),
        ({"type": "dog"}, '{"type": "dog"}'),
        ([{"type": "dog"}], '[{"type": "dog"}]'),
        ({"content": [{"type": "text", "text": "hi"}]}, "hi"),
        ([{"type": "text", "text": "a"}, IMAGE], [{"type": "text", "text": "a"}, IMAGE]),
        ([{"type": "image", "data": "aGk=", "mimeType": "image/png"}], [IMAGE]),
        ([{"type": "resource", "resource": {"uri": "f:/a", "text": "inside"}}], "inside"),
    ],
    ids=repr,
)
def test_what_a_tool_returns_is_what_the_model_reads(value, content):
    result = one_result(toolreeve.Tool(lambda: value, name="t"))
    assert (result.content, result.is_error) == (content, False)


def test_a_dict_may_say_that_it_is_an_error():
    for name in ("is_error", "isError"):
        value = {"content": [{"type": "text", "text": "no"}], name: True}
        result = one_result(toolreeve.Tool(lambda value=value: value, name="t", schema={"type": "object"}))
        assert (result.content, result.is_error) == ("no", True)


class Weird:
    pass


class WorseError(Exception):
    def __str__(self):
        raise RuntimeError("not even that")


def recursive():
    value = []
    value.append(value)
    return value


def fail(error):
    raise error


@pytest.mark.parametrize(
    ("function", "text", "error_class"),
    [
        (lambda: fail(toolreeve.ToolError("no such city")), "no such city", "Error"),
        (lambda: fail(toolreeve.ToolError("x", name="NoSuchCity")), "x", "NoSuchCity"),
        (lambda: fail(ValueError("bad")), "ValueError: bad", "ValueError"),
        (lambda: fail(KeyError()), "KeyError", "KeyError"),
        (lambda: fail(WorseError()), "WorseError", "WorseError"),
        (lambda: fail(ValueError("\ud800")), "ValueError: ?", "ValueError"),
        (lambda: Weird(), "a value of type Weird is not JSON", "TypeError"),
        (lambda: {"a": {1, Weird()}}, "a value of type Weird is not JSON", "TypeError"),
        (lambda: float("nan"), "not usable", "ValueError"),
        (lambda: recursive(), "nested too deeply", "ValueError"),
        (lambda: "\ud800", "not valid Unicode", "Error"),
        (lambda: {"content": [{"type": "text", "text": "\ud800"}]}, "not valid Unicode", "Error"),
        (lambda: b"bytes", "a value of type bytes is not JSON", "TypeError"),
    ],
)
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_what_goes_wrong_is_one_clear_error(function, text, error_class, kind):
    async def later():
        return function()

    result = one_result(toolreeve.Tool(function if kind == "plain" else later, name="t", schema={"type": "object"}))
    assert result.is_error
    assert text in result.content and "Traceback" not in result.content
    assert result.error_class == error_class


def test_a_stop_iteration_ends_only_the_call():
    """What ends programs ends the loop: see test_robustness.py."""
    result = one_result(toolreeve.Tool(lambda: next(iter(())), name="t", schema={"type": "object"}))
    assert result.is_error and "StopIteration" in result.content
    assert result.error_class == "StopIteration"


def test_an_error_with_blocks():
    result = one_result(
        toolreeve.Tool(lambda: fail(toolreeve.ToolError([{"type": "text", "text": "a"}, IMAGE])), name="t")
    )
    assert result.is_error and result.content == [{"type": "text", "text": "a"}, IMAGE]


def test_a_long_message_is_capped():
    result = one_result(toolreeve.Tool(lambda: fail(ValueError("x" * 50_000)), name="t"))
    assert len(result.content) < 11_000 and "more characters" in result.content


def test_input_that_does_not_fit_never_reaches_the_function():
    called = []

    def t(a: int):
        called.append(a)

    result = one_result(t, input={"a": "many"})
    assert result.is_error and "`a`" in result.content and called == []


def test_progress_comes_before_the_result():
    async def main(tool):
        async with agent(message(use("t", "t")), tools=[tool]) as it:
            return [event async for event in it.run("go") if event.type in ("tool_progress", "tool_end", "tool_result")]

    def with_context(ctx: toolreeve.ToolContext):
        assert ctx.tool_use_id == "t" and not ctx.cancelled
        ctx.progress({"done": 1})
        ctx.progress("half")
        return "all"

    def generator():
        yield {"done": 1}
        yield "half"
        return "all"

    for function in (with_context, generator):
        tool = toolreeve.Tool(function, name="t")
        assert tool.input_schema["properties"] == {}
        events = asyncio.run(main(tool))
        assert [event.type for event in events] == ["tool_progress", "tool_progress", "tool_end", "tool_result"]
        assert [events[0].data, events[1].data, events[3].content] == [{"done": 1}, "half", "all"]


def test_progress_that_is_no_json_is_the_tools_error():
    def t():
        yield Weird()

    result = one_result(t)
    assert result.is_error and "a value of type Weird is not JSON" in result.content


def test_context_variables_reach_tools_and_do_not_leak_between_them():
    variable = contextvars.ContextVar("variable", default="unset")

    async def leaks(n: int):
        before = variable.get()
        variable.set(f"by {n}")
        return before

    def plain_leaks(n: int):
        before = variable.get()
        variable.set(f"by {n}")
        return before

    async def main():
        variable.set("by caller")
        tools = [toolreeve.Tool(each, concurrency_safe=True) for each in (leaks, plain_leaks)]
        calls = [use(f"{tool.name}{n}", tool.name, {"n": n}) for n in range(5) for tool in tools]
        async with agent(message(*calls), tools=tools) as it:
            return await collect(it.run("go"))

    found = asyncio.run(main())
    assert {result.content for result in found["tool_result"]} == {"by caller"}


def test_five_hundred_calls_in_one_turn():
    async def fast(n: int):
        return n

    async def slow(n: int):
        await asyncio.sleep(0.001)
        return n

    def threaded(n: int):
        return n

    tools = [toolreeve.Tool(each, concurrency_safe=True) for each in (fast, slow, threaded)]
    calls = [use(f"t{n}", tools[n % 3].name, {"n": n}) for n in range(500)]
    found = results(agent(message(*calls), tools=tools))
    assert [found[f"t{n}"].content for n in range(500)] == [str(n) for n in range(500)]


def test_slow_tools_run_side_by_side():
    together = threading.Barrier(8, timeout=30)

    def plain():
        together.wait()
        return "met"

    tool = toolreeve.Tool(plain, concurrency_safe=True)
    found = results(agent(message(*[use(f"t{n}", "plain") for n in range(8)]), tools=[tool]))
    assert {result.content for result in found.values()} == {"met"}


def test_a_large_input_in_small_pieces():
    text = "x" * 1_000_000
    body = json.dumps({"text": text})

    async def model(request):
        if len(request.messages) > 1:
            yield message("done")
            return
        yield {"type": "message_start", "message": {}}
        yield {"type": "content_block_start", "index": 0, "content_block": use("t", "t")}
        for at in range(0, len(body), 16):
            delta = {"type": "input_json_delta", "partial_json": body[at : at + 16]}
            yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        yield {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
        yield {"type": "message_stop"}

    tool = toolreeve.Tool(lambda text: str(len(text)), name="t", schema={"type": "object", "properties": {"text": {}}})
    it = toolreeve.Agent(model, tools=[tool], allow=["t"], built_in_tools=False)
    assert results(it)["t"].content == "1000000"
