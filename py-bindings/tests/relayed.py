"""Conversations of ``vectors/relay.json`` through the command of the package, which is a process before another."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import tempfile
from pathlib import Path

import vectors
from vectors import Case

# Writes what it reads to one pipe, and writes out what it reads from another.
SERVER = """
import os, sys, threading
read, orders = os.open(sys.argv[1], os.O_WRONLY), open(sys.argv[2], "rb")
def pass_on():
    for line in sys.stdin.buffer:
        while line:
            line = line[os.write(read, line):]
threading.Thread(target=pass_on, daemon=True).start()
for line in orders:
    if line.startswith(b"exit "):
        os._exit(int(line[5:]))
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
"""
COUNTS = re.compile(rb'"(tokensAfter|bytes)":\d+')
# What a later line of a client can name.
NAMED = {
    "${cursor}": re.compile(r'nextCursor\\*":\\*"([^"\\]+)'),
    "${handle}": re.compile("toolshape://result/([a-z]{16})"),
}


class Side:
    """Lines from a pipe, each of which has to come within some seconds."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._bytes = b""

    def line(self) -> bytes:
        while b"\n" not in self._bytes:
            ready, _, _ = select.select([self._fd], [], [], 20)
            part = os.read(self._fd, 1 << 16) if ready else b""
            assert part, f"no line came; there is {self._bytes!r}"
            self._bytes += part
        line, _, self._bytes = self._bytes.partition(b"\n")
        return line


def written(fd: int, line: str) -> None:
    rest = line.encode() + b"\n"
    while rest:
        rest = rest[os.write(fd, rest) :]


def expected(effect: dict[str, object], line: str) -> tuple[str, str] | None:
    """The side that an effect is for, and the line that it gets."""
    if "toServer" in effect:
        return "server", str(effect["toServer"])
    if "toClient" not in effect:
        return None
    line = str(effect["toClient"])
    texts = effect.get("texts", [])
    assert isinstance(texts, list)
    for at, text in enumerate(texts):
        line = line.replace(f'"⟨{at}⟩"', json.dumps(text, ensure_ascii=False))
    return "client", line


def run(case: Case) -> None:
    """Runs a case and compares what each side gets."""
    with tempfile.TemporaryDirectory() as folder:
        read, reply, config = (str(Path(folder, name)) for name in ("read", "orders", "toolshape.json"))
        os.mkfifo(read)
        os.mkfifo(reply)
        options = {**(case.get("policy") or {}), "store": case.get("store", True)}
        options["resultArguments"] = case.get("resultArguments", [])
        Path(config).write_text(json.dumps(options))
        ends = [os.open(path, os.O_RDWR) for path in (read, reply)]
        command = [
            sys.executable,
            "-m",
            "toolshape",
            "--config",
            config,
            "--",
            sys.executable,
            "-c",
            SERVER,
            read,
            reply,
        ]
        running = subprocess.Popen(command, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL)
        try:
            converse(case, running, *ends)
        finally:
            running.kill()
            running.communicate()
            for end in ends:
                os.close(end)


def converse(case: Case, running: subprocess.Popen[bytes], read: int, reply: int) -> None:
    assert running.stdin is not None and running.stdout is not None
    sides = {"client": Side(running.stdout.fileno()), "server": Side(read)}
    names: dict[str, str] = {}
    for step, effects in zip(case["steps"], case["expect"]["effects"]):
        [(side, given)] = step.items()
        line = vectors.spelled_out(given)
        for hole, name in names.items():
            line = line.replace(hole, name)
        if side == "client":
            written(running.stdin.fileno(), line)
        elif side == "server":
            written(reply, line)
        elif effects:
            written(reply, "exit 3")
        for effect in effects:
            other = "client" if side == "server" else "server"
            wanted = (other, line) if effect == "pass" else None
            if isinstance(effect, dict):
                wanted = expected(effect, line)
            if wanted is not None:
                found = sides[wanted[0]].line()
                assert COUNTS.sub(rb'"\1":0', found).decode() == wanted[1]
                if wanted[0] == "client" and effect != "pass":
                    text = found.decode()
                    names.update({hole: seen[1] for hole, pattern in NAMED.items() if (seen := pattern.search(text))})
