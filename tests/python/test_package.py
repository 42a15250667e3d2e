"""The package itself: what it imports, its command, its documentation."""

import doctest
import importlib
import json
import pkgutil
import subprocess
import sys

import pytest
from support import python

import toolreeve

MODULES = [module.name for module in pkgutil.iter_modules(toolreeve.__path__)]


@pytest.mark.parametrize("name", [name for name in MODULES if name not in ("_toolreeve", "__main__")])
def test_what_docstrings_show_is_so(name):
    module = importlib.import_module(f"toolreeve.{name}")
    failed, _ = doctest.testmod(module)
    assert failed == 0


def test_what_the_package_shows_is_so():
    assert doctest.testmod(toolreeve).failed == 0


def test_everything_that_is_named_is_there():
    for name in toolreeve.__all__:
        assert getattr(toolreeve, name) is not None
    assert set(toolreeve.__all__) <= set(dir(toolreeve))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        toolreeve.nothing


def test_importing_is_cheap():
    code = """
import sys
before = set(sys.modules)
import toolreeve
toolreeve.check({"command": "ls"})
heavy = {"asyncio", "dataclasses", "inspect", "json", "pydantic", "anthropic", "openai", "logging"}
print(sorted(heavy & (set(sys.modules) - before)))
import os
print(len(os.listdir("/proc/self/task")))
toolreeve.Agent
print("pydantic" in sys.modules)
"""
    assert python(code).stdout.split("\n")[:3] == ["[]", "1", "False"]


def test_errors_are_one_tree():
    for error in (toolreeve.ConfigError, toolreeve.InternalError, toolreeve.ToolError):
        assert issubclass(error, toolreeve.Error) and issubclass(error, Exception)
        assert isinstance(error("x").kind, str) and str(error("x")) == "x"


def command(*args, **options):
    return subprocess.run(
        [sys.executable, "-m", "toolreeve", *args], capture_output=True, text=True, timeout=60, **options
    )


def test_the_command():
    done = command("--version")
    assert (done.returncode, done.stdout) == (0, f"toolreeve {toolreeve.__version__}\n")
    assert command("nonsense").returncode == 64


def test_the_command_judges_as_the_function_does():
    lines = '{"command": "ls", "id": 1}\nnonsense\n{"command": "rm -rf /"}\n'
    done = command("check", "--jsonl", input=lines)
    assert done.stdout.splitlines() == [toolreeve.check_json(line) for line in lines.splitlines()]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["ls"], 0),
        (["git push"], 1),
        (["--deny", "Bash(git push:*)", "git push"], 2),
        (["git", "push"], 64),
        ([b"ls \xff"], 65),
    ],
)
def test_the_verdict_is_the_exit_code(args, code):
    done = subprocess.run([sys.executable, "-m", "toolreeve", "check", *args], capture_output=True, timeout=60)
    assert done.returncode == code, done


def test_one_command_is_judged_as_the_function_does(tmp_path):
    done = command("check", "--format", "json", "-C", str(tmp_path), "--home", "/home/u", "npm test")
    request = {"command": "npm test", "cwd": str(tmp_path), "home": "/home/u"}
    assert json.loads(done.stdout) == toolreeve.check(request)


def test_the_hook_answers_and_blocks():
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}}
    done = command("hook", "--no-settings", input=json.dumps(call))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "ask"
    done = command("hook", input="nonsense")
    assert (done.returncode, done.stdout) == (2, "")


def test_the_script_is_the_same_command():
    from importlib.metadata import entry_points

    [script] = [each for each in entry_points(group="console_scripts") if each.name == "toolreeve"]
    assert script.value == "toolreeve.__main__:main"
