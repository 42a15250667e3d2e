"""Fuzzes the analyzer against a real shell: whatever it calls simple must list all that the shell does.

   python soundness.py SECONDS SEED [SHELL]     random texts, minimised counter-examples; exit status 1 if there is any
   python soundness.py --rows FILE...           texts of data rows (JSON lines) or of plain files, one a line
   python soundness.py --count N SEED [SHELL]   as many texts as given, for a run that repeats
"""
import collections
import json
import random
import re
import sys
import time

import os

from analyzer import ROOT, Analyzer, is_simple, violations
from generate import gen, mutate
from oracle import Oracle

ROWS = ("lexing", "attacks", "benign")
# Our names of shells for what the analyzer knows.
SHELLS = {"bash": "bash", "zsh": "zsh"}


def usable(command):
    return "\0" not in command and not any(0xD800 <= ord(ch) < 0xE000 for ch in command)


def row_commands(path):
    with open(path, encoding="utf-8") as lines:
        if path.endswith(".jsonl"):
            return [json.loads(line)["command"] for line in lines if line.strip()]
        return [line.rstrip("\n") for line in lines]


class Fuzzer:
    def __init__(self, seed, shell):
        self.oracle = Oracle(shell)
        self.analyzer = Analyzer(SHELLS.get(shell, "sh"))
        self.random = random.Random(seed)
        self.counts = collections.Counter()
        self.found = {}
        data = os.path.join(ROOT, "tests", "data", "bash")
        self.corpus = [c for name in ROWS for c in row_commands(os.path.join(data, name + ".jsonl")) if len(c) < 300]

    def texts(self, count):
        texts = []
        while len(texts) < count:
            fresh = self.random.random() < 0.7
            text = gen(self.random) if fresh else mutate(self.random, self.random.choice(self.corpus))
            if usable(text):
                texts.append(text)
        return texts

    def judge(self, command, analysis, thorough=False):
        """None where the text is not simple, else what is not listed."""
        if not is_simple(analysis):
            return None
        if thorough:
            return violations(analysis, self.oracle.explore(command))
        mask = self.random.getrandbits(64) if self.random.random() < 0.7 else 0
        return violations(analysis, self.oracle.run(command, mask, self.random.choice(["", "id\n"])))

    def minimise(self, command, kind):
        size, budget = max(1, len(command) // 2), 250
        while size >= 1 and budget > 0:
            at, changed = 0, False
            while at < len(command) and budget > 0:
                shorter = command[:at] + command[at + size:]
                budget -= 1
                wrong = self.judge(shorter, self.analyzer.one(shorter), True) if shorter else None
                if wrong and any(found == kind for found, _ in wrong):
                    command, changed = shorter, True
                else:
                    at += size
            if not changed:
                size //= 2
        return command

    def round(self, count):
        texts = self.texts(count)
        for command, analysis in zip(texts, self.analyzer.batch(texts)):
            self.counts["texts"] += 1
            wrong = self.judge(command, analysis)
            if wrong is None:
                continue
            self.counts["simple"] += 1
            if wrong:
                self.counts["unsound"] += 1
                if len(self.found) < 60:
                    short = self.minimise(command, wrong[0][0])
                    shape = re.sub(r"[a-zA-Z0-9]+", "w", short)
                    self.found.setdefault((wrong[0][0], shape), (short, wrong[:2], command))

    def report(self):
        print(json.dumps(dict(self.counts)))
        for (kind, _), (short, wrong, command) in self.found.items():
            print(kind, repr(short), wrong, "from", repr(command))
        self.oracle.close()
        return 1 if self.counts["unsound"] else 0


def check_rows(paths):
    oracle, analyzer, status = Oracle("bash"), Analyzer("bash"), 0
    for path in paths:
        counts = collections.Counter()
        commands = [c for c in row_commands(path) if usable(c) and len(c) < 4000]
        for command, analysis in zip(commands, analyzer.batch(commands)):
            if not is_simple(analysis):
                counts["not simple"] += 1
                continue
            wrong = violations(analysis, oracle.explore(command))
            counts["unsound" if wrong else "sound"] += 1
            if wrong:
                status = 1
                print(repr(command), wrong[:3])
        print(os.path.basename(path), dict(counts))
    oracle.close()
    return status


def main(arguments):
    if arguments[:1] == ["--rows"]:
        return check_rows(arguments[1:])
    by_count = arguments[:1] == ["--count"]
    if by_count:
        arguments = arguments[1:]
    amount, seed = float(arguments[0]), int(arguments[1])
    fuzzer = Fuzzer(seed, arguments[2] if len(arguments) > 2 else "bash")
    start = time.monotonic()
    while (fuzzer.counts["texts"] if by_count else time.monotonic() - start) < amount:
        fuzzer.round(400)
    return fuzzer.report()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
