"""What the Python tests share: scripted models, and agents that touch nothing of the machine."""

import asyncio
import os
import subprocess
import sys

import toolreeve


def use(id, name, input=None):
    """A tool_use block."""
    return {"type": "tool_use", "id": id, "name": name, "input": input or {}}


def message(*content):
    """A complete message of the model; a string is a text."""
    blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in content]
    calls = any(block["type"] == "tool_use" for block in blocks)
    return {"type": "message", "content": blocks, "stop_reason": "tool_use" if calls else "end_turn"}


class Script:
    """A model that answers from a script; it says "done" when there is no more. Keeps what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    async def __call__(self, request):
        self.requests.append(request)
        return [self.answers.pop(0) if self.answers else message("done")]


def agent(*answers, tools=(), **options):
    """An agent with a scripted model and no tools but the given, which are allowed."""
    tools = [each if isinstance(each, toolreeve.Tool) else toolreeve.Tool(each) for each in tools]
    options.setdefault("allow", [each.name for each in tools])
    options.setdefault("built_in_tools", False)
    return toolreeve.Agent(Script(*answers), tools=tools, **options)


async def collect(run):
    """The events of a run, by type."""
    found = {}
    async for event in run:
        found.setdefault(event.type, []).append(event)
    return found


def results(agent, prompt="go"):
    """Runs an agent to its end; gives its tool results by id."""

    async def main():
        async with agent:
            events = await collect(agent.run(prompt))
            return {result.tool_use_id: result for result in events.get("tool_result", [])}

    return asyncio.run(main())


def one_result(*calls_and_tools, input=None, **options):
    """Calls one tool once through a whole run; gives its result."""
    [tool] = calls_and_tools
    tool = tool if isinstance(tool, toolreeve.Tool) else toolreeve.Tool(tool)
    return results(agent(message(use("t", tool.name, input)), tools=[tool], **options))["t"]


def python(code, *args, timeout=60, env=None):
    """Runs a program; gives the finished process."""
    return subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
    )


def threads_of_library():
    """The names of the threads that the library has."""
    names = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm", encoding="utf-8") as file:
                names.append(file.read().strip())
        except OSError:
            pass
    return [name for name in names if name.startswith("toolreeve")]
