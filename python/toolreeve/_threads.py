"""Threads for plain functions, shared by all agents. Cheaper per call than an executor: no future is made, and of many
idle threads only as many wake as there is work for. Threads are daemons and end when they are idle for a while: a
function that never returns keeps neither the process nor an agent."""

from __future__ import annotations

import collections
import os
import queue
import threading
import typing

Job = typing.Callable[[], None]

_LIMIT = 128
_IDLE_SECONDS = 2.0


class Threads:
    """A pool of threads. Jobs must not raise."""

    def __init__(self, limit: int = _LIMIT, idle_seconds: float = _IDLE_SECONDS) -> None:
        self._limit = limit
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._jobs: collections.deque[Job] = collections.deque()
        self._tokens: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._idle = 0
        self._count = 0
        # A thread is on its way to the jobs. It wakes the next one before it starts its own, so short jobs are done by
        # one or two threads and long ones still spread.
        self._waking = False

    def submit(self, job: Job) -> None:
        """Has a job done."""
        with self._lock:
            self._jobs.append(job)
            if not self._waking:
                self._wake()

    def submit_many(self, jobs: typing.Iterable[Job]) -> None:
        """Has many jobs done."""
        with self._lock:
            self._jobs.extend(jobs)
            if self._jobs and not self._waking:
                self._wake()

    def give_up(self) -> None:
        """A job will not end in time: its thread no longer counts. The thread must end by `release`."""
        with self._lock:
            self._count -= 1
            if self._jobs and not self._waking:
                self._wake()

    def _wake(self) -> None:
        """With the lock held."""
        if self._idle:
            self._idle -= 1
            self._waking = True
            self._tokens.put(None)
        elif self._count < self._limit:
            self._count += 1
            self._waking = True
            try:
                threading.Thread(target=self._work, name="toolreeve-python", daemon=True).start()
            except RuntimeError:
                # No more threads to be had; those there are will come round to the job.
                self._count -= 1
                self._waking = False
                if not self._count:
                    raise

    def _work(self) -> None:
        woken = True
        while True:
            with self._lock:
                if woken:
                    self._waking = woken = False
                job = self._jobs.popleft() if self._jobs else None
                if job is None:
                    self._idle += 1
                elif self._jobs and not self._waking:
                    self._wake()
            if job is not None:
                try:
                    job()
                except _Released:
                    return
                # Else it would live on, with all it holds, until the next one comes.
                del job
                continue
            try:
                self._tokens.get(timeout=self._idle_seconds)
            except queue.Empty:
                with self._lock:
                    try:
                        # A token that came just now is meant for some idle thread, so for this one as well.
                        self._tokens.get_nowait()
                    except queue.Empty:
                        self._idle -= 1
                        self._count -= 1
                        return
            woken = True


class _Released(BaseException):
    """Ends a thread that no longer counts."""


def release() -> typing.NoReturn:
    """Called at the end of a job that was given up."""
    raise _Released


_pool = Threads()


def pool() -> Threads:
    """The pool of this process."""
    return _pool


def _after_fork() -> None:
    # The threads stayed behind in the parent, and the lock may be held by one of them.
    global _pool
    _pool = Threads()


os.register_at_fork(after_in_child=_after_fork)
