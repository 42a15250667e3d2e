"""Between the library's queue and the user's callables. The event loop owns every coroutine: one wake-up of the
descriptor takes all requests there are, short coroutines share one task, plain functions run on threads, and the
answers go back together. Nothing here knows what tools, hooks and models are about."""

from __future__ import annotations

import asyncio
import collections
import collections.abc
import contextvars
import functools
import inspect
import types
import typing

from . import _classifier, _drive, _hooks, _model, _permission, _results, _threads
from ._errors import Error
from ._tool import Tool, ToolContext, is_async
from .events import Event, _build

if typing.TYPE_CHECKING:
    from ._toolreeve import Core, RawEvent

_EVENTS, _TOOL, _MODEL, _PERMISSION, _HOOK, _CANCEL, _CLASSIFIER = range(7)
_BATCH = 512
_TEXT = _results.TEXT
_FATAL = (KeyboardInterrupt, SystemExit)

_inside: contextvars.ContextVar[tuple[int, ...]] = contextvars.ContextVar("toolreeve_inside", default=())
"""The dispatchers whose callbacks this code runs in."""

Call = tuple[int, Tool, typing.Any, str]
"""The number of a request, the tool, the input, and the id of the model's request."""


class Channel:
    """The events of one run on their way to whoever reads them."""

    __slots__ = ("context", "events", "finished", "run", "waiter")

    def __init__(self, run: int, context: contextvars.Context) -> None:
        self.run = run
        self.context = context
        self.events: collections.deque[RawEvent] = collections.deque()
        self.finished = False
        self.waiter: asyncio.Future[None] | None = None

    def push(self, events: list[RawEvent]) -> None:
        self.events.extend(events)
        waiter = self.waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    async def next(self) -> Event | None:
        """The next event; `None` behind the last."""
        while not self.events:
            if self.finished:
                return None
            if self.waiter is not None:
                raise Error("two readers wait for the events of one run", "two-readers")
            self.waiter = asyncio.get_running_loop().create_future()
            try:
                await self.waiter
            finally:
                self.waiter = None
        return _build(self.events.popleft())


class _Lazy(collections.abc.Coroutine[typing.Any, typing.Any, None]):
    """A coroutine that comes into being at its first step. A loop that is shutting down may drop a task that it never
    began, and Python would then warn of a coroutine that was never awaited, as if somebody had made a mistake."""

    __slots__ = ("_begin", "_steps")

    def __init__(self, begin: typing.Callable[[], typing.Coroutine[typing.Any, typing.Any, None]]) -> None:
        self._begin = begin
        self._steps: typing.Coroutine[typing.Any, typing.Any, None] | None = None

    def _begun(self) -> typing.Coroutine[typing.Any, typing.Any, None]:
        if self._steps is None:
            self._steps = self._begin()
        return self._steps

    def send(self, value: typing.Any) -> typing.Any:
        return self._begun().send(value)

    def throw(self, *error: typing.Any) -> typing.Any:
        return self._begun().throw(*error)

    def close(self) -> None:
        if self._steps is not None:
            self._steps.close()

    def __await__(self) -> typing.Generator[typing.Any, typing.Any, None]:
        return self._begun().__await__()


