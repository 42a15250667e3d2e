"""Writes the recorded turns, `turn-1.sse` and so on: one answer of a model each, in the exact form in which the
Anthropic Messages API streams it. Run it after changing what the model says here; `--check` only compares.

The inputs of the tools are cut into pieces at odd places (inside keys, numbers and words), as a real stream cuts them.
"""

import itertools
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
PIECES = (3, 1, 11, 6, 2, 17, 5, 9, 4)

TURNS = [
    [
        ("thinking", "A test fails. First I need to see which files there are and where discounts are handled."),
        ("text", "I will look at the project and search for the discount."),
        ("Grep", {"pattern": "THRESHOLD|discount_for", "output_mode": "content", "-n": True}),
        ("Glob", {"pattern": "**/*.py"}),
    ],
    [
        ("text", "The rule lives in one file. I will read it together with its test and its caller."),
        ("Read", {"file_path": "shop/discount.py"}),
        ("Read", {"file_path": "tests/test_discount.py"}),
        ("Read", {"file_path": "shop/receipt.py"}),
    ],
    [
        ("thinking", "The test wants a discount at the threshold itself; the code only starts above it."),
        ("text", "Let me see the failure itself before I change anything."),
        ("Bash", {"command": "python3 run_tests.py", "description": "Run the tests", "timeout": 60000}),
    ],
    [
        ("text", "As expected: “at least 50.00” was written as “more than”. I will fix that and push it."),
        (
            "Edit",
            {
                "file_path": "shop/discount.py",
                "old_string": "    if subtotal > THRESHOLD:\n",
                "new_string": "    if subtotal >= THRESHOLD:\n",
            },
        ),
        ("Bash", {"command": "git push origin main", "description": "Push the fix"}),
    ],
    [
        ("text", "Pushing is not allowed here, so that is left to you. I will run the tests again."),
        ("Bash", {"command": "python3 run_tests.py", "description": "Run the tests", "timeout": 60000}),
    ],
    [
        (
            "text",
            "All 11 tests pass now. The discount is documented to start at 50.00, but `discount_for` only started "
            "above it: I changed `>` to `>=` in `shop/discount.py`. I could not push: this project forbids `git push`.",
        ),
    ],
]


def pieces(text):
    """Cuts a text; the pieces joined are the text again."""
    start = 0
    for length in itertools.cycle(PIECES):
        if start >= len(text):
            return
        yield text[start : start + length]
        start += length


def words(text):
    """Cuts prose the way models write it: a few words at a time."""
    parts = text.split(" ")
    for start in range(0, len(parts), 4):
        yield " " * (start > 0) + " ".join(parts[start : start + 4])


def block_events(index, kind, body, tool_id):
    if kind == "text":
        start = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in words(body)]
    elif kind == "thinking":
        start = {"type": "thinking", "thinking": "", "signature": ""}
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in words(body)]
        deltas.append({"type": "signature_delta", "signature": "cmVjb3JkZWQ="})
    else:
        start = {"type": "tool_use", "id": tool_id, "name": kind, "input": {}}
        text = json.dumps(body, ensure_ascii=False)
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces(text)]]
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def turn_events(number, blocks):
    usage = {
        "input_tokens": 400 + 350 * number,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 1,
    }
    yield {
        "type": "message_start",
        "message": {
            "id": f"msg_demo_{number:02d}",
            "type": "message",
            "role": "assistant",
            "model": "recorded",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        },
    }
    uses_tools = False
    for index, (kind, body) in enumerate(blocks):
        for event in block_events(index, kind, body, f"toolu_demo_{number:02d}_{index}"):
            yield event
            if index == 0 and event["type"] == "content_block_start":
                yield {"type": "ping"}
        uses_tools = uses_tools or kind not in ("text", "thinking")
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use" if uses_tools else "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 60 + 30 * len(blocks)},
    }
    yield {"type": "message_stop"}


def turn_bytes(number, blocks):
    """One turn as it comes over the wire."""
    lines = []
    for event in turn_events(number, blocks):
        data = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        lines.append(f"event: {event['type']}\ndata: {data}\n\n")
    return "".join(lines).encode()


def main():
    stale = []
    for number, blocks in enumerate(TURNS, start=1):
        path = HERE / f"turn-{number}.sse"
        wanted = turn_bytes(number, blocks)
        if sys.argv[1:] == ["--check"]:
            if not path.exists() or path.read_bytes() != wanted:
                stale.append(path.name)
        else:
            path.write_bytes(wanted)
    if stale:
        sys.exit(f"not what record.py writes: {', '.join(stale)}")


if __name__ == "__main__":
    main()
