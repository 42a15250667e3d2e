"""The agent: models of every kind, permissions, hooks, the three verbs, runs without asyncio."""

import asyncio
import json
import threading
import typing

import pytest
from support import Script, agent, collect, message, results, use

import toolreeve

SSE = "".join(
    f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
    for event in [
        {"type": "message_start", "message": {"usage": {"input_tokens": 3}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hé"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "llo"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
)
EVENTS = [json.loads(line[6:]) for line in SSE.splitlines() if line.startswith("data: ")]


class Dumped:
    """Like an event object of an SDK."""

    def __init__(self, event):
        self.event = event

    def model_dump(self, **_):
        return self.event


class Stream:
    """Like the stream of an SDK: to be entered, then iterated."""

    def __init__(self, items):
        self.items = items
        self.left = False

    async def __aenter__(self):
        return self._iterate()

    async def __aexit__(self, *_):
        self.left = True

    async def _iterate(self):
        for item in self.items:
            yield item


async def events_generator(request):
    for event in EVENTS:
        yield event


async def paused_generator(request):
    for event in EVENTS:
        await asyncio.sleep(0)
        yield event


async def objects_generator(request):
    for event in EVENTS:
        yield Dumped(event)


async def bytes_generator(request):
    raw = SSE.encode()
    for at in range(0, len(raw), 7):
        yield raw[at : at + 7]


async def bytearray_generator(request):
    yield bytearray(SSE.encode())
    yield memoryview(b"")


async def text_generator(request):
    for at in range(0, len(SSE), 5):
        yield SSE[at : at + 5]


async def gives_an_async_iterator(request):
    return events_generator(request)


async def gives_a_list(request):
    return EVENTS


async def gives_a_stream(request):
    return Stream(EVENTS)


async def gives_a_message(request):
    return message("Héllo") | {"usage": {"input_tokens": 3, "output_tokens": 2}}


async def gives_text(request):
    return SSE


def sync_generator(request):
    assert threading.current_thread() is not threading.main_thread()
    yield from EVENTS


def sync_function(request):
    return EVENTS


def sync_gives_async(request):
    return events_generator(request)


MODELS = [
    events_generator,
    paused_generator,
    objects_generator,
    bytes_generator,
    bytearray_generator,
    text_generator,
    gives_an_async_iterator,
    gives_a_list,
    gives_a_stream,
    gives_a_message,
    gives_text,
    sync_generator,
    sync_function,
    sync_gives_async,
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_kind_of_model_is_understood(model):
    done = toolreeve.Agent(model, built_in_tools=False).query_sync("hi")
    assert (done.subtype, done.result, done.turns) == ("success", "Héllo", 1)
    assert done.usage == {"input_tokens": 3, "output_tokens": 2}


async def raises_at_once(request):
    raise RuntimeError("no network")


async def raises_later(request):
    yield EVENTS[0]
    yield EVENTS[1]
    raise RuntimeError("no network")


async def gives_nothing(request):
    return None


async def gives_numbers(request):
    yield 1


async def gives_no_json(request):
    yield {"type": {1, 2}}


async def gives_half(request):
    yield EVENTS[0]
    yield EVENTS[1]


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (raises_at_once, "the model callable failed: RuntimeError: no network"),
        (raises_later, "the model callable failed: RuntimeError: no network"),
        (gives_nothing, "this one gave NoneType"),
        (gives_numbers, "this one gave int"),
        (gives_no_json, "a value of type set is not JSON"),
        (gives_half, "ended in the middle"),
        (lambda: None, "the model callable failed: TypeError"),
        (None, "this agent has no model"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_model_that_fails_is_one_error_and_the_run_ends(model, text):
    async def main():
        async with toolreeve.Agent(model, built_in_tools=False) as it:
            return await collect(it.run("hi"))

    found = asyncio.run(main())
    assert len(found["error"]) == 1 and text in found["error"][0].message
    assert found["done"][0].subtype == "error_during_execution"


def test_the_request_is_a_mapping_of_what_the_api_takes():
    it = agent(tools=[toolreeve.Tool(lambda: None, name="t", description="T.")], system="Be brief.")
    it.query_sync("hi")
    [request] = it._dispatcher._model.requests
    assert list(request) == ["tools", "system", "messages"] and len(request) == 3
    assert dict(**request) == {
        "tools": [
            {
                "name": "t",
                "description": "T.",
                "input_schema": {"type": "object", "properties": {}, "additionalProperties": False},
            }
        ],
        "system": "Be brief.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
    }
    assert request["tools"] is request.tools
    with pytest.raises(KeyError):
        request["model"]


def test_events_are_typed_and_frozen():
    async def main():
        tool = toolreeve.Tool(lambda a: a, name="t", schema={"type": "object"})
        async with agent(message("x", use("t1", "t", {"a": 1})), tools=[tool]) as it:
            return [event async for event in it.run("go")]

    events = asyncio.run(main())
    types = [event.type for event in events]
    assert types[0] == "turn_start" and types[-1] == "done"
    assert {type(event) for event in events} <= set(typing.get_args(toolreeve.Event))
    start = next(event for event in events if event.type == "tool_use")
    assert start == toolreeve.ToolUse("t1", "t", {"a": 1}, start.render)
    assert start.raw == {"type": "tool_use", "id": "t1", "name": "t", "input": {"a": 1}, "render": start.render}
    with pytest.raises(AttributeError):
        start.name = "other"
    match events[-1]:
        case toolreeve.Done(subtype="success", turns=2, result="done"):
            pass
        case other:
            pytest.fail(f"{other}")
    permission = [event for event in events if event.type == "permission"]
    assert all(event.raw["decision"]["behavior"] == "allow" for event in permission)


# --- permissions


def ask(answer, *, is_async, asked=None):
    """A permission callback that gives one answer."""

    def callback(name, value, ctx):
        if asked is not None:
            asked.append((name, value, ctx))
        return answer

    async def later(name, value, ctx):
        return callback(name, value, ctx)

    return later if is_async else callback


def echo(a: int):
    return a


ALLOW, DENY = toolreeve.PermissionResultAllow, toolreeve.PermissionResultDeny


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize(
    ("answer", "content", "is_error"),
    [
        (True, "1", False),
        (ALLOW(), "1", False),
        ({"behavior": "allow"}, "1", False),
        (ALLOW(updated_input={"a": 2}), "2", False),
        ({"behavior": "allow", "updatedInput": {"a": 3}}, "3", False),
        (ALLOW(updated_input={"b": 2}), "`a`", True),
        (False, "The user refused", True),
        (DENY("not now"), "not now", True),
        ({"behavior": "deny", "message": "no"}, "They said: no", True),
        (None, "answered NoneType", True),
        ("allow", "answered str", True),
        ({"behavior": "perhaps"}, "answered dict", True),
        (ALLOW(updated_permissions=[{"type": "setMode", "mode": "plan"}]), "may hold rule strings", True),
    ],
    ids=repr,
)
def test_the_person_answers(answer, content, is_error, is_async):
    it = agent(
        message(use("t", "echo", {"a": 1})), tools=[echo], allow=[], can_use_tool=ask(answer, is_async=is_async)
    )
    result = results(it)["t"]
    assert content in result.content and result.is_error is is_error


def test_a_question_is_put_off_and_answered_in_another_agent():
    call = message(use("t", "echo", {"a": 1}))

    async def main():
        later = toolreeve.PermissionResultDefer(expires_in=3600)
        async with agent(call, tools=[echo], allow=[], can_use_tool=lambda *_: later) as first:
            events = await collect(first.run("go"))
            assert events["done"][0].subtype == "deferred"
            [approval] = first.approvals
            assert events["approval_pending"][0].approval == approval
            kept = json.dumps([first.messages, approval])
        messages, approval = json.loads(kept)
        async with agent(tools=[echo], allow=[], messages=messages) as second:
            with pytest.raises(toolreeve.Error, match="no approval"):
                second.answer_approval("t", True)
            with pytest.raises(toolreeve.Error, match="the approval"):
                second.restore_approval({})
            second.restore_approval(approval)
            with pytest.raises(toolreeve.Error, match="answered by allow or deny"):
                second.answer_approval("t", later)
            second.answer_approval("t", toolreeve.PermissionResultAllow())
            with pytest.raises(toolreeve.Error, match="has an answer"):
                second.answer_approval("t", False)
            events = await collect(second.resume())
            assert events["done"][0].ok
            assert not events["tool_result"][0].is_error
            assert second.approvals == []

    asyncio.run(main())


def test_a_permission_callback_that_raises_denies():
    def broken(*_):
        raise ValueError("no screen")

    result = results(agent(message(use("t", "echo", {"a": 1})), tools=[echo], allow=[], can_use_tool=broken))["t"]
    assert result.is_error and "ValueError: no screen" in result.content


def test_what_the_person_is_told():
    asked = []
    it = agent(
        message(use("t", "echo", {"a": 1})),
        tools=[echo],
        allow=[],
        can_use_tool=ask(True, is_async=True, asked=asked),
    )
    results(it)
    [(name, value, ctx)] = asked
    assert (name, value, ctx.tool_use_id, ctx.display_name) == ("echo", {"a": 1}, "t", "echo")
    assert ctx.decision.behavior == "ask" and ctx.decision_reason and ctx.title.startswith("echo: ")
    assert ctx.render == {"kind": "title", "text": "echo"}
    assert (ctx.destructive_warnings, ctx.blocked_path) == ([], None)


@pytest.mark.parametrize(
    "kept",
    [
        {"updated_permissions": ["echo"]},
        {"rules": ["echo"]},
        {"updated_permissions": [{"type": "addRules", "behavior": "allow", "rules": [{"toolName": "echo"}]}]},
    ],
)
def test_always_allow_is_kept_for_the_session(kept):
    asked = []
    it = agent(
        message(use("t1", "echo", {"a": 1})),
        message(use("t2", "echo", {"a": 2})),
        tools=[echo],
        allow=[],
        can_use_tool=ask(ALLOW(**kept), is_async=True, asked=asked),
    )
    assert [result.content for result in results(it).values()] == ["1", "2"]
    assert len(asked) == 1


def test_a_denial_may_end_the_turn():
    it = agent(
        message(use("t", "echo", {"a": 1})),
        tools=[echo],
        allow=[],
        can_use_tool=ask(DENY("stop", interrupt=True), is_async=False),
    )
    assert it.query_sync("go").subtype == "interrupted"


def test_rules_decide_before_the_person():
    asked = []
    callback = ask(True, is_async=False, asked=asked)
    calls = message(use("t", "echo", {"a": 1}))
    assert not results(agent(calls, tools=[echo], can_use_tool=callback))["t"].is_error
    assert results(agent(calls, tools=[echo], deny=["echo"], can_use_tool=callback))["t"].is_error
    assert asked == []


@pytest.mark.parametrize("as_file", [True, False])
def test_settings_bring_rules(as_file, tmp_path):
    settings = {"permissions": {"allow": ["echo"], "defaultMode": "default"}}
    if as_file:
        path = tmp_path / "settings.json"
        path.write_text(json.dumps(settings))
    it = agent(message(use("t", "echo", {"a": 1})), tools=[echo], allow=[], settings=path if as_file else settings)
    assert it.check_sync("echo", {"a": 1}).reason.source == "flagSettings"
    assert results(it)["t"].content == "1"


# --- the classifier


@toolreeve.tool(classifier_fields=["a"])
def judged(a: int, secret: str = "") -> str:
    """Is judged by what it does."""
    return str(a)


def raises(*_):
    raise ValueError("no model")


async def slowly(*_):
    await asyncio.sleep(0)
    return "allow"


@pytest.mark.parametrize("mode", ["default", "auto"])
@pytest.mark.parametrize(
    ("answer", "in_default", "in_auto"),
    [
        ("allow", "1", "1"),
        (slowly, "1", "1"),
        ({"verdict": "allow"}, "1", "1"),
        (toolreeve.ClassifierResult("allow", "it only counts"), "1", "1"),
        (toolreeve.ClassifierResult("allow", confidence="medium"), "asked", "asked"),
        (toolreeve.ClassifierResult("block", "it counts too far"), "asked", "it counts too far"),
        ("unsure", "asked", "asked"),
        ("yes", "asked", "asked"),
        (True, "asked", "asked"),
        (None, "asked", "asked"),
        ({"verdict": "allow", "sure": True}, "asked", "asked"),
        (raises, "asked", "asked"),
    ],
)
def test_only_a_clear_verdict_of_the_classifier_counts(mode, answer, in_default, in_auto):
    seen = []

    def classifier(name, value):
        seen.append((name, json.loads(value)))
        return answer(name, value) if callable(answer) else answer

    it = agent(
        message(use("t", "judged", {"a": 1, "secret": "s"})),
        tools=[judged],
        allow=[],
        mode=mode,
        classifier=classifier,
        can_use_tool=ask(DENY("asked"), is_async=False),
    )
    content = results(it)["t"].content
    assert (in_auto if mode == "auto" else in_default) in content
    assert seen == [("judged", {"a": 1})]


def test_no_classifier_judges_what_it_cannot_read():
    it = agent(
        message(use("t", "echo", {"a": 1})),
        tools=[echo],
        allow=[],
        classifier=lambda *_: "allow",
        can_use_tool=ask(DENY("asked"), is_async=False),
    )
    assert "asked" in results(it)["t"].content
    with pytest.raises(toolreeve.ConfigError, match="classifier: give a callable"):
        agent(classifier="allow")


# --- hooks


def hook_run(hooks, tool=echo, **options):
    it = agent(message(use("t", "echo", {"a": 1})), tools=[tool], hooks=hooks, **options)
    result = results(it)["t"]
    second = it._dispatcher._model.requests[1]
    notes = [block["text"] for block in second.messages[-1]["content"] if block["type"] == "text"]
    return result, notes


def hook(output, seen=None):
    async def callback(value, tool_use_id, context):
        if seen is not None:
            seen.append((value, tool_use_id, context.event))
        return output

    return callback


def specific(**fields):
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}


@pytest.mark.parametrize(
    ("output", "content", "is_error"),
    [
        (None, "1", False),
        ({}, "1", False),
        ({"continue_": True}, "1", False),
        ({"async_": True}, "1", False),
        (specific(permissionDecision="deny", permissionDecisionReason="never"), "never", True),
        (specific(permissionDecision="ask", permissionDecisionReason="hm"), "hm", True),
        (specific(updatedInput={"a": 5}), "5", False),
        ({"decision": "block", "reason": "blocked"}, "blocked", True),
        ({"decision": 3}, "hook", True),
        ("garbage", "answers a dict", True),
    ],
    ids=repr,
)
def test_a_hook_before_a_call(output, content, is_error):
    seen = []
    result, _ = hook_run({"PreToolUse": [toolreeve.HookMatcher(matcher="echo", hooks=[hook(output, seen)])]})
    assert content in result.content and result.is_error is is_error
    [(value, tool_use_id, event)] = seen
    assert (tool_use_id, event, value["hook_event_name"]) == ("t", "PreToolUse", "PreToolUse")
    assert (value["tool_name"], value["tool_input"]) == ("echo", {"a": 1})


def test_a_hook_stops_the_run():
    stops = {"PreToolUse": [toolreeve.HookMatcher(hooks=[hook({"continue_": False, "stopReason": "enough"})])]}
    it = agent(message(use("t", "echo", {"a": 1})), tools=[echo], hooks=stops)
    done = it.query_sync("go")
    assert (done.subtype, done.result, done.turns, done.ok) == ("stopped_by_hook", "enough", 1, False)


def test_hooks_hear_of_the_conversation_and_have_a_say():
    seen = []

    def once(value, *_):
        seen.append(value["hook_event_name"])
        active = value.get("stop_hook_active", False)
        if value["hook_event_name"] == "Stop" and not active:
            return {"decision": "block", "reason": "not yet", "systemMessage": "one more round"}
        return None

    def context(value, *_):
        seen.append(value["prompt"])
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "it is Monday"}}

    hooks = {name: [toolreeve.HookMatcher(hooks=[once])] for name in ("SessionStart", "PostToolBatch", "Stop")}
    hooks["UserPromptSubmit"] = [toolreeve.HookMatcher(hooks=[context])]
    it = agent(message(use("t", "echo", {"a": 1})), tools=[echo], hooks=hooks)
    events = list(it.run_sync("go"))
    assert seen == ["SessionStart", "go", "PostToolBatch", "Stop", "Stop"]
    [told] = [each for each in events if each.type == "hook_message"]
    assert (told.event, told.message, told.tool_use_id) == ("Stop", "one more round", None)
    texts = [block["text"] for each in it.messages for block in each["content"] if block["type"] == "text"]
    assert texts == ["go", "it is Monday", "done", "not yet", "done"]


def test_a_hook_refuses_a_prompt():
    refuses = {"UserPromptSubmit": [toolreeve.HookMatcher(hooks=[hook({"decision": "block", "reason": "no"})])]}
    it = agent(hooks=refuses)
    done = it.query_sync("secret")
    assert (done.subtype, done.result, done.turns, it.messages) == ("stopped_by_hook", "no", 0, [])


def test_a_hook_answers_in_place_of_the_person():
    answer = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}
    asked = []
    options = {"allow": [], "can_use_tool": lambda *_: asked.append(1)}
    result, _ = hook_run({"PermissionRequest": [toolreeve.HookMatcher("echo", [hook(answer)])]}, **options)
    assert (result.content, asked) == ("1", [])


def test_a_block_without_a_reason_says_so():
    result, _ = hook_run({"PreToolUse": [toolreeve.HookMatcher(hooks=[hook({"decision": "block"})])]})
    assert "denied: a PreToolUse hook blocks it and gives no reason." in result.content


@pytest.mark.parametrize(
    ("hooks", "error", "text"),
    [
        ({"Zzz": []}, ValueError, "there is no event 'Zzz'; did you mean"),
        ({"pretooluse": []}, ValueError, "'pretooluse'; did you mean 'PreToolUse'?"),
        ({"PreToolUse": 5}, TypeError, "hooks['PreToolUse']: give a list of HookMatcher; this is int"),
        ({"PreToolUse": toolreeve.HookMatcher()}, TypeError, "give a list of HookMatcher; this is HookMatcher"),
        ({"PreToolUse": [{"matchers": "x"}]}, ValueError, "hooks['PreToolUse'][0]: there is no field 'matchers'"),
        ({"PreToolUse": [toolreeve.HookMatcher(hooks=print)]}, TypeError, "hooks: give a list of callables"),
        ({"PreToolUse": [toolreeve.HookMatcher(matcher=5, hooks=[print])]}, TypeError, "matcher: give a string"),
        ({3: []}, TypeError, "an event's name is a string; this is int"),
        (5, TypeError, "hooks: give a dict of lists of HookMatcher by event; this is int"),
        ([], TypeError, "hooks: give a dict"),
    ],
    ids=repr,
)
def test_hooks_that_cannot_be_used_are_refused_at_once(hooks, error, text):
    with pytest.raises(error) as raised:
        toolreeve.Agent(hooks=hooks)
    assert text in str(raised.value)


def test_a_hook_allows_what_would_ask():
    allow = {"PreToolUse": [toolreeve.HookMatcher(hooks=[hook(specific(permissionDecision="allow"))])]}
    result, _ = hook_run(allow, allow=[])
    assert not result.is_error


def test_matchers_choose_tools_and_the_last_word_is_the_strictest():
    seen = []
    matchers = [
        toolreeve.HookMatcher("other", [hook(specific(permissionDecision="deny"), seen)]),
        {"matcher": "ec.o", "hooks": [hook(specific(permissionDecision="allow"))]},
        toolreeve.HookMatcher("a|echo", [hook(specific(permissionDecision="deny", permissionDecisionReason="why"))]),
    ]
    result, _ = hook_run({"PreToolUse": matchers})
    assert result.is_error and "why" in result.content and seen == []


def test_hooks_after_a_call_add_and_replace():
    after = {
        "PostToolUse": [
            toolreeve.HookMatcher(hooks=[hook({"decision": "block", "reason": "look at this"})]),
            toolreeve.HookMatcher(hooks=[lambda *_: {"hookSpecificOutput": {"additionalContext": "note"}}]),
        ]
    }
    result, notes = hook_run(after)
    assert (result.content, notes) == ("1", ["look at this", "note"])
    replace = {"PostToolUse": [toolreeve.HookMatcher(hooks=[hook({"hookSpecificOutput": {"updatedToolOutput": "new"}})])]}
    assert hook_run(replace)[0].content == "new"


def test_a_hook_after_a_failure():
    def broken(a: int):
        raise ValueError("x")

    seen = []
    broken_tool = toolreeve.Tool(broken, name="echo")
    hook_run({"PostToolUseFailure": [toolreeve.HookMatcher(hooks=[hook(None, seen)])]}, tool=broken_tool)
    [(value, _, _)] = seen
    assert value["error"] == "ValueError: x"


@pytest.mark.parametrize("is_async", [True, False])
def test_a_hook_that_breaks_does_not_open_the_door(is_async):
    async def later(*_):
        raise RuntimeError("broken guard")

    def now(*_):
        raise RuntimeError("broken guard")

    result, _ = hook_run({"PreToolUse": [toolreeve.HookMatcher(hooks=[later if is_async else now])]})
    assert result.is_error and "broken guard" in result.content


def test_a_hook_that_takes_too_long_does_not_open_the_door():
    async def forever(*_):
        await asyncio.Event().wait()

    result, _ = hook_run({"PreToolUse": [toolreeve.HookMatcher(hooks=[forever], timeout=0.01)]})
    assert result.is_error and "longer than 0.01 s" in result.content


# --- configuration


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"model": "gpt"}, "model: give a callable"),
        ({"can_use_tool": 1}, "can_use_tool: give a callable"),
        ({"allow": "Bash"}, "allow: give a list"),
        ({"allow": ["Bash("]}, "Bash("),
        ({"mode": "yolo"}, "yolo"),
        ({"cwd": "/no/such/place"}, "/no/such/place"),
        ({"hooks": {"BeforeTool": [toolreeve.HookMatcher(hooks=[print])]}}, "BeforeTool"),
        ({"hooks": {"PreToolUse": [toolreeve.HookMatcher("(", [print])]}}, "matcher"),
        ({"hooks": {"PreToolUse": [print]}}, "give a HookMatcher"),
        ({"hooks": {"PreToolUse": [toolreeve.HookMatcher(hooks=["x"])]}}, "not callable"),
        ({"tools": [toolreeve.Tool(lambda: 1, name="a b")]}, "a b"),
        ({"tools": [toolreeve.Tool(lambda: 1, name="a"), toolreeve.Tool(lambda: 1, name="a")]}, "two tools"),
        ({"tools": [toolreeve.Tool(lambda: 1, name="a", schema={"type": "nonsense"})]}, "schema"),
        ({"messages": [{"role": "nobody", "content": "x"}]}, "nobody"),
        ({"max_turns": "three"}, "three"),
        ({"env": {"a": 1}}, "invalid type"),
        ({"settings": "/no/such/file"}, "settings: '/no/such/file' cannot be read"),
        ({"settings": {"permissions": {"allow": 1}}}, "invalid type"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_configuration_says_what_is_wrong(options, text):
    with pytest.raises(toolreeve.ConfigError) as caught:
        toolreeve.Agent(**options)
    assert text in str(caught.value) and caught.value.kind == "config"
    assert isinstance(caught.value, ValueError)


def test_a_conversation_goes_on():
    before = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}]
    it = agent(messages=before)
    it.query_sync("and now?")
    assert [each["role"] for each in it.messages] == ["user", "assistant", "user", "assistant"]
    assert it.messages[-1]["content"] == [{"type": "text", "text": "done"}]


