"""What some tests need of the machine, as ``cargo xtask test stores-python`` gives it: a Redis, a Node."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

#: Marks the tests that only run by that command.
needed = pytest.mark.machine


def given(name: str) -> str:
    """What the command reports about the machine."""
    value = os.environ.get(name)
    if not value:
        pytest.skip(f"{name} is not set: run these tests by `cargo xtask test stores-python`")
    return value


class Redis:
    """A Redis of the test's own, on loopback, that can be stopped, and started again at its place."""

    def __init__(self, *options: str) -> None:
        self._options = options
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = int(free.getsockname()[1])
        self.url = f"redis://127.0.0.1:{self._port}"
        self.start()

    def start(self) -> None:
        command = [given("TOOLSHAPE_REDIS_SERVER"), "--bind", "127.0.0.1", "--port", str(self._port)]
        command += ["--save", "", "--appendonly", "no", *self._options]
        self._server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and self._server.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", self._port), 1) as connection:
                    connection.sendall(b"PING\r\n")
                    if connection.recv(5) == b"+PONG":
                        return
            except OSError:
                time.sleep(0.02)
        raise AssertionError("redis-server does not answer")

    def hang(self) -> None:
        """It takes what is sent and says nothing, until ``go_on`` or ``stop``."""
        self._server.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._server.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self._server.kill()
        self._server.wait()


@contextmanager
def own_redis(*options: str) -> Iterator[Redis]:
    redis = Redis(*options)
    try:
        yield redis
    finally:
        redis.stop()


class Node:
    """A store of the npm package, in a process of its own."""

    def __init__(self, kind: str, where: str | Path) -> None:
        folder = given("TOOLSHAPE_NODE_STORES")
        command = ["node", f"{folder}/shared.mjs", kind, str(where)]
        self._node = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def get(self, key: str) -> str | None:
        answer: str | None = self._ask({"get": key})
        return answer

    def set(self, key: str, value: str) -> None:
        assert self._ask({"set": key, "value": value}) is None

    def end(self) -> None:
        self._node.communicate(timeout=20)
        assert self._node.returncode == 0

    def _ask(self, question: dict[str, str]) -> Any:
        assert self._node.stdin and self._node.stdout
        self._node.stdin.write(json.dumps(question).encode() + b"\n")
        self._node.stdin.flush()
        return json.loads(self._node.stdout.readline())


@contextmanager
def node_store(kind: str, where: str | Path) -> Iterator[Node]:
    node = Node(kind, where)
    try:
        yield node
    finally:
        node.end()
