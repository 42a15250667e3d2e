"""Steps coroutines by hand, so that many short ones share one asyncio task. A coroutine that suspends keeps the task it
began in, from its first step to its last: to asyncio it is an ordinary task."""

from __future__ import annotations

import types
import typing

Steps = typing.Generator[typing.Any, typing.Any, typing.Any]


def resume(steps: typing.Any, yielded: typing.Any) -> Steps:
    """Goes on with a coroutine that has yielded, as `yield from` would. Returns what the coroutine returns."""
    while True:
        try:
            sent = yield yielded
        except GeneratorExit:
            steps.close()
            raise
        except BaseException as error:
            try:
                yielded = steps.throw(error)
            except StopIteration as stop:
                return stop.value
        else:
            try:
                yielded = steps.send(sent)
            except StopIteration as stop:
                return stop.value


Sink = typing.Callable[[list[typing.Any]], bool]
_BURST = 64


@types.coroutine
def feed(iterator: typing.Any, piece: typing.Callable[[typing.Any], typing.Any], sink: Sink) -> Steps:
    """Hands the items of an async iterator to `sink`, in bursts: whatever comes without a pause goes at once, and
    nothing waits while the iterator pauses. Ends when the iterator does or when `sink` says that no more is wanted."""
    burst: list[typing.Any] = []
    following = iterator.__anext__
    try:
        while True:
            step = following()
            if not hasattr(step, "send"):
                step = step.__await__()
            try:
                yielded = step.send(None) if hasattr(step, "send") else next(step)
            except StopIteration as stop:
                burst.append(piece(stop.value))
            else:
                if burst:
                    going, burst = burst, []
                    if not sink(going):
                        step.close()
                        return
                burst.append(piece((yield from resume(step, yielded))))
            if len(burst) >= _BURST:
                going, burst = burst, []
                if not sink(going):
                    return
    except StopAsyncIteration:
        pass
    finally:
        # Also when the iterator fails: what it gave before counts.
        if burst:
            sink(burst)