def test_the_limit_of_turns():
    it = agent(*[message(use(f"t{n}", "echo", {"a": 1})) for n in range(5)], tools=[echo], max_turns=2)
    done = it.query_sync("go")
    assert (done.subtype, done.turns, done.ok) == ("error_max_turns", 2, False)


# --- the three verbs


def test_specs_check_call():
    def other(b: str = "x"):
        return b

    async def main():
        async with agent(tools=[echo, other], allow=["echo"]) as it:
            assert [spec["name"] for spec in it.specs()] == ["echo", "other"]
            allowed = await it.check("echo", {"a": 1})
            assert (allowed.behavior, allowed.reason.kind, allowed.reason.rule) == ("allow", "rule-allow", "echo")
            assert it.check_sync("other", {}).behavior == "ask"
            with pytest.raises(toolreeve.ToolError) as caught:
                await it.check("nope", {})
            assert caught.value.kind == "unknown-tool"
            with pytest.raises(toolreeve.ToolError) as caught:
                await it.check("echo", {"a": "x"})
            assert caught.value.kind == "invalid-input"
            result = await it.call("echo", {"a": 4})
            assert (result.content, result.is_error) == ("4", False)
            seen = []
            many = await it.call_many(
                [("echo", {"a": 1}), ("other", {}), use("id", "echo", {"a": 2}), ("nope", {})],
                on_event=lambda event: seen.append(event.type),
            )
            assert [result.is_error for result in many] == [False, True, False, True]
            assert many[2].tool_use_id == "id" and "tool_result" in seen
            with pytest.raises((TypeError, toolreeve.Error)):
                await it.call("echo", {"a": {1, 2, object()}})
            assert await it.call_many([]) == []

    asyncio.run(main())


