"""The programs in README.md are what a newcomer copies, so they run. (The Rust one runs as a documentation test.)"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import typing

import httpx
import toolreeve

ROOT = pathlib.Path(__file__).resolve().parents[2]


def block(language, at=0):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)[at]


def test_the_python_program(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(block("python"), encoding="utf-8")
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "Nothing to do.ask\n"), done.stderr


STREAM = b"""event: message_start
data: {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}

data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}

data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello."}}

data: {"type": "content_block_stop", "index": 0}

data: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}

data: {"type": "message_stop"}

"""


def test_the_call_of_a_model(monkeypatch):
    asked = []

    def answer(request):
        asked.append(request)
        return httpx.Response(200, content=STREAM, headers={"content-type": "text/event-stream"})

    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    client = functools.partial(httpx.AsyncClient, transport=httpx.MockTransport(answer))
    program = {}
    exec(block("python", 1), program)
    monkeypatch.setattr(httpx, "AsyncClient", client)
    with toolreeve.Agent(program["model"], system="Be brief.") as agent:
        assert agent.query_sync("Hi").result == "Hello."
    body = json.loads(asked[0].content)
    assert asked[0].headers["x-api-key"] == "key"
    assert body["stream"] is True and body["system"] == "Be brief."
    assert body["messages"][0]["role"] == "user" and any(tool["name"] == "Bash" for tool in body["tools"])


def test_the_list_of_events():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = re.search(r"^A run gives (.*?):$", text, re.DOTALL | re.MULTILINE).group(1)
    known = {each.__name__ for each in typing.get_args(toolreeve.Event)} - {"UnknownEvent"}
    assert set(re.findall(r"`(\w+)`", listed)) == known


def test_the_c_program(tmp_path):
    program = tmp_path / "program.c"
    program.write_text(block("c"), encoding="utf-8")
    environment = dict(os.environ)
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "toolreeve"], env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    library = subprocess.run(
        ["pkg-config", "--variable=libdir", "toolreeve"], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()
    compiler = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", str(program), *flags, f"-Wl,-rpath,{library}"]
    subprocess.run([*compiler, "-o", str(tmp_path / "program")], check=True)
    done = subprocess.run([tmp_path / "program"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert '"result":"Hello."' in done.stdout, done.stdout
