"""What a Python tool costs: CPU of the whole process, all threads, per no-op call, from the bytes of the model's stream to
the typed event of the result. The calls of a turn run side by side. No time on the clock is measured, only CPU.

usage: python_tool.py [--calls 10] [--turns 200] [--rounds 7]
"""

import argparse
import asyncio
import json
import statistics
import time

import toolreeve

TURNS_PER_CONVERSATION = 5  # so that the growing conversation is not what is measured


def sse(events):
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def answer(turn, name, calls):
    """One answer of the model as it comes over the wire."""
    events = [{"type": "message_start", "message": {"id": f"m{turn}", "usage": {"input_tokens": 1}}}]
    for index in range(calls):
        block = {"type": "tool_use", "id": f"toolu_{turn}_{index}", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps({"n": index})}
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    if not calls:
        events.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "done"}})
        events.append({"type": "content_block_stop", "index": 0})
    reason = "tool_use" if calls else "end_turn"
    events.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}})
    events.append({"type": "message_stop"})
    return sse(events)


@toolreeve.tool(read_only=True, concurrency_safe=True)
async def coroutine(n: int):
    return "ok"


@toolreeve.tool(read_only=True, concurrency_safe=True)
def plain(n: int):
    return "ok"


async def measure(tool, calls, turns):
    """CPU in microseconds per turn of `calls` calls."""
    answers = [answer(turn, tool.name, calls) for turn in range(TURNS_PER_CONVERSATION)] + [answer(-1, tool.name, 0)]
    spent = results = 0
    for _ in range(turns // TURNS_PER_CONVERSATION):
        left = iter(answers)

        async def model(request):
            yield next(left)

        async with toolreeve.Agent(model, tools=[tool], allow=[tool.name], built_in_tools=False) as agent:
            await agent.check(tool.name, {"n": 1})
            start = time.process_time()
            async for event in agent.run("go"):
                if type(event) is toolreeve.ToolResult and event.content == "ok":
                    results += 1
            spent += time.process_time() - start
    assert results == turns * calls
    return spent / turns * 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=10)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    for tool in (coroutine, plain):
        whole, marginal = [], []
        for _ in range(options.rounds):
            few = asyncio.run(measure(tool, 1, options.turns))
            many = asyncio.run(measure(tool, options.calls, options.turns))
            whole.append(many / options.calls)
            marginal.append((many - few) / (options.calls - 1))
        print(
            f"{tool.name:9}  {statistics.median(whole):6.1f} us CPU per call in turns of {options.calls}"
            f" (best {min(whole):.1f}), {statistics.median(marginal):6.1f} us for one call more (best {min(marginal):.1f})"
        )


if __name__ == "__main__":
    main()
