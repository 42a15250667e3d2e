"""The rows about bash give the same verdicts to Node, through the program as a child process."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "bash"
EXAMPLE = ROOT / "examples" / "vectors.mjs"
PROGRAM = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "toolreeve"


def vectors(program, *files):
    command = ["node", EXAMPLE, program, *files]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", ["attacks", "benign", "losses"])
def test_rows_are_as_expected(name):
    file = DATA / f"{name}.jsonl"
    count = len(file.read_text(encoding="utf-8").splitlines())
    done = vectors(PROGRAM, file)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout == f"{count} of {count} rows are as expected\n"


def test_a_wrong_row_and_a_missing_program_are_seen(tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "x", "command": "rm -rf /", "shell": "bash", "cwd": "/p", "expect": "allow"}\n', encoding="utf-8")
    done = vectors(PROGRAM, rows)
    assert done.returncode == 1 and done.stdout.startswith("x: ask"), done.stdout
    assert vectors(tmp_path / "none", rows).returncode == 70
