// Judges the rows of tests/data/bash from Node: `toolreeve check --jsonl` runs as a child process, one JSON request a line
// in, one JSON answer a line out. Needs Node 18 or newer and nothing else.
//
// Usage: node vectors.mjs TOOLREEVE ROWS.jsonl…   (exit status 0: every row is as expected; 1: some are not)
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { argv, exit } from "node:process";

const [program, ...files] = argv.slice(2);
if (!program || files.length === 0) {
  console.error("usage: node vectors.mjs TOOLREEVE ROWS.jsonl...");
  exit(64);
}

const rows = files.flatMap((file) => readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)));
const child = spawn(program, ["check", "--jsonl", "--fail-on", "never"], { stdio: ["pipe", "pipe", "inherit"] });
child.on("error", (error) => {
  console.error(`${program} cannot be run: ${error.message}`);
  exit(70);
});
child.stdin.on("error", () => {}); // A child that ended early is seen by its status and the missing answers.
for (const { id, command, shell, cwd, rules, mode, home = "/home/u" } of rows) {
  // JSON.stringify leaves out what is undefined.
  child.stdin.write(JSON.stringify({ id, command, shell, cwd, home, rules, mode }) + "\n");
}
child.stdin.end();

const answers = new Map();
const ended = new Promise((resolve) => child.on("close", resolve));
for await (const line of createInterface({ input: child.stdout })) {
  const answer = JSON.parse(line);
  answers.set(answer.id, answer);
}
const status = await ended;

// What is no answer at all counts as wrong: a check that failed must never look like one that passed.
const right = (row, behavior) => {
  if (behavior === undefined) return false;
  if (row.must_not !== undefined) return behavior !== row.must_not;
  return behavior === (row.must ?? row.expect) || row.contested === true;
};
const wrong = rows.filter((row) => !right(row, answers.get(row.id)?.behavior));
for (const row of wrong) {
  const answer = answers.get(row.id);
  console.log(`${row.id}: ${answer?.behavior ?? "no answer"} (${answer?.reason?.message ?? ""}): ${row.command}`);
}
console.log(`${rows.length - wrong.length} of ${rows.length} rows are as expected`);
exit(status === 0 && wrong.length === 0 ? 0 : 1);
