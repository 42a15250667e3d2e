"""The demo gives the same results in Rust, Python, C and C++, and they are the recorded ones.

`TOOLREEVE_BLESS=1` records them anew.
"""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = ROOT / "examples" / "fix_failing_test"
EXPECTED = DEMO / "expected_results.json"
BUILT = pathlib.Path(os.environ.get("TOOLREEVE_EXAMPLES", ROOT / ".test" / "examples"))
COMMANDS = {
    "rust": [BUILT / "rust" / "fix_failing_test"],
    "python": [sys.executable, ROOT / "examples" / "fix_failing_test.py"],
    "c": [BUILT / "c" / "fix_failing_test"],
    "cpp": [BUILT / "cpp" / "fix_failing_test"],
}

sys.path.insert(0, str(DEMO))
from prepare import prepare  # noqa: E402


def run(language, tmp_path):
    """Runs the example in a fresh copy of the project; gives its results with the copy's path taken out."""
    workspace = tmp_path / "project"
    prepare(workspace)
    results = tmp_path / "results.json"
    command = [*map(str, COMMANDS[language]), str(DEMO), str(workspace), str(results)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{language}:\n{done.stdout}\n{done.stderr}"
    text = results.read_text(encoding="utf-8").replace(str(workspace.resolve()), "$WORKSPACE")
    return json.loads(text), workspace


@pytest.mark.parametrize("language", COMMANDS)
def test_every_language_gives_the_recorded_results(language, tmp_path):
    found, workspace = run(language, tmp_path)
    if os.environ.get("TOOLREEVE_BLESS") and language == "rust":
        EXPECTED.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    assert found == json.loads(EXPECTED.read_text(encoding="utf-8"))
    tests = subprocess.run([sys.executable, "run_tests.py"], cwd=workspace, capture_output=True, text=True)
    assert tests.stdout.splitlines()[-1] == "11 of 11 tests passed"


def test_the_project_fails_before_it_is_fixed(tmp_path):
    prepare(tmp_path / "project")
    tests = subprocess.run(
        [sys.executable, "run_tests.py"], cwd=tmp_path / "project", capture_output=True, text=True
    )
    assert tests.returncode == 1
    assert tests.stdout.splitlines()[-1] == "10 of 11 tests passed"


def test_the_recorded_results_tell_the_whole_story():
    results = json.loads(EXPECTED.read_text(encoding="utf-8"))
    by_id = {result["tool_use_id"]: result for result in results}
    order = ["01_2", "01_3", "02_1", "02_2", "02_3", "03_2", "04_1", "04_2", "05_1"]
    assert [result["tool_use_id"] for result in results] == [f"toolu_demo_{id}" for id in order]
    errors = {id for id in order if by_id[f"toolu_demo_{id}"].get("is_error")}
    assert errors == {"03_2", "04_2"}, "the failing test run and the denied push"
    assert "10 of 11 tests passed" in by_id["toolu_demo_03_2"]["content"]
    assert "11 of 11 tests passed" in by_id["toolu_demo_05_1"]["content"]
