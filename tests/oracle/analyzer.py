"""The analyzer under test, as a child process: the `judge` example of core/shell, one JSON text in and one analysis out."""
import json
import os
import subprocess
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def judge_path():
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    return os.environ.get("TOOLREEVE_JUDGE", os.path.join(target, "debug", "examples", "judge"))


class Analyzer:
    """Answers for batches of texts; `shell` is what `Shell` of the crate is called."""

    def __init__(self, shell="bash"):
        self.child = subprocess.Popen([judge_path(), shell], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def batch(self, commands):
        data = b"".join((json.dumps(command) + "\n").encode() for command in commands)

        def feed():
            self.child.stdin.write(data)
            self.child.stdin.flush()

        feeder = threading.Thread(target=feed)
        feeder.start()
        answers = [json.loads(self.child.stdout.readline()) for _ in commands]
        feeder.join()
        return answers

    def one(self, command):
        return self.batch([command])[0]


def is_simple(analysis):
    return analysis["outcome"]["kind"] == "simple"


def covers(listed, run):
    """Whether listed words may become these arguments; None stands for any number of words."""
    if not listed:
        return not run
    if listed[0] is None:
        return any(covers(listed[1:], run[taken:]) for taken in range(len(run) + 1))
    return bool(run) and listed[0] == run[0] and covers(listed[1:], run[1:])


def listed_commands(analysis):
    found = []
    for command in analysis["commands"]:
        words = [word if isinstance(word, str) else None for word in command["argv"]]
        found.append(words)
        # `command x` and `builtin x` run x as well.
        while words and words[0] in ("command", "builtin"):
            words = words[1:]
            while words and words[0] == "--":
                words = words[1:]
            found.append(words)
    return found


def violations(analysis, result):
    """What the shell did and the analysis does not list: (kind, what)."""
    wrong = []
    listed = listed_commands(analysis)
    for run in result.commands():
        if not any(covers(words, run) for words in listed):
            wrong.append(("run", run))
    reads, writes, names = set(), set(), set()
    for command in analysis["commands"]:
        names.update(assignment["name"] for assignment in command["env"])
        if command["argv"] and command["argv"][0] == "export":
            names.update(word.split("=")[0] for word in command["argv"] if isinstance(word, str))
        for redirect in command["redirects"]:
            target = redirect["target"] if isinstance(redirect["target"], str) else None
            if redirect["op"] in ("<", "<>"):
                reads.add(target)
            if redirect["op"] not in ("<", "<&", ">&", "<<", "<<<"):
                writes.add(target)
    for kind, seen, known in (("write", result.writes, writes), ("read", result.reads, reads)):
        wrong += [(kind, path) for path in seen if path not in known and None not in known and path != "/dev/null"]
    wrong += [("net", where) for where in result.net]
    for kind, what in result.events:
        if kind == "E" and not any(any(name in str(part) for part in what) for name in names):
            wrong.append(("env", what))
    return wrong
