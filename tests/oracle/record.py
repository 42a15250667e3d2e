"""Records what a real bash does with texts: the rows of tests/data/bash/observed.jsonl, which the Rust tests read.

   python record.py < texts    one JSON object {"id", "command", "why"} a line in, the same with "runs" and "writes" out
"""
import json
import sys

from oracle import Oracle
from soundness import usable

MASKS = (0, (1 << 64) - 1, 0x5555555555555555)


def main():
    oracle = Oracle("bash")
    for line in sys.stdin:
        row = json.loads(line)
        if not usable(row["command"]) or len(row["command"]) > 3000:
            continue
        result = oracle.explore(row["command"], masks=MASKS)
        if result.timeout or result.truncated:
            continue
        runs = []
        for run in result.commands():
            if run and run not in runs and all(usable(word) for word in run):
                runs.append(run)
        writes = sorted({path for path in result.writes if usable(path) and path != "/dev/null"})
        print(json.dumps({"id": row["id"], "command": row["command"], "why": row.get("why", ""), "runs": runs[:40], "writes": writes}))
    oracle.close()


if __name__ == "__main__":
    main()
