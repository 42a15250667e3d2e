"""A recorded model fixes a failing test: the main job of toolreeve, driven from Python.

usage: `fix_failing_test.py RECORDING WORKSPACE [RESULTS]`. RECORDING is `examples/fix_failing_test`, WORKSPACE a copy of its
project (see `prepare.py`), RESULTS a file for the tool results as JSON. The same program exists in Rust, C and C++.
"""

import asyncio
import json
import pathlib
import sys
import time

import toolreeve


def recorded_model(recording):
    """The model: plays one recorded answer for each request, event by event, at the recorded pace."""
    turns = iter(sorted(recording.glob("turn-*.sse")))
    pace = json.loads((recording / "pace.json").read_text())["milliseconds_per_event"] / 1000

    async def model(request):
        answer = next(turns).read_bytes()
        for event in answer.split(b"\n\n")[:-1]:
            await asyncio.sleep(pace)
            yield event + b"\n\n"

    return model


async def person(tool_name, input, ctx):
    """The person: runs of the project's tests are fine, nothing else is."""
    if tool_name == "Bash" and input["command"] == "python3 run_tests.py":
        return toolreeve.PermissionResultAllow()
    return toolreeve.PermissionResultDeny("Only the project's tests may be run.")


def describe(event):
    """One line for an event; `None` for those that only matter to machines."""
    match event:
        case toolreeve.TurnStart(turn=turn):
            return f"-- turn {turn}"
        case toolreeve.ToolUse(id=id, name=name, input=input):
            return f"{id} asks for {name} {json.dumps(input)}"
        case toolreeve.ToolStart(id=id, while_streaming=while_streaming):
            return f"{id} starts {'while the model still streams' if while_streaming else 'after the stream'}"
        case toolreeve.Permission(id=id, decision=decision):
            return f"{id} {decision.behavior}: {decision.reason.message}"
        case toolreeve.ToolResult():
            first = event.text.splitlines()[:1]
            return f"{event.tool_use_id} {'failed' if event.is_error else 'done'}: {''.join(first)}"
        case toolreeve.ErrorEvent(kind=kind, message=message):
            return f"error {kind}: {message}"
        case toolreeve.Done(subtype=subtype, turns=turns):
            return f"-- {subtype} after {turns} turns"


async def main(recording, workspace, results_file=None):
    results = []
    async with toolreeve.Agent(
        recorded_model(recording),
        cwd=workspace,
        settings=recording / "settings.json",
        can_use_tool=person,
    ) as agent:
        start = time.monotonic()
        async for event in agent.run((recording / "prompt.txt").read_text().strip()):
            if line := describe(event):
                print(f"{time.monotonic() - start:7.3f} s  {line}", flush=True)
            if isinstance(event, toolreeve.ToolResult):
                result = {"tool_use_id": event.tool_use_id, "content": event.content}
                results.append(result | {"is_error": True} if event.is_error else result)
    print(f"\n{event.result}")
    if results_file is not None:
        results_file.write_text(json.dumps(results, indent=2, ensure_ascii=False), encoding="utf-8")
    return 0 if event.ok else f"the run ended with {event.subtype}"


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: fix_failing_test.py RECORDING WORKSPACE [RESULTS]")
    sys.exit(asyncio.run(main(*map(pathlib.Path, sys.argv[1:]))))
