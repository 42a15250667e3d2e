"""A hook for the public contract: keeps what it reads, then answers as HOOK_STDOUT, HOOK_STDERR and HOOK_EXIT say."""

import json
import os
import sys

data = json.load(sys.stdin)
with open(os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "seen.jsonl"), "a", encoding="utf-8") as seen:
    seen.write(json.dumps(data) + "\n")
if os.environ.get("HOOK_STDOUT"):
    print(os.environ["HOOK_STDOUT"])
if os.environ.get("HOOK_STDERR"):
    print(os.environ["HOOK_STDERR"], file=sys.stderr)
sys.exit(int(os.environ["HOOK_EXIT"]))
