"""Copies the demo's project into a folder: `prepare.py FOLDER`. The files get fixed times, one second apart in the
order of their names, so that tools which sort by time answer the same everywhere."""

import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
FIRST_TIME = 1_767_225_600  # 2026-01-01 00:00:00 UTC


def prepare(folder):
    """Makes `folder` a fresh copy of the project. What was in it is gone."""
    folder = pathlib.Path(folder)
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(HERE / "project", folder, ignore=shutil.ignore_patterns("__pycache__"))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for second, path in enumerate(files):
        os.utime(path, (FIRST_TIME + second, FIRST_TIME + second))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: prepare.py FOLDER")
    prepare(sys.argv[1])
