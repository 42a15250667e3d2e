"""The programs in README.md are what a newcomer copies, so they run. (The Rust one runs as a documentation test.)"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def block(language):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL).group(1)


def test_the_python_program(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(block("python"), encoding="utf-8")
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "Nothing to do.ask\n"), done.stderr


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
