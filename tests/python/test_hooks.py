"""Hooks that settings declare, run as programs, as far as Python has a part in it: rows of the public table."""

import json
import pathlib

import pytest

import toolreeve
from support import agent, message, use

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = [json.loads(line) for line in (ROOT / "tests/data/hooks/rows.jsonl").read_text(encoding="utf-8").splitlines()]
KNOWN = {"name", "event", "exit", "stdout", "stderr", "matcher", "result", "denied", "failure", "read", "told", "runs"}


def simple(row):
    """Rows about one call that need nothing but a hook before or after it."""
    return row["event"] in ("PreToolUse", "PostToolUse", "UserPromptSubmit") and set(row) <= KNOWN


@pytest.mark.parametrize("row", [row for row in ROWS if simple(row)], ids=lambda row: row["name"])
def test_rows(row, tmp_path):
    script = f"sh '{ROOT / 'tests/hooks/answer.sh'}'"
    group = {"hooks": [{"type": "command", "command": script}]}
    if "matcher" in row:
        group["matcher"] = row["matcher"]
    env = {"HOOK_EXIT": str(row["exit"]), "HOOK_STDOUT": row.get("stdout", ""), "HOOK_STDERR": row.get("stderr", "")}

    def Work(text: str) -> str:
        return f"worked: {text}"

    settings = {"hooks": {row["event"]: [group]}}
    it = agent(message(use("t1", "Work", {"text": "hi"})), tools=[Work], settings=settings, env=env, cwd=tmp_path)
    events = list(it.run_sync("go"))
    [result] = [event for event in events if event.type == "tool_result"]
    if "result" in row:
        assert (result.content, result.is_error) == (row["result"], False)
    if "denied" in row:
        assert result.is_error and row["denied"] in result.content
    failures = [event.message for event in events if event.type == "error"]
    assert len(failures) == ("failure" in row) and row.get("failure", "") in "".join(failures)
    told = [event.message for event in events if event.type == "hook_message"]
    assert told == ([row["told"]] if "told" in row else [])
    text = json.dumps(it.messages, ensure_ascii=False)
    assert all(part in text for part in row.get("read", []))


def test_enough_rows_are_simple():
    assert sum(map(simple, ROWS)) >= 30


def test_a_misspelt_event_is_reported_and_the_others_run():
    hook = {"type": "command", "command": "echo no >&2; exit 2"}
    settings = {"hooks": {"PreTooluse": [{"hooks": [hook]}], "UserPromptSubmit": [{"hooks": [hook]}]}}
    events = list(toolreeve.Agent(settings=settings).run_sync("go"))
    [error] = [event for event in events if event.type == "error"]
    assert error.message == "hooks.PreTooluse: there is no such event; did you mean PreToolUse?"
    assert (events[-1].subtype, events[-1].result) == ("stopped_by_hook", "no")


def test_hooks_hear_of_the_end_of_a_session(tmp_path):
    hook = {"type": "command", "command": "cat > ended.json"}
    with agent(settings={"hooks": {"SessionEnd": [{"hooks": [hook]}]}}, cwd=tmp_path, session_id="s1") as it:
        it.query_sync("go")
    ended = json.loads((tmp_path / "ended.json").read_text())
    assert (ended["hook_event_name"], ended["reason"], ended["session_id"]) == ("SessionEnd", "other", "s1")


def test_a_prompt_hook_asks_the_model_of_the_agent():
    hook = {"type": "prompt", "prompt": "Is this fine? $ARGUMENTS"}
    settings = {"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}}
    verdict = message('{"ok": false, "reason": "it is not"}')
    it = agent(verdict, settings=settings)
    done = it.query_sync("go on")
    assert (done.subtype, done.result) == ("stopped_by_hook", "it is not")
    [request] = it._dispatcher._model.requests
    assert "go on" in request.messages[0]["content"][0]["text"] and not request.tools


TERMINAL = """
import os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
from support import agent
hook = {"type": "command", "command": "if read answer < /dev/tty; then echo heard; else echo nobody; fi >&2; exit 2"}
exec_form = {"type": "command", "command": "cat", "args": ["/dev/tty"]}
for each in (hook, exec_form):
    done = agent(settings={"hooks": {"UserPromptSubmit": [{"hooks": [each]}]}}).query_sync("go")
    print("end:", done.subtype, done.result.splitlines()[-1])
"""


def test_a_hook_that_asks_the_terminal_fails_instead_of_waiting():
    import os
    import pty
    import sys

    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", TERMINAL, __file__])
    output = b""
    try:
        while piece := os.read(terminal, 4096):
            output += piece
    except OSError:
        pass  # the other end is gone
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, output
    ends = [line.strip() for line in output.decode().splitlines() if line.startswith("end:")]
    assert ends == ["end: stopped_by_hook nobody", "end: success done"]
