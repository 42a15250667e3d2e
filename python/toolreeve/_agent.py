"""The agent: a conversation with tools, and the three verbs behind it."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import typing
import weakref

from . import _hooks, _permission, _results
from ._classifier import Classifier
from ._dispatch import Channel, Dispatcher
from ._errors import ConfigError, Error
from ._permission import CanUseTool, PermissionResult
from ._tool import Tool
from ._toolreeve import Core
from .events import Decision, Done, Event, Json, ToolResult, _build

__all__ = ["Agent", "Run"]

Call = typing.Union[tuple[str, Json], Json]
"""A call for `call_many`: `(tool, input)`, or a `tool_use` block."""

_CLOSE_SECONDS = 2.0


class Run:
    """A run under way: an async iterator of events; the last one is `Done`. Dropping it stops the work."""

    def __init__(self, dispatcher: Dispatcher, channel: Channel) -> None:
        self._dispatcher = dispatcher
        self._channel = channel
        self._done: Done | None = None

    def __aiter__(self) -> Run:
        return self

    async def __anext__(self) -> Event:
        channel = self._channel
        if channel.events:
            event: Event | None = _build(channel.events.popleft())
        else:
            if self._dispatcher.core.is_forked():
                raise Error("this process was forked while the run was under way; it goes on in the parent", "forked")
            event = await channel.next()
        if event is None:
            raise StopAsyncIteration
        if type(event) is Done:
            self._done = event
        return event

    @property
    def done(self) -> Done | None:
        """How the run ended, once its last event has been read."""
        return self._done

    async def wait(self) -> Done:
        """Reads what is left and says how the run ended."""
        async for _ in self:
            pass
        if self._done is None:
            raise Error("the agent was closed before the run was done", "closed")
        return self._done

    def interrupt(self) -> None:
        """Stops the run as the person would: each call still gets its result, and `Done` comes soon."""
        if not self._channel.finished:
            self._dispatcher.core.interrupt(self._channel.run)

    async def aclose(self) -> None:
        """Stops the run and waits until it has stopped."""
        self._dispatcher.abandon(self._channel)
        while not self._channel.finished and await self._channel.next() is not None:
            pass
        self._channel.events.clear()

    async def __aenter__(self) -> Run:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __del__(self) -> None:
        channel: Channel | None = getattr(self, "_channel", None)
        if channel is not None and not channel.finished:
            self._dispatcher.abandon(channel)


class Agent:
    """A conversation with a model that may use tools.

    `model` is called with each request (a mapping of `tools`, `system`, `messages`) and gives the answer as it comes:
    an async generator function, an async function that returns an (async) iterator, or a plain function or iterable.
    Its pieces are bytes or text of the event stream, event dicts, or objects with `model_dump()`. A complete message
    does as well.

    >>> async def model(request):
    ...     yield {"type": "message", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}
    >>> with Agent(model) as agent:
    ...     agent.query_sync("Hello").result
    'Hi'

    `can_use_tool(tool_name, input, ctx)` is asked where the rules say "ask"; without it such calls are denied. `hooks` is
    a dict of lists of `HookMatcher` by event. `allow`, `ask` and `deny` are permission rules such as
    `Bash(git push:*)`; `classifier(tool_name, input)` judges
    calls by their meaning where no rule does, beside the hooks. `settings` is a settings file of the person's (its path, or its content) with more of them.
    Callables may be sync or async; sync ones run on threads.
    """

    def __init__(
        self,
        model: typing.Callable[..., typing.Any] | None = None,
        *,
        cwd: str | os.PathLike[str] | None = None,
        tools: typing.Iterable[Tool | typing.Callable[..., typing.Any]] = (),
        can_use_tool: CanUseTool | None = None,
        hooks: typing.Mapping[str, typing.Sequence[_hooks.HookMatcher | Json]] | None = None,
        classifier: Classifier | None = None,
        allow: typing.Iterable[str] = (),
        ask: typing.Iterable[str] = (),
        deny: typing.Iterable[str] = (),
        mode: typing.Literal["default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"] = "default",
        settings: typing.Mapping[str, typing.Any] | str | os.PathLike[str] | None = None,
        system: str | None = None,
        max_turns: int | None = None,
        additional_directories: typing.Iterable[str | os.PathLike[str]] = (),
        env: typing.Mapping[str, str] | None = None,
        home: str | os.PathLike[str] | None = None,
        messages: typing.Iterable[Json] = (),
        session_id: str | None = None,
        spill_dir: str | os.PathLike[str] | None = None,
        built_in_tools: bool = True,
        simple: bool = False,
        threads: int = 1,
    ) -> None:
        if model is not None and not callable(model):
            raise ConfigError(f"model: give a callable; this is {type(model).__name__}")
        if can_use_tool is not None and not callable(can_use_tool):
            raise ConfigError(f"can_use_tool: give a callable; this is {type(can_use_tool).__name__}")
        if classifier is not None and not callable(classifier):
            raise ConfigError(f"classifier: give a callable; this is {type(classifier).__name__}")
        own = [each if isinstance(each, Tool) else Tool(each) for each in tools]
        names = [each.name for each in own]
        for name in names:
            if names.count(name) > 1:
                raise ConfigError(f"tools: two tools are named {name!r}")
        flat_hooks = _hooks.flatten(hooks)
        config: Json = {
            "cwd": _path(cwd),
            "home": _path(home),
            "additional_directories": [os.fspath(each) for each in _many("additional_directories", additional_directories)],
            "rules": {
                "allow": _many("allow", allow),
                "ask": _many("ask", ask),
                "deny": _many("deny", deny),
            },
            "mode": mode,
            "settings": _settings(settings),
            "settings_folder": _folder_of(settings),
            "system": system,
            "max_turns": max_turns,
            "tools": [each.spec for each in own],
            "hooks": [{"event": hook.event, "matcher": hook.matcher} for hook in flat_hooks],
            "ask": can_use_tool is not None,
            "classifier": classifier is not None,
            "built_in_tools": built_in_tools,
            "simple": simple,
            "env": dict(env or {}),
            "messages": _results.to_plain(list(messages)),
            "session_id": session_id,
            "spill_dir": _path(spill_dir),
            "threads": threads,
        }
        try:
            text = json.dumps(config)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"the configuration is not JSON: {error}") from error
        self._dispatcher = Dispatcher(Core(text), model, can_use_tool, classifier, flat_hooks, own)
        self._core = self._dispatcher.core
        _open.add(self._dispatcher)

    # --- runs

    def run(self, prompt: str) -> Run:
        """Begins to work on a prompt and returns its events. Must be called on a running event loop; `run_sync` needs
        none. Runs of one agent wait for each other."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise Error("no event loop is running; use run_sync, or call this in a coroutine", "no-loop") from None
        self._refuse_reentry()
        return Run(self._dispatcher, self._dispatcher.open(lambda: self._core.run(prompt)))

    def resume(self) -> Run:
        """Goes on where a run ended as `deferred`: calls whose approvals are answered now run or are refused, and the
        model is asked again once none waits any more."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise Error("no event loop is running; call this in a coroutine", "no-loop") from None
        self._refuse_reentry()
        return Run(self._dispatcher, self._dispatcher.open(self._core.resume))

    @property
    def approvals(self) -> list[Json]:
        """The questions that were put off and wait, oldest first: plain data with `id`, `request`, `created_at`,
        `expires_at` (milliseconds since 1970) and `answer`, to keep, send and restore elsewhere."""
        return self._core.approvals()

    def answer_approval(self, id: str, answer: PermissionResult) -> None:
        """Answers one, as a permission callback would. Raises `Error` if none with this id waits, it expired, or it has
        an answer; `resume` then goes on."""
        self._core.answer_approval(id, _results.to_plain(_permission.read_answer(answer)))

    def revoke_approval(self, id: str) -> None:
        """Takes one away, answered or not: its call has to be asked for anew."""
        self._core.revoke_approval(id)

    def restore_approval(self, approval: Json) -> None:
        """Takes up one that was kept as data, for example by another process."""
        self._core.restore_approval(_results.to_plain(approval))

    async def query(self, prompt: str) -> Done:
        """Works on a prompt to its end."""
        return await self.run(prompt).wait()

    def run_sync(self, prompt: str) -> typing.Generator[Event, None, Done]:
        """The events of a run, without asyncio. Ctrl-C stops it. Coroutine tools and callbacks work all the same."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            raise Error("an event loop is running in this thread; use `async for event in agent.run(…)`", "loop")
        self._refuse_reentry()
        return self._run_sync(prompt)

    def _run_sync(self, prompt: str) -> typing.Generator[Event, None, Done]:
        loop = asyncio.new_event_loop()
        run: Run | None = None
        reading: asyncio.Task[Event | None] | None = None

        async def begin() -> Run:
            return self.run(prompt)

        async def following(run: Run) -> Event | None:
            return await anext(run, None)

        try:
            run = loop.run_until_complete(begin())
            while True:
                reading = loop.create_task(following(run))
                event = loop.run_until_complete(reading)
                if event is None:
                    break
                yield event
            if run.done is None:
                raise Error("the agent was closed before the run was done", "closed")
            return run.done
        finally:
            _end_loop(loop, run, reading)

    def query_sync(self, prompt: str) -> Done:
        """Works on a prompt to its end, without asyncio."""
        events_of_run = self.run_sync(prompt)
        while True:
            try:
                next(events_of_run)
            except StopIteration as stop:
                return typing.cast("Done", stop.value)

    def interrupt(self) -> None:
        """Stops what is under way, as the person would. Each call still gets its result."""
        for run in list(self._dispatcher._channels):
            self._core.interrupt(run)

    def _refuse_reentry(self) -> None:
        if self._dispatcher.is_inside():
            raise Error(
                "a callback of this agent cannot begin a run of the same agent: it would wait for itself; "
                "use another agent, or `call`",
                "reentrant",
            )

    @property
    def messages(self) -> list[Json]:
        """The conversation so far. Not to be had while a run is under way."""
        messages = self._core.messages()
        if messages is None:
            raise Error("a run is under way; read the messages when it is done", "busy")
        return messages

    # --- the three verbs

    def specs(self) -> list[Json]:
        """What the model is told about the tools."""
        return self._core.specs()

    async def check(self, tool: str, input: Json) -> Decision:
        """Judges a call without running it and without asking anybody. Raises `ToolError` for an unknown tool or an
        input that does not fit."""
        return self.check_sync(tool, input)

    def check_sync(self, tool: str, input: Json) -> Decision:
        """The same, without asyncio."""
        return Decision(self._core.check(tool, _results.to_plain(input)))

    async def call(self, tool: str, input: Json) -> ToolResult:
        """Runs one call through validation, permission and all the rest."""
        [result] = await self.call_many([(tool, input)])
        return result

    async def call_many(
        self,
        calls: typing.Iterable[Call],
        *,
        on_event: typing.Callable[[Event], object] | None = None,
    ) -> list[ToolResult]:
        """Runs calls in batches, side by side where that is safe, and returns one result for each, in order."""
        wanted = [_call(at, each) for at, each in enumerate(calls)]
        channel = self._dispatcher.open(lambda: self._core.call(wanted))
        try:
            while True:
                event = await channel.next()
                if event is None:
                    break
                if on_event is not None:
                    on_event(event)
            if self._core.is_closed():
                raise Error("the agent was closed before the calls were done", "closed")
            return [_result(each) for each in self._core.take_results(channel.run)]
        finally:
            self._dispatcher.abandon(channel)

    # --- the end

    async def close(self) -> None:
        """Stops whatever is under way and gives back threads and descriptors."""
        channels = list(self._dispatcher._channels.values())
        for channel in channels:
            self._dispatcher.abandon(channel)
        deadline = asyncio.get_running_loop().time() + _CLOSE_SECONDS
        while self._dispatcher.is_busy() and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.005)
        self._close()
        # What was cancelled just now needs a turn of the loop to end.
        await asyncio.sleep(0)

    def _close(self) -> None:
        self._dispatcher.close()
        _open.discard(self._dispatcher)

    async def __aenter__(self) -> Agent:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def __repr__(self) -> str:
        return f"<toolreeve.Agent at {id(self):#x}>"