class Dispatcher:
    """Runs the callables of one agent."""

    def __init__(
        self,
        core: Core,
        model: typing.Callable[..., typing.Any] | None,
        can_use_tool: _permission.CanUseTool | None,
        classifier: _classifier.Classifier | None,
        hooks: list[_hooks.Hook],
        tools: typing.Iterable[Tool],
    ) -> None:
        self.core = core
        self._model = model
        self._can_use_tool = can_use_tool
        self._classifier = classifier
        self._hooks = hooks
        self._tools = {tool.name: tool for tool in tools}
        self._channels: dict[int, Channel] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._fd = -1
        self._tasks: dict[int, asyncio.Task[typing.Any]] = {}
        self._drivers: set[asyncio.Task[typing.Any]] = set()
        self._jobs: dict[int, _ThreadCall] = {}
        self._unwanted: set[int] = set()

    # --- runs

    def open(self, start: typing.Callable[[], int]) -> Channel:
        """Begins a run by `start` on the running loop."""
        self._attach()
        try:
            run = start()
        except BaseException:
            self._detach_if_idle()
            raise
        context = contextvars.copy_context()
        context.run(_inside.set, (*_inside.get(), id(self)))
        channel = self._channels[run] = Channel(run, context)
        return channel

    def is_inside(self) -> bool:
        """Whether the caller is one of this agent's own callbacks."""
        return id(self) in _inside.get()

    def is_busy(self) -> bool:
        """Whether a run is under way."""
        return bool(self._channels)

    def abandon(self, channel: Channel) -> None:
        """Nobody wants a run any more."""
        if channel.finished:
            return
        self.core.abandon(channel.run)

    def _attach(self) -> None:
        loop = asyncio.get_running_loop()
        fd = self.core.fd()  # raises if the agent is closed or this is a forked child
        if self._loop is loop and self._channels:
            return
        if self._channels:
            if self._loop is not None and not self._loop.is_closed():
                raise Error(
                    "this agent is at work on another event loop; wait for its runs there, or make an agent per loop",
                    "other-loop",
                )
            # That loop ended in the middle of its work; nobody will ever read those events.
            for channel in list(self._channels.values()):
                self.abandon(channel)
                channel.finished = True
            self._channels.clear()
            self._tasks.clear()
            self._drivers.clear()
        self._loop = loop
        self._fd = fd
        loop.add_reader(fd, self._drain)

    def _detach_if_idle(self) -> None:
        if self._channels or self._loop is None:
            return
        if not self._loop.is_closed() and not self.core.is_forked():
            self._loop.remove_reader(self._fd)
        self._unwanted.clear()

    def _finish(self, run: int) -> None:
        channel = self._channels.pop(run, None)
        if channel is not None:
            channel.finished = True
        self._detach_if_idle()

    def close(self) -> None:
        """Ends whatever is still there. Runs that somebody still reads end without `Done`."""
        for channel in list(self._channels.values()):
            channel.finished = True
            waiter = channel.waiter
            if waiter is not None and not waiter.done() and not waiter.get_loop().is_closed():
                waiter.set_result(None)
        self._channels.clear()
        self._detach_if_idle()
        for task in [*self._tasks.values(), *self._drivers]:
            if not task.get_loop().is_closed():
                task.cancel()
        self.core.close()

    # --- requests

    def _drain(self) -> None:
        calls: list[Call] = []
        jobs: list[_ThreadCall] = []
        channels = self._channels
        for request in self.core.take(_BATCH):
            kind = request[0]
            if kind == _EVENTS:
                _, run, events, is_over = request
                channel = channels.get(run)
                if channel is not None:
                    channel.push(events)
                    if is_over:
                        self._finish(run)
            elif kind == _TOOL:
                _, number, name, value, tool_use_id = request
                tool = self._tools[name]
                if tool.kind == "plain":
                    job = self._jobs[number] = _ThreadCall(self, number, tool, value, tool_use_id, self._context())
                    jobs.append(job)
                else:
                    calls.append((number, tool, value, tool_use_id))
            elif kind == _CANCEL:
                self._cancel(request[1])
            else:
                self._start(request)
        if calls:
            self._drive_calls(collections.deque(calls))
        if jobs:
            _threads.pool().submit_many(jobs)

    def _context(self) -> contextvars.Context:
        for channel in self._channels.values():
            return channel.context.copy()
        return contextvars.copy_context()

    def _spawn(
        self, work: typing.Callable[..., typing.Awaitable[typing.Any]], *args: typing.Any, number: int = 0
    ) -> asyncio.Task[typing.Any]:
        """Runs `work(*args)` in a task of its own, in the context of the run. `number` is that of the request, if there
        is just one."""
        loop = self._loop
        assert loop is not None
        task: asyncio.Task[typing.Any] = self._context().run(
            loop.create_task, _Lazy(functools.partial(self._tracked, work, args, number))
        )
        self._drivers.add(task)
        return task

    async def _tracked(
        self, work: typing.Callable[..., typing.Awaitable[typing.Any]], args: tuple[typing.Any, ...], number: int
    ) -> None:
        # A callback at the task's end could tidy up as well, but costs a turn of the loop.
        task = asyncio.current_task()
        assert task is not None
        try:
            await work(*args)
        except _FATAL:
            # It ends the loop, which is how one hears of it; asyncio need not complain again.
            task.add_done_callback(lambda task: task.cancelled() or task.exception())
            raise
        finally:
            self._tasks.pop(number, None)
            self._drivers.discard(task)

    def _start(self, request: tuple[typing.Any, ...]) -> None:
        kind, number = request[:2]
        work: typing.Callable[..., typing.Coroutine[typing.Any, typing.Any, None]] = self._run_hook
        if kind == _MODEL:
            work = self._run_model
        elif kind == _PERMISSION:
            work = self._run_permission
        elif kind == _CLASSIFIER:
            work = self._run_classifier
        self._tasks[number] = self._spawn(work, *request[1:], number=number)

    def _cancel(self, number: int) -> None:
        task = self._tasks.pop(number, None)
        if task is not None:
            task.cancel()
            # One that is cancelled before its first step never tidies up after itself.
            self._drivers.discard(task)
            return
        job = self._jobs.pop(number, None)
        if job is not None:
            job.cancel()
            _threads.pool().give_up()
            return
        self._unwanted.add(number)

    # --- tools

    def tool_context(self, number: int, tool: Tool, tool_use_id: str) -> ToolContext | None:
        """The context that a tool asks for, if it does."""
        if tool.context_name is None:
            return None
        return ToolContext(tool_use_id, functools.partial(self.progress, number))

    def progress(self, number: int, data: typing.Any) -> bool:
        """Reports progress. Returns whether the tool's result is still wanted."""
        return self.core.tool_progress(number, _results.to_plain(data))

    def _drive_calls(self, calls: collections.deque[Call]) -> None:
        self._spawn(self._driver, calls)

    @types.coroutine
    def _driver(self, calls: collections.deque[Call]) -> _drive.Steps:
        """Runs coroutine tools one after the other until one suspends; that one keeps this task, and the others go on
        in a task of their own. So a batch of short ones costs one task, and a slow one holds up nobody."""
        answers: list[_results.Answer] = []
        clean = contextvars.copy_context()
        while calls:
            number, tool, value, tool_use_id = calls.popleft()
            if self._unwanted and number in self._unwanted:
                self._unwanted.discard(number)
                continue
            try:
                if tool.is_simple:
                    begun = tool.function(**value)
                else:
                    begun = tool.begin(value, self.tool_context(number, tool, tool_use_id))
                steps = self._collect(number, begun) if tool.kind == "async-generator" else begun
                yielded = steps.send(None)
            except StopIteration as stop:
                result = stop.value
                answers.append((number, _TEXT, result) if type(result) is str else self._answer(number, result))
                if calls and contextvars.copy_context() != clean:
                    # It left something in a context variable; the next one must not see that.
                    break
                continue
            except _FATAL as error:
                answers.append(_results.failure_of(number, error))
                self.core.answer_tools(answers)
                if calls:
                    self._drive_calls(calls)
                raise
            except BaseException as error:
                answers.append(_results.failure_of(number, error))
                continue
            if answers:
                self.core.answer_tools(answers)
            if calls:
                self._drive_calls(calls)
            yield from self._finish_call(number, steps, yielded)
            return
        if answers:
            self.core.answer_tools(answers)
        if calls:
            self._drive_calls(calls)

    def _finish_call(self, number: int, steps: typing.Any, yielded: typing.Any) -> _drive.Steps:
        """Goes on with a tool that suspended, in the current task."""
        task = asyncio.current_task()
        if task is not None:
            self._tasks[number] = task
        answer: _results.Answer | None = None
        try:
            result = yield from _drive.resume(steps, yielded)
            answer = self._answer(number, result)
        except asyncio.CancelledError as error:
            answer = _results.failure_of(number, error)
            raise
        except _FATAL as error:
            answer = _results.failure_of(number, error)
            raise
        except Exception as error:
            answer = _results.failure_of(number, error)
        finally:
            self._tasks.pop(number, None)
            if answer is not None:
                self.core.answer_tools([answer])

    def _answer(self, number: int, result: object) -> _results.Answer:
        try:
            return _results.answer_of(number, result)
        except Exception as error:  # whatever the result's own methods raise
            return _results.unusable(number, error)

    async def _collect(self, number: int, generator: typing.Any) -> typing.Any:
        last = None
        try:
            async for value in generator:
                last = value
                self.progress(number, value)
        finally:
            await generator.aclose()
        return last

    def go_on(self, number: int, awaitable: typing.Any) -> None:
        """On the loop: a plain function gave something to wait for."""
        if inspect.isasyncgen(awaitable):
            awaitable = self._collect(number, awaitable)

        async def wait() -> typing.Any:
            return await awaitable

        steps = wait()

        @types.coroutine
        def work() -> _drive.Steps:
            # `_finish_call` goes on with a coroutine that has suspended; this one waits one turn of the loop first.
            yield from self._finish_call(number, steps, None)

        self._spawn(work)

    def call_soon(self, callback: typing.Callable[..., object], *args: typing.Any) -> None:
        """From any thread: has something done on the loop. Raises `RuntimeError` if the loop is gone."""
        loop = self._loop
        if loop is None:
            raise RuntimeError("the event loop is gone")
        loop.call_soon_threadsafe(callback, *args)

    def ended(self, number: int) -> bool:
        """From a thread: a plain function has ended. Returns whether its answer is still wanted."""
        return self._jobs.pop(number, None) is not None

    # --- the model, permissions, hooks

    async def _run_model(self, number: int, body: typing.Any) -> None:
        core = self.core
        try:
            if self._model is None:
                raise Error("this agent has no model", "no-model")
            answer = self._model(_model.ModelRequest(body)) if is_async(self._model) else await self._in_thread(
                self._model, _model.ModelRequest(body)
            )
            if inspect.isawaitable(answer):
                answer = await answer
            await self._stream(number, answer)
        except _FATAL as error:
            core.model_fail(number, _results.describe(error))
            raise
        except asyncio.CancelledError:
            core.model_fail(number, "the model callable was cancelled")
            raise
        except BaseException as error:
            core.model_fail(number, f"the model callable failed: {_results.describe(error)}")
        else:
            core.model_end(number)

    async def _stream(self, number: int, answer: typing.Any) -> None:
        def sink(pieces: list[typing.Any]) -> bool:
            return self.core.model_chunks(number, pieces)

        message = _model.whole_message(answer)
        if message is not None:
            sink([message])
        elif isinstance(answer, (bytes, bytearray, memoryview, str)):
            sink([_model.piece(answer)])
        elif hasattr(answer, "__aiter__"):
            iterator = answer.__aiter__()
            try:
                await typing.cast("typing.Awaitable[None]", _drive.feed(iterator, _model.piece, sink))
            finally:
                close = getattr(iterator, "aclose", None)
                if close is not None:
                    await close()
        elif hasattr(answer, "__aenter__"):
            async with answer as entered:
                await self._stream(number, entered)
        elif isinstance(answer, (list, tuple)):
            sink([_model.piece(item) for item in answer])
        elif hasattr(answer, "__iter__") and not isinstance(answer, dict):
            await self._in_thread(_pump, answer, sink)
        else:
            raise TypeError(
                f"a model gives an iterator of bytes, str or event dicts; this one gave {type(answer).__name__}"
            )

    async def _run_permission(self, number: int, prompt: typing.Any) -> None:
        core = self.core
        try:
            assert self._can_use_tool is not None
            context = _permission.context_of(prompt)
            answer = await self._call(self._can_use_tool, prompt["tool_name"], prompt["input"], context)
            core.answer_permission(number, _results.to_plain(_permission.read_answer(answer)))
        except BaseException as error:
            core.fail_permission(number, _results.describe(error))
            if not isinstance(error, Exception):
                raise

    async def _run_classifier(self, number: int, tool_name: str, value: str) -> None:
        core = self.core
        try:
            assert self._classifier is not None
            answer = await self._call(self._classifier, tool_name, value)
            core.answer_classifier(number, _classifier.read_answer(answer))
        except BaseException as error:
            core.fail_classifier(number, _results.describe(error))
            if not isinstance(error, Exception):
                raise

    async def _run_hook(self, number: int, which: int, value: typing.Any) -> None:
        core = self.core
        hook = self._hooks[which]
        try:
            context = _hooks.HookContext(hook.event)
            call = self._call(hook.callback, value, value.get("tool_use_id"), context)
            output = await (call if hook.timeout is None else asyncio.wait_for(call, hook.timeout))
            core.answer_hook(number, _results.to_plain(_hooks.read_output(output)))
        except asyncio.TimeoutError:
            core.fail_hook(number, f"it took longer than {hook.timeout} s")
        except BaseException as error:
            core.fail_hook(number, _results.describe(error))
            if not isinstance(error, Exception):
                raise

    async def _call(self, function: typing.Callable[..., typing.Any], *args: typing.Any) -> typing.Any:
        """Calls a user's function, sync or async."""
        result = function(*args) if is_async(function) else await self._in_thread(function, *args)
        return await result if inspect.isawaitable(result) else result

    async def _in_thread(self, function: typing.Callable[..., typing.Any], *args: typing.Any) -> typing.Any:
        """Calls a function that may block on a thread, in the current context."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[typing.Any] = loop.create_future()
        context = contextvars.copy_context()
        # Whoever takes the one entry decides whether the thread still counts.
        open_ended = [None]

        def settle(result: typing.Any, error: BaseException | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        def job() -> None:
            result: typing.Any = None
            error: BaseException | None = None
            try:
                result = context.run(function, *args)
            except StopIteration as stop:
                error = RuntimeError(f"StopIteration: {stop}")
            except BaseException as raised:
                error = raised
            try:
                open_ended.pop()
            except IndexError:
                _threads.release()
            try:
                loop.call_soon_threadsafe(settle, result, error)
            except RuntimeError:
                pass  # the loop ended; nobody waits

        _threads.pool().submit(job)
        try:
            return await future
        except asyncio.CancelledError:
            try:
                open_ended.pop()
            except IndexError:
                pass
            else:
                _threads.pool().give_up()
            raise


def _pump(pieces: typing.Iterable[typing.Any], sink: _drive.Sink) -> None:
    """On a thread: hands on what a blocking iterator gives."""
    iterator = iter(pieces)
    try:
        for item in iterator:
            if not sink([_model.piece(item)]):
                break
    finally:
        close = getattr(iterator, "close", None)
        if close is not None:
            close()


def _raise(error: BaseException) -> typing.NoReturn:
    raise error


class _ThreadCall:
    """A plain function that runs as a tool, on a thread."""

    __slots__ = ("_cancelled", "_context", "_dispatcher", "_number", "_tool", "_tool_context", "_tool_use_id", "_value")

    def __init__(
        self,
        dispatcher: Dispatcher,
        number: int,
        tool: Tool,
        value: typing.Any,
        tool_use_id: str,
        context: contextvars.Context,
    ) -> None:
        self._dispatcher = dispatcher
        self._number = number
        self._tool = tool
        self._value = value
        self._context = context
        self._tool_context = dispatcher.tool_context(number, tool, tool_use_id)
        self._cancelled = False

    def cancel(self) -> None:
        """The result is no longer wanted."""
        self._cancelled = True
        if self._tool_context is not None:
            self._tool_context._cancelled = True

    def __call__(self) -> None:
        dispatcher, number = self._dispatcher, self._number
        if self._cancelled:
            _threads.release()
        waits = None
        fatal: BaseException | None = None
        answer: _results.Answer = ()
        try:
            result = self._context.run(self._work)
            if inspect.isawaitable(result) or inspect.isasyncgen(result):
                waits = result
            else:
                answer = dispatcher._answer(number, result)
        except _FATAL as error:
            fatal = error
            answer = _results.failure_of(number, error)
        except BaseException as error:
            answer = _results.failure_of(number, error)
        if not dispatcher.ended(number):
            _threads.release()
        if waits is not None:
            try:
                dispatcher.call_soon(dispatcher.go_on, number, waits)
                return
            except RuntimeError as error:
                answer = _results.failure_of(number, error)
        dispatcher.core.answer_tools([answer])
        if fatal is not None:
            # As from `asyncio.to_thread`: what ends programs is raised where the loop runs, and ends it.
            try:
                dispatcher.call_soon(_raise, fatal)
            except RuntimeError:
                pass  # the loop ended by itself

    def _work(self) -> typing.Any:
        result = self._tool.begin(self._value, self._tool_context)
        if not inspect.isgenerator(result):
            return result
        last = None
        try:
            while not self._cancelled:
                last = next(result)
                self._dispatcher.progress(self._number, last)
        except StopIteration as stop:
            return last if stop.value is None else stop.value
        finally:
            result.close()
        return last
