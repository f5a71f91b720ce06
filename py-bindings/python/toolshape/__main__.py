"""The command ``toolshape``: ``uvx toolshape -- <command>``, ``python -m toolshape -- <command>``."""

from __future__ import annotations

import signal
import sys

from ._toolshape import run_command


def main() -> None:
    """Runs the command line and exits with its code."""
    # The command hears Ctrl-C itself; the interpreter would add a traceback to it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run_command(["toolshape", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
