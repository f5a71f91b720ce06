"""Causes each fault in each store of Python, and counts: calls, answers that were right, handles that were given, and what
became of them. Nothing may be lost: each call has a right answer, and each handle opens the whole result, unless the fault
itself destroyed it; then it opens nothing.

``python faults.py [rounds]`` prints a table; ``python faults.py --calls KIND WHERE COUNT FROM`` makes calls in a process of
its own, for the faults of writers.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any
from unittest import mock

import disks
import fsspec
import machine
import pytest
from key_value.aio.stores.redis import RedisStore as KeyValueRedis
from redis.asyncio import Redis
from toolshape import Archive, FileStore, MemoryStore, Shaper, Store
from toolshape.stores.fsspec import FsspecStore
from toolshape.stores.key_value import KeyValueStore
from toolshape.stores.redis import RedisStore

CLIENT: dict[str, Any] = {"decode_responses": True, "socket_connect_timeout": 1}

STORES: dict[str, Callable[[str], Store]] = {
    "memory": lambda where: MemoryStore(max_bytes=int(where or 2**26)),
    "files": FileStore,
    "fsspec file": lambda where: FsspecStore(fsspec.filesystem("file"), where),
    "fsspec memory": lambda where: FsspecStore(fsspec.filesystem("memory"), where),
    "Redis": lambda where: RedisStore(Redis.from_url(where, **CLIENT)),
    "py-key-value Redis": lambda where: KeyValueStore(KeyValueRedis(client=Redis.from_url(where, **CLIENT))),
}


def rows_of(number: int) -> list[dict[str, Any]]:
    """The rows of the result of one call."""
    return [{"id": i, "text": f"row {i} of result {number} " * 4} for i in range(400)]


def archive_over(kind: str, where: str = "") -> Archive:
    return Archive(Shaper(max_tokens=1000), STORES[kind](where), timeout_seconds=0.5)


def holds(rows: list[Any], shown: list[Any]) -> bool:
    """Whether what a result shows are the first rows."""
    return bool(shown) and shown == rows[: len(shown)]


async def ask(archive: Archive, number: int) -> dict[str, Any]:
    """Calls a tool, then asks for its second page, as a model does."""
    rows, call = rows_of(number), {"tool": "list", "arguments": {"number": number}}
    first = await archive.shape(rows, **call)
    following = {**call, "cursor": first.value["nextCursor"]}
    second = await archive.snapshot(**following) or await archive.shape(rows, **following)
    is_right = not any(one.is_error or one.tokens > 1000 for one in (first, second))
    is_right = is_right and holds(rows, [*first.value["items"], *second.value["items"]])
    reply = {"handle": first.value.get("uri"), "failed": first.value.get("storeFailed")}
    return {"number": number, "is_right": is_right, **reply}


class Counting:
    """The counts of all faults, as rows of a table."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.number = 0
        self.table: list[list[Any]] = []

    async def calls(self, archive: Archive, count: int) -> list[dict[str, Any]]:
        """Makes this many calls, one after the other."""
        answers = []
        for _ in range(count * self.rounds):
            answers.append(await ask(archive, self.number))
            self.number += 1
        return answers

    async def report(
        self, kind: str, fault: str, answers: list[dict[str, Any]], archive: Archive, may_go: bool = False
    ) -> None:
        """Opens every handle that was given."""
        opened = {"whole": 0, "gone": 0, "wrong": 0}
        handles = [answer for answer in answers if answer["handle"]]
        for answer in handles:
            shaped = await archive.read_result({"handle": answer["handle"]})
            is_whole = not shaped.is_error and holds(rows_of(answer["number"]), shaped.value["items"])
            opened["gone" if shaped.is_error else "whole" if is_whole else "wrong"] += 1
        wrong = sum(not answer["is_right"] for answer in answers) + opened["wrong"]
        lost = wrong + (0 if may_go else opened["gone"])
        refused = sum(answer["failed"] is not None for answer in answers)
        # Each answer has two pages, and each handle is opened once.
        count = len(answers) * 2 + len(handles)
        self.table.append([kind, fault, count, refused, len(handles), opened["whole"], opened["gone"], lost])
        print(f"{kind}, {fault}: {lost} lost", file=sys.stderr)

    def elsewhere(self, kind: str, where: str, count: int, start: int | None = None) -> subprocess.Popen[str]:
        """Makes calls in another process."""
        begin = self.number if start is None else start
        self.number = max(self.number, begin + count)
        command = [sys.executable, __file__, "--calls", kind, where, str(count), str(begin)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    async def writers(self, kind: str, where: str, archive: Archive) -> None:
        """Three writers at once, two of them of the same results."""
        count, start = 20 * self.rounds, self.number
        started = [self.elsewhere(kind, where, count, start + at) for at in (0, 0, count)]
        answers = [answer for writer in started for answer in output_text(writer.communicate()[0])]
        await self.report(kind, "three writers, two of the same", answers, archive)

    async def clocks(self, kind: str, where: Callable[[], str]) -> None:
        real = time.time
        jumps = (("clock 1 hour back", -1, False), ("clock 1 hour on", 1, False), ("clock 2 days on", 48, True))
        for fault, hours, may_go in jumps:
            archive = archive_over(kind, where())
            before = await self.calls(archive, 10)
            with mock.patch("time.time", lambda: real() + hours * 3600):
                await self.report(kind, fault, [*before, *await self.calls(archive, 10)], archive, may_go)


def output_text(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines() if line.endswith("}")]


async def in_memory(counting: Counting, scratch: Path) -> None:
    small = archive_over("memory", "500000")
    await counting.report("memory", "full (500 KB)", await counting.calls(small, 50), small, True)
    smaller = archive_over("memory", "10000")
    await counting.report("memory", "each value too large", await counting.calls(smaller, 50), smaller)
    await counting.clocks("memory", str)
    await counting.clocks("fsspec memory", lambda: f"/{random.random()}")


async def in_folder(counting: Counting, scratch: Path, kind: str) -> None:
    def new() -> Path:
        return Path(tempfile.mkdtemp(dir=scratch)) / "store"

    shared, answers = new(), []
    for at in range(5 * counting.rounds):
        writer = counting.elsewhere(kind, str(shared), 1000)
        assert writer.stdout
        line = writer.stdout.readline()
        time.sleep(0.03 + 0.017 * at)
        writer.kill()
        answers += output_text(line + writer.communicate()[0])
    await counting.report(kind, "writers killed", answers, archive_over(kind, str(shared)))

    both = str(new())
    await counting.writers(kind, both, archive_over(kind, both))

    with disks.small(new(), 1024) as disk:
        archive = archive_over(kind, str(disk / "store"))
        await counting.report(kind, "full disk (1 MB)", await counting.calls(archive, 40), archive)

    with disks.small(new(), 2**17) as disk:
        archive = archive_over(kind, str(disk / "store"))
        before = await counting.calls(archive, 10)
        with disks.read_only(disk):
            await counting.report(kind, "read-only disk", [*before, *await counting.calls(archive, 20)], archive)

    with disks.own(new()) as failing:
        archive = archive_over(kind, str(failing.path / "store"))
        before = await counting.calls(archive, 1)
        failing.fail_to_write()
        await counting.report(
            kind, "disk that fails to write", [*before, *await counting.calls(archive, 5)], archive, True
        )

    changed = new()
    archive = archive_over(kind, str(changed))
    old = await counting.calls(archive, 20)
    for file in changed.glob("*.json"):
        times = file.stat()
        file.write_text(file.read_text().replace("row 7 ", "row 1 "))
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    await counting.report(kind, "corrupted, each value", old, archive, True)
    await counting.clocks(kind, lambda: str(new()))


async def in_redis(counting: Counting, scratch: Path, kind: str) -> None:
    folder = tempfile.mkdtemp(dir=scratch)
    with machine.own_redis("--dir", folder, "--appendonly", "yes", "--appendfsync", "always") as server:
        archive = archive_over(kind, server.url)
        client = Redis.from_url(server.url, **CLIENT)
        answers = []
        for _ in range(2 * counting.rounds):
            answers += await counting.calls(archive, 5)
            during = asyncio.create_task(counting.calls(archive, 3))
            await asyncio.sleep(0.02)
            server.stop()
            answers += await during
            server.start()
            answers += await counting.calls(archive, 5)
        await counting.report(kind, "Redis killed", answers, archive)

        before = await counting.calls(archive, 5)
        server.hang()
        before += await counting.calls(archive, 2)
        server.go_on()
        await client.ping()
        await counting.report(kind, "Redis hangs", [*before, *await counting.calls(archive, 5)], archive)

        await client.flushall()
        used = (await client.info("memory"))["used_memory"]
        await client.config_set("maxmemory", used + 1_000_000)
        full = await counting.calls(archive, 40)
        await client.config_set("maxmemory", 0)
        await counting.report(kind, "Redis full", [*full, *await counting.calls(archive, 5)], archive)

        before = await counting.calls(archive, 10)
        # A replica takes no writes; its main server is nowhere.
        await client.replicaof("127.0.0.1", "1")
        await counting.report(kind, "Redis read-only", [*before, *await counting.calls(archive, 20)], archive)
        await client.replicaof("NO", "ONE")

        old = await counting.calls(archive, 20)
        for name in await client.keys("*.json"):
            await client.set(name, (await client.get(name)).replace("row 7 ", "row 1 "), keepttl=True)
        await counting.report(kind, "corrupted, each value", old, archive, True)
        await counting.writers(kind, server.url, archive)
        await counting.clocks(kind, lambda: server.url)
        await client.aclose()


async def everything(rounds: int, scratch: Path) -> Counting:
    counting = Counting(rounds)
    suites: Iterable[tuple[Callable[..., Awaitable[None]], tuple[str, ...]]] = (
        (in_memory, ()),
        (in_folder, ("files",)),
        (in_folder, ("fsspec file",)),
        (in_redis, ("Redis",)),
        (in_redis, ("py-key-value Redis",)),
    )
    for suite, kind in suites:
        try:
            await suite(counting, scratch, *kind)
        except pytest.skip.Exception as why:
            print(f"Not made, {' '.join(kind)}: {why}")
    return counting


async def calls_alone(kind: str, where: str, count: int, start: int) -> None:
    archive = archive_over(kind, where)
    for number in range(start, start + count):
        print(json.dumps(await ask(archive, number)), flush=True)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--calls"]:
        kind, where, count, start = arguments[1:]
        asyncio.run(calls_alone(kind, where, int(count), int(start)))
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        counting = asyncio.run(everything(int(arguments[0]) if arguments else 1, Path(scratch)))
    print(
        "| store (Python) | fault | calls | not stored, with an error | handles | open the whole | open nothing | lost |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for row in counting.table:
        print(f"| {' | '.join(map(str, row))} |")
    lost = sum(row[-1] for row in counting.table)
    print(f"\n{sum(row[2] for row in counting.table)} calls, {lost} lost")
    return int(lost > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
