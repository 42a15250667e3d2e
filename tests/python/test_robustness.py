"""What goes wrong in hosts: callbacks that hang, re-enter or die, loops and processes that end in the middle, forks."""

import asyncio
import gc
import os
import signal
import threading
import time
import weakref

import pytest
from support import Script, agent, collect, message, one_result, python, results, threads_of_library, use

import toolreeve

PRELUDE = """
import asyncio, os, signal, sys, threading, time
sys.path.insert(0, {tests!r})
from support import *
import toolreeve
""".format(tests=os.path.dirname(__file__))


def program(body, **options):
    """Runs a program that knows the test helpers."""
    return python(PRELUDE + body, **options)


async def until(condition):
    """Waits for something that happens elsewhere."""
    while not condition():
        await asyncio.sleep(0.002)


async def never():
    await asyncio.Event().wait()


# --- callbacks


@pytest.mark.parametrize("fatal", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("kind", ["coroutine", "plain", "generator", "coroutine of a plain one"])
@pytest.mark.parametrize("sync", [False, True])
def test_a_fatal_exception_in_a_tool_ends_the_loop_and_the_agent_goes_on(fatal, kind, sync):
    async def coroutine():
        raise fatal("enough")

    def plain():
        raise fatal("enough")

    def generator():
        yield 1
        raise fatal("enough")

    tools = {"coroutine": coroutine, "plain": plain, "generator": generator}
    tool = toolreeve.Tool(tools.get(kind, lambda: coroutine()), name="t", schema={"type": "object"})
    it = agent(message(use("t", "t")), tools=[tool])
    with pytest.raises(fatal, match="enough"):
        if sync:
            it.query_sync("go")
        else:
            asyncio.run(it.query("go"))
    assert it.query_sync("again").subtype == "success"
    [call] = [block for each in it.messages for block in each["content"] if block["type"] == "tool_use"]
    results_ = [block for each in it.messages for block in each["content"] if block["type"] == "tool_result"]
    assert [each["tool_use_id"] for each in results_] == [call["id"]]
    asyncio.run(it.close())


def test_a_tool_that_says_it_was_cancelled_is_an_error():
    async def t():
        raise asyncio.CancelledError

    async def later():
        await asyncio.sleep(0)
        raise asyncio.CancelledError

    for tool in (t, later):
        assert one_result(toolreeve.Tool(tool, name="t")).is_error


def test_an_interrupt_cancels_tools_that_would_never_return():
    events = []

    async def hangs():
        events.append("started")
        try:
            await never()
        except asyncio.CancelledError:
            events.append("cancelled")
            raise

    async def main():
        async with agent(message(use("t", "hangs")), tools=[hangs]) as it:
            run = it.run("go")
            await until(lambda: events)
            run.interrupt()
            found = await collect(run)
            await until(lambda: "cancelled" in events)
            return found, it.messages

    found, messages = asyncio.run(main())
    assert found["done"][0].subtype == "interrupted"
    assert found["tool_result"][0].is_error and "interrupted" in found["tool_result"][0].content
    assert [each["role"] for each in messages] == ["user", "assistant", "user"]


@pytest.mark.parametrize("where", ["tool", "can_use_tool", "hook", "model"])
@pytest.mark.parametrize("kind", ["async", "plain"])
def test_whatever_hangs_can_be_interrupted(where, kind):
    started, free = threading.Event(), threading.Event()

    async def later(*_, **__):
        started.set()
        await never()

    def now(*_, **__):
        started.set()
        free.wait()

    hangs = later if kind == "async" else now
    script = Script(message(use("t", "t")))
    it = toolreeve.Agent(
        hangs if where == "model" else script,
        tools=[toolreeve.Tool(hangs if where == "tool" else lambda: 1, name="t", schema={"type": "object"})],
        allow=[] if where == "can_use_tool" else ["t"],
        can_use_tool=hangs if where == "can_use_tool" else None,
        hooks={"PreToolUse": [toolreeve.HookMatcher(hooks=[hangs])]} if where == "hook" else None,
        built_in_tools=False,
    )

    async def main():
        async with it:
            run = it.run("go")
            await until(started.is_set)
            it.interrupt()
            return await run.wait()

    try:
        assert asyncio.run(main()).subtype == "interrupted"
    finally:
        free.set()


def test_threads_that_hang_do_not_starve_others():
    from toolreeve import _threads

    free = threading.Event()
    pool = _threads.Threads(limit=4)
    started = threading.Semaphore(0)

    def hang():
        started.release()
        free.wait()
        _threads.release()

    for _ in range(4):
        pool.submit(hang)
    for _ in range(4):
        assert started.acquire(timeout=30)
    ran = threading.Event()
    pool.submit(ran.set)
    pool.give_up()
    assert ran.wait(30)
    free.set()


def test_idle_threads_end():
    from toolreeve import _threads

    pool = _threads.Threads(limit=8, idle_seconds=0.01)
    count = threading.Barrier(9, timeout=30)
    pool.submit_many([count.wait] * 8)
    count.wait()
    deadline = time.monotonic() + 30
    while pool._count and time.monotonic() < deadline:
        time.sleep(0.005)
    assert pool._count == 0
    done = threading.Event()
    pool.submit(done.set)
    assert done.wait(30)


def test_tools_may_use_the_library():
    inner = agent(message("inner done"))
    it = None

    async def nested():
        answer = await inner.query("x")
        verdict = await it.check("plain", {})
        called = await it.call("plain", {})
        return [answer.result, verdict.behavior, called.content, toolreeve.check({"command": "ls"})["behavior"]]

    def plain():
        return it.check_sync("plain", {}).behavior

    it = agent(message(use("t1", "nested"), use("t2", "plain")), tools=[nested, plain])
    found = results(it)
    assert found["t1"].content == '["inner done", "allow", "allow", "allow"]'
    assert found["t2"].content == "allow"


def test_what_would_wait_for_itself_is_an_error():
    it = None

    async def asks_itself():
        return (await it.query("again")).result

    def asks_itself_sync():
        return it.query_sync("again").result

    def reads_messages():
        return it.messages

    names = ["asks_itself", "asks_itself_sync", "reads_messages"]
    it = agent(message(*[use(name, name) for name in names]), tools=[asks_itself, asks_itself_sync, reads_messages])
    found = results(it)
    assert "would wait for itself" in found["asks_itself"].content
    assert "would wait for itself" in found["asks_itself_sync"].content
    assert "a run is under way" in found["reads_messages"].content


# --- runs that nobody wants any more


def test_dropping_a_run_stops_everything():
    state = {}

    async def hangs():
        state["started"] = True
        try:
            await never()
        finally:
            state["stopped"] = True

    async def main():
        async with agent(message(use("t", "hangs")), tools=[hangs]) as it:
            async for event in it.run("go"):
                if event.type == "tool_start":
                    await until(lambda: "started" in state)
                    break
            await until(lambda: "stopped" in state)
            await until(lambda: not it._dispatcher.is_busy())
            assert (await it.query("again")).subtype == "success"

    asyncio.run(main())


def test_cancelling_the_reader_stops_everything():
    state = {}

    async def hangs():
        state["started"] = True
        try:
            await never()
        finally:
            state["stopped"] = True

    async def main():
        async with agent(message(use("t", "hangs")), tools=[hangs]) as it:
            task = asyncio.create_task(it.query("go"))
            await until(lambda: "started" in state)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            del task
            await until(lambda: "stopped" in state)

    asyncio.run(main())


def test_cancelling_a_call_stops_it():
    state = {}

    async def hangs():
        state["started"] = True
        try:
            await never()
        finally:
            state["stopped"] = True

    async def main():
        async with agent(tools=[hangs]) as it:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(it.call("hangs", {}), 0.2)
            await until(lambda: "stopped" in state)

    asyncio.run(main())


def test_closing_wakes_whoever_reads():
    async def main():
        async def hangs():
            await never()

        it = agent(message(use("t", "hangs")), tools=[hangs])
        task = asyncio.create_task(it.query("go"))
        await asyncio.sleep(0.05)
        await it.close()
        await it.close()
        try:
            assert (await task).subtype == "interrupted"
        except toolreeve.Error as error:
            assert error.kind == "closed"
        for use_it in (lambda: it.run("x"), it.specs, lambda: it.messages, lambda: it.check_sync("hangs", {})):
            with pytest.raises(toolreeve.Error, match="closed"):
                use_it()

    asyncio.run(main())


def test_a_loop_that_ends_in_the_middle_and_the_next_loop():
    state = {"stopped": 0}

    async def hangs():
        state["started"] = True
        try:
            await never()
        finally:
            state["stopped"] += 1

    it = agent(message(use("t", "hangs")), tools=[hangs])
    kept = []

    async def leaves():
        kept.append(it.run("go"))
        await until(lambda: "started" in state)

    asyncio.run(leaves())
    assert state["stopped"] == 1

    async def main():
        return await it.query("again")

    assert asyncio.run(main()).subtype == "success"
    it._close()


def test_one_agent_on_two_loops_at_once_is_an_error():
    started = threading.Event()

    async def hangs():
        started.set()
        await never()

    it = agent(message(use("t", "hangs")), tools=[hangs])
    problems = []

    def elsewhere():
        started.wait()

        async def main():
            try:
                await it.query("x")
            except toolreeve.Error as error:
                problems.append(error.kind)

        asyncio.run(main())

    async def main():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        async with it:
            run = it.run("go")
            await until(lambda: problems)
            run.interrupt()
            await run.wait()
        thread.join()

    asyncio.run(main())
    assert problems == ["other-loop"]


def test_a_stop_that_a_fatal_exception_left_behind_does_not_end_the_closing():
    from toolreeve import _agent

    class Run:
        closed = False

        async def aclose(self):
            await asyncio.sleep(0)
            self.closed = True

    def fatal():
        raise KeyboardInterrupt

    loop, run = asyncio.new_event_loop(), Run()
    read = loop.create_future()
    loop.call_soon(read.set_result, None)
    loop.call_soon(fatal)
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(read)
    _agent._end_loop(loop, run, None)
    assert run.closed and loop.is_closed()


def test_two_agents_in_one_loop():
    async def echo(a: int):
        await asyncio.sleep(0.001)
        return a

    async def main():
        calls = message(*[use(f"t{n}", "echo", {"a": n}) for n in range(20)])
        async with agent(calls, tools=[echo]) as first, agent(calls, tools=[echo]) as second:
            found = await asyncio.gather(collect(first.run("a")), collect(second.run("b")))
            return [[result.content for result in each["tool_result"]] for each in found]

    assert asyncio.run(main()) == [[str(n) for n in range(20)]] * 2


def test_two_readers_of_one_run_are_told():
    async def hangs():
        await never()

    async def main():
        async with agent(message(use("t", "hangs")), tools=[hangs]) as it:
            run = it.run("go")
            tasks = [asyncio.create_task(run.wait()) for _ in range(2)]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            with pytest.raises(toolreeve.Error, match="two readers"):
                done.pop().result()
            run.interrupt()
            await asyncio.wait(tasks)

    asyncio.run(main())


# --- what is left behind


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def test_agents_give_back_descriptors_and_threads():
    def once():
        it = agent(message(use("t", "t")), tools=[toolreeve.Tool(lambda: 1, name="t")])
        assert it.query_sync("go").ok
        return weakref.ref(it._dispatcher)

    once()
    gc.collect()
    before = descriptors(), threads_of_library().count("toolreeve")
    for _ in range(5):
        assert once()() is None, "nothing but the agent holds what it is made of"
    gc.collect()
    assert (descriptors(), threads_of_library().count("toolreeve")) == before


def test_an_agent_that_is_dropped_while_it_runs_ends():
    async def hangs():
        await never()

    async def main():
        it = agent(message(use("t", "hangs")), tools=[hangs])
        run = it.run("go")
        await asyncio.sleep(0.05)
        ref = weakref.ref(it._dispatcher)
        del it, run

        def gone():
            gc.collect()
            return ref() is None

        await until(gone)

    before = descriptors()
    asyncio.run(main())
    gc.collect()
    assert descriptors() == before


EXIT = """
async def hangs():
    await asyncio.Event().wait()
def sleeps():
    time.sleep(1000)
async def quick():
    await asyncio.sleep(0)
    return 1
calls = message(use("a", "hangs"), use("b", "sleeps"), *[use(f"c{n}", "quick") for n in range(20)])
tools = [toolreeve.Tool(each, concurrency_safe=True) for each in (hangs, sleeps, quick)]
it = agent(calls, tools=tools)
async def main():
    run = it.run("go")
    async for event in run:
        if event.type == "tool_end":
            break
    how = sys.argv[1]
    if how == "kept":
        globals()["run"] = run
    elif how == "raises":
        raise SystemExit(0)
    elif how == "thread":
        threading.Thread(target=lambda: time.sleep(0.05)).start()
asyncio.run(main())
print("end")
"""


@pytest.mark.parametrize("how", ["kept", "dropped", "raises", "thread"])
def test_the_interpreter_may_end_during_a_call(how):
    for _ in range(5):
        done = python(PRELUDE + EXIT, how)
        assert (done.returncode, done.stderr) == (0, ""), how
        assert ("end" in done.stdout) == (how != "raises")


def test_no_child_process_outlives_the_interpreter(tmp_path):
    mark = tmp_path / "pid"
    body = f"""
it = toolreeve.Agent(Script(message(use("t", "Bash", {{"command": "echo $$ > {mark}; sleep 1000"}}))),
                     allow=["Bash"], cwd={str(tmp_path)!r}, mode="bypassPermissions")
async def main():
    run = it.run("go")
    while not (os.path.exists({str(mark)!r}) and open({str(mark)!r}).read().strip()):
        await asyncio.sleep(0.01)
    globals()["run"] = run
asyncio.run(main())
"""
    done = program(body)
    assert (done.returncode, done.stderr) == (0, "")
    pid = int(mark.read_text())
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return
        except OSError:
            return
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the command still runs")


# Newer Pythons warn of any fork in a process with threads.
FORKS = {"PYTHONWARNINGS": "ignore::DeprecationWarning"}

FORK = """
it = agent(message(use("t", "t")), message("a"), tools=[toolreeve.Tool(lambda: 1, name="t")])
def child():
    for use_it in (lambda: it.query_sync("x"), lambda: it.specs(), lambda: it.check_sync("t", {}), lambda: it.messages):
        try:
            use_it()
        except toolreeve.Error as error:
            assert error.kind == "forked", error
            assert "make a new agent in the child" in str(error)
        else:
            raise AssertionError("it worked")
    new = agent(message(use("t", "t")), tools=[toolreeve.Tool(lambda: 2, name="t")])
    assert results(new)["t"].content == "2"
def fork_and_wait():
    pid = os.fork()
    if pid == 0:
        try:
            child()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        if sys.argv[1] == "exit":
            sys.exit(0)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
assert it.query_sync("go").ok
fork_and_wait()
assert it.query_sync("again").ok
print("end")
"""


@pytest.mark.parametrize("how", ["exit", "_exit"])
def test_a_forked_child_is_told_and_the_parent_goes_on(how):
    done = python(PRELUDE + FORK, how, env=FORKS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_a_fork_during_a_run():
    body = """
async def t():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    await asyncio.sleep(0.01)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(results(agent(message(use("t", "t")), tools=[t]))["t"].content)
"""
    done = program(body, env=FORKS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


# --- signals


@pytest.mark.parametrize("entry", ["run_sync", "query_sync", "asyncio"])
def test_ctrl_c_ends_a_run(entry):
    body = f"""
stopped = []
async def hangs():
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        await asyncio.Event().wait()
    finally:
        stopped.append(True)
it = agent(message(use("t", "hangs")), tools=[hangs])
try:
    if {entry!r} == "run_sync":
        for event in it.run_sync("go"):
            pass
    elif {entry!r} == "query_sync":
        it.query_sync("go")
    else:
        asyncio.run(it.query("go"))
except KeyboardInterrupt:
    print("interrupted", stopped)
print(it.query_sync("again").subtype)
"""
    done = program(body)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted [True]\nsuccess\n", "")


def test_ctrl_c_while_a_run_waits_for_a_thread():
    body = """
def sleeps():
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    time.sleep(1000)
it = agent(message(use("t", "sleeps")), tools=[sleeps])
try:
    it.query_sync("go")
except KeyboardInterrupt:
    print("interrupted")
"""
    done = program(body)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")
