"""Runs what is measured, each in a process of its own, and keeps what was found."""

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path


def child(*arguments):
    """What a process of Python prints as JSON."""
    answer = subprocess.run([sys.executable, *map(str, arguments)], check=True, stdout=subprocess.PIPE)
    return json.loads(answer.stdout)


def recorder(face, found, file):
    """Gives a step of a face, after which what was ``found`` by then is written, and how long it took is printed."""

    @contextmanager
    def step(name):
        start = time.monotonic()
        yield
        # What was found so far is not lost with what comes after.
        Path(file).write_text(json.dumps(found) + "\n")
        print(f"  {face}: {name}, {time.monotonic() - start:.1f} s", flush=True)

    return step