def test_check_of_commands():
    answer = toolreeve.check({"command": "cat a && rm -rf /", "id": 7})
    assert answer["id"] == 7 and answer["behavior"] in ("ask", "deny")
    assert [each["text"] for each in answer["commands"]] == ["cat a", "rm -rf /"]
    many = toolreeve.check_many([{"command": "ls"}, {"command": "git push"}, {}])
    assert [each.get("behavior") for each in many] == ["allow", "ask", None]
    assert many[2]["error"]["kind"]
    assert json.loads(toolreeve.check_json('{"command": "ls"}')) == many[0]
    assert toolreeve.check({"command": 3})["error"]["field"] == "command"
    with pytest.raises(toolreeve.Error):
        toolreeve.check({"command": object()})


# --- without asyncio


def test_a_run_without_asyncio():
    async def slow(a: int):
        await asyncio.sleep(0.001)
        return a

    it = agent(message(use("t1", "slow", {"a": 1}), use("t2", "echo", {"a": 2})), tools=[slow, echo])
    run = it.run_sync("go")
    found = []
    while True:
        try:
            found.append(next(run))
        except StopIteration as stop:
            assert stop.value == found[-1]
            break
    assert [event.content for event in found if event.type == "tool_result"] == ["1", "2"]
    assert it.query_sync("again").result == "done"


def test_each_world_says_where_the_other_is():
    it = agent()
    with pytest.raises(toolreeve.Error, match="use run_sync"):
        it.run("hi")

    async def main():
        with pytest.raises(toolreeve.Error, match="async for"):
            it.run_sync("hi")

    asyncio.run(main())


def test_runs_of_one_agent_wait_for_each_other():
    async def main():
        async with agent(message("one"), message("two")) as it:
            first, second = await asyncio.gather(it.query("a"), it.query("b"))
            return first.result, second.result, [each["role"] for each in it.messages]

    assert asyncio.run(main()) == ("one", "two", ["user", "assistant", "user", "assistant"])


def test_a_model_may_be_an_object():
    script = Script(message("hi"))
    assert toolreeve.Agent(script, built_in_tools=False).query_sync("x").result == "hi"


def test_events_can_be_copied_compared_and_pickled():
    import copy
    import pickle

    async def main():
        async with agent(message("x", use("t", "echo", {"a": 1})), tools=[echo], can_use_tool=lambda *_: True) as it:
            return [event async for event in it.run("go")]

    for event in asyncio.run(main()):
        assert pickle.loads(pickle.dumps(event)) == event == copy.copy(event)
        assert repr(event).startswith(type(event).__name__)
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            event.nothing
