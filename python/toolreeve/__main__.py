"""The `toolreeve` command."""

from __future__ import annotations

import signal
import sys

from ._toolreeve import main as native_main


def main() -> int:
    """Runs the command with the arguments of the process; returns the exit code."""
    # The work happens outside of the interpreter, which would only note Ctrl-C for later.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return native_main(["toolreeve", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
