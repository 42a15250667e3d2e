// A hook for the public contract: keeps what it reads, then answers as HOOK_STDOUT, HOOK_STDERR and HOOK_EXIT say.

import { appendFileSync } from "node:fs";
import { join } from "node:path";

let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => { text += chunk; });
process.stdin.on("end", () => {
  const { CLAUDE_PROJECT_DIR, HOOK_STDOUT, HOOK_STDERR, HOOK_EXIT } = process.env;
  appendFileSync(join(CLAUDE_PROJECT_DIR, "seen.jsonl"), JSON.stringify(JSON.parse(text)) + "\n");
  if (HOOK_STDOUT) console.log(HOOK_STDOUT);
  if (HOOK_STDERR) console.error(HOOK_STDERR);
  process.exitCode = Number(HOOK_EXIT);
});
