#!/bin/sh
# A hook for the public contract: keeps what it reads, then answers as HOOK_STDOUT, HOOK_STDERR and HOOK_EXIT say.
cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"
if [ -n "$HOOK_STDOUT" ]; then printf '%s\n' "$HOOK_STDOUT"; fi
if [ -n "$HOOK_STDERR" ]; then printf '%s\n' "$HOOK_STDERR" >&2; fi
exit "$HOOK_EXIT"
