#!/usr/bin/env python3
"""Decides with JSON: denies what mentions production, asks about staging, lets the rest be."""

import json
import sys

text = json.load(sys.stdin)["tool_input"].get("text", "")
decision = {"production": "deny", "staging": "ask"}.get(text)
if decision:
    output = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": f"this is {text}"}
    print(json.dumps({"hookSpecificOutput": output}))