def _path(path: str | os.PathLike[str] | None) -> str | None:
    return None if path is None else os.fspath(path)


def _settings(settings: typing.Mapping[str, typing.Any] | str | os.PathLike[str] | None) -> Json | None:
    if settings is None or isinstance(settings, typing.Mapping):
        return None if settings is None else dict(settings)
    path = os.fspath(settings)
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError) as error:
        raise ConfigError(f"settings: {path!r} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise ConfigError(f"settings: {path!r} holds no object")
    return content


def _folder_of(settings: typing.Mapping[str, typing.Any] | str | os.PathLike[str] | None) -> str | None:
    if settings is None or isinstance(settings, typing.Mapping):
        return None
    return os.path.dirname(os.path.realpath(os.fspath(settings)))


def _many(field: str, values: typing.Iterable[typing.Any]) -> list[typing.Any]:
    if isinstance(values, str):
        raise ConfigError(f"{field}: give a list; a single string would be taken letter by letter")
    return list(values)


def _call(at: int, call: Call) -> tuple[str, str, Json]:
    if isinstance(call, dict):
        return (str(call.get("id", f"call-{at + 1}")), call["name"], _results.to_plain(call["input"]))
    name, value = call
    return (f"call-{at + 1}", name, _results.to_plain(value))


def _result(raw: Json) -> ToolResult:
    return ToolResult(raw["tool_use_id"], raw["content"], raw.get("is_error", False))


def _end_loop(
    loop: asyncio.AbstractEventLoop, run: Run | None, reading: asyncio.Task[Event | None] | None
) -> None:
    """Stops what still runs on a private loop and closes it."""
    try:
        # A fatal exception that comes as the read is done leaves the read's stop in the queue: it must not end ours.
        loop.call_soon(loop.stop)
        loop.run_forever()
        if reading is not None and not reading.done():
            reading.cancel()
            loop.run_until_complete(asyncio.wait([reading], timeout=_CLOSE_SECONDS))
        if run is not None:
            loop.run_until_complete(asyncio.wait_for(run.aclose(), _CLOSE_SECONDS))
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks, timeout=_CLOSE_SECONDS))
        loop.run_until_complete(loop.shutdown_asyncgens())
    except asyncio.TimeoutError:
        pass
    finally:
        loop.close()


_open: weakref.WeakSet[Dispatcher] = weakref.WeakSet()


def _close_all() -> None:
    """At exit: stops whatever still runs, so that no child process outlives the interpreter."""
    for dispatcher in list(_open):
        try:
            dispatcher.core.close()
        except Exception:  # nobody is left to hear of it
            pass


atexit.register(_close_all)
