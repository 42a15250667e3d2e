#!/usr/bin/env node
// Changes the input: staging in place of production.

import { readFileSync } from "node:fs";

const { tool_input } = JSON.parse(readFileSync(0, "utf8"));
const text = tool_input.text.replace("production", "staging");
const hookSpecificOutput = { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput: { ...tool_input, text } };
console.log(JSON.stringify({ hookSpecificOutput }));
