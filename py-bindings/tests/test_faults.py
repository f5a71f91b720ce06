"""Faults, really made: what the caller saw, and what was on disk. Each is a row of the table at the end of the run."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import disks
import fsspec
import machine
import pytest
from conftest import Tables, wait
from redis.asyncio import Redis
from toolshape import Archive, FileStore, MemoryStore, Shaped, Shaper, Store, ToolshapeError, count_tokens
from toolshape.stores.fsspec import FsspecStore
from toolshape.stores.redis import RedisStore

pytestmark = machine.needed

MARKER = ".toolshape-store"

HEAD = ("fault", "what the caller saw", "what was on disk")


class Faults:
    """The faults that were made, with what the caller saw of each and what was on disk."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def row(self, *row: str) -> None:
        self._tables.row("faults", HEAD, row)


@pytest.fixture
def faults(tables: Tables) -> Faults:
    return Faults(tables)


ROWS = [{"id": i, "text": f"row {i} " * 40} for i in range(2000)]
WHOLE = json.dumps(ROWS, separators=(",", ":"))
CALL = {"tool": "export"}
SHAPER = Shaper(max_tokens=2000, overflow="offload")


def shape(store: Store, **options: Any) -> Shaped:
    return wait(Archive(SHAPER, store, **options).shape(ROWS, **CALL))


def key_of(shaped: Shaped) -> str:
    return str(shaped.value["filename"])


def seen(shaped: Shaped) -> str:
    """What the caller saw, which is a result in any case, within its budget; and no handle to nothing."""
    assert not shaped.is_error
    assert shaped.tokens == count_tokens(shaped.text) <= 2000
    if "storeFailed" in shaped.value:
        assert "toolshape://" not in shaped.text and len(shaped.value["items"]) > 3
        return f'page {shaped.value["page"]} inline, "storeFailed": "{shaped.value["storeFailed"]}"'
    assert "toolshape://" in shaped.text
    return f"page {shaped.value['page']}, whole at the handle" if "page" in shaped.value else "the handle of the whole"


def contents(folder: Path) -> list[str]:
    """The names in a folder, without the tickets of contents, what marks it, and what says when a value expires."""
    return sorted(name for name in os.listdir(folder) if name != MARKER and not name.endswith((".handle", ".expires")))


def on_disk(folder: Path) -> str:
    """What is in a folder, each file by whether its content is what its name says."""
    found = []
    for name in contents(folder):
        path = folder / name
        if path.is_symlink() or not path.is_file():
            found.append("a link" if path.is_symlink() else "no file")
        elif name.endswith(".part"):
            found.append(f"aside {path.stat().st_size:,} bytes, under no name")
        else:
            whole = any(path.read_text("utf-8") == content for content in (WHOLE, "[1]"))
            found.append("the whole result" if whole else "HALF A RESULT")
    return ", ".join(found) or "nothing"


def test_none(tmp_path: Path, faults: Faults) -> None:
    store = FileStore(tmp_path / "store")
    shaped = shape(store)
    assert store.get(key_of(shaped)) == WHOLE
    assert on_disk(tmp_path / "store") == "the whole result"
    faults.row("none", seen(shaped), on_disk(tmp_path / "store"))


def test_a_full_disk(tmp_path: Path, faults: Faults) -> None:
    with disks.small(tmp_path / "disk", 256) as disk:
        shaped = shape(FileStore(disk / "store"))
        assert shaped.value["storeFailed"] == "the file cannot be written: No space left on device"
        assert on_disk(disk / "store") == "nothing"
        faults.row("full disk (tmpfs of 256 KB)", seen(shaped), on_disk(disk / "store"))


def test_a_disk_that_fails_while_it_writes_down(tmp_path: Path, faults: Faults) -> None:
    with disks.own(tmp_path / "disk") as disk:
        store = FileStore(disk.path / "store")
        disk.fail_to_write()
        shaped = shape(store)
        assert shaped.value["storeFailed"] == "the file cannot be written: Input/output error"
        assert on_disk(disk.path / "store") == "nothing"
        faults.row("I/O error when the cache is written down", seen(shaped), on_disk(disk.path / "store"))


def test_a_disk_that_fails_while_it_reads(tmp_path: Path, faults: Faults) -> None:
    with disks.own(tmp_path / "disk") as disk:
        errors: list[Exception] = []
        archive = Archive(Shaper(), FileStore(disk.path / "store"), on_store_error=errors.append)
        call = {"tool": "list", "cursor": wait(archive.shape(ROWS, tool="list")).value["nextCursor"]}
        (name,) = contents(disk.path / "store")
        disk.fail_to_read(disk.path / "store" / name)
        assert wait(archive.snapshot(**call)) is None
        assert str(errors[0]) == "the file cannot be read: Input/output error"
        shaped = wait(archive.shape(ROWS, **call))
        assert shaped.value["source"] == "live" and wait(archive.snapshot(**call)).value["source"] == "snapshot"
        saw = f"not read: the tool runs, {seen(shaped)}"
        faults.row("I/O error while reading", saw, on_disk(disk.path / "store") + ", written again")


def test_a_read_only_disk(tmp_path: Path, faults: Faults) -> None:
    with disks.small(tmp_path / "disk", 4096) as disk:
        store = FileStore(disk / "store")
        key = key_of(shape(store))
        store.delete(key)
        store.set("0" * 64 + ".json", "[1]", 60)
        with disks.read_only(disk):
            shaped = shape(store)
            assert shaped.value["storeFailed"] == "the file cannot be written: Read-only file system"
            # What is there can be read all the same.
            assert store.get("0" * 64 + ".json") == "[1]"
            faults.row("read-only disk, one result there", seen(shaped), on_disk(disk / "store"))
        assert on_disk(disk / "store") == "the whole result"


def test_a_limit_on_the_size_of_files(tmp_path: Path, faults: Faults) -> None:
    store = FileStore(tmp_path / "store")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        shaped = shape(store)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert shaped.value["storeFailed"] == "the file cannot be written: File too large"
    assert on_disk(tmp_path / "store") == "nothing"
    faults.row("limit of 100 KB on files, met in mid-write", seen(shaped), on_disk(tmp_path / "store"))


def test_no_file_can_be_opened_any_more(tmp_path: Path, faults: Faults) -> None:
    store = FileStore(tmp_path / "store")
    wait(None)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    async def run() -> Shaped:
        archive = Archive(SHAPER, store)
        await archive.shape(ROWS[:3], **CALL)
        await asyncio.to_thread(len, "")
        free = os.dup(0)
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
        try:
            return await archive.shape(ROWS, **CALL)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    shaped = asyncio.run(run())
    assert shaped.value["storeFailed"].endswith("Too many open files")
    assert on_disk(tmp_path / "store") == "nothing"
    faults.row("no file descriptor left", seen(shaped), on_disk(tmp_path / "store"))


WRITER = """
import sys, json
from toolshape import FileStore
store = FileStore(sys.argv[1])
print("ready", flush=True)
for i in range(1000):
    store.set(f"{i:064x}.json", "x" * 50_000_000, 60)
"""


def test_killed_in_mid_write(tmp_path: Path, faults: Faults) -> None:
    folder = tmp_path / "store"
    halves = 0
    for _ in range(20):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout and writer.stdout.readline() == "ready\n"
        wait_until(lambda: any(0 < size < 50_000_000 for size in parts(folder)))
        writer.kill()
        writer.wait()
        for name in contents(folder):
            if not name.endswith(".part"):
                assert (folder / name).stat().st_size == 50_000_000
                (folder / name).unlink()
        sizes = parts(folder)
        halves += sum(size < 50_000_000 for size in sizes)
        if halves:
            break
        for name in contents(folder):
            (folder / name).unlink()
    assert halves, "no kill came in mid-write"
    store = FileStore(folder)
    assert all(store.get(f"{i:064x}.json") is None for i in range(5))
    left = on_disk(folder)
    # It is swept an hour later, and hinders nobody until then.
    shaped = shape(store)
    assert store.get(key_of(shaped)) == WHOLE
    for name in contents(folder):
        assert name.endswith(".part") or name == key_of(shaped)
    faults.row("writer killed in mid-write (SIGKILL)", "no answer; the next call: " + seen(shaped), left)


def parts(folder: Path) -> list[int]:
    sizes = []
    for name in os.listdir(folder):
        if name.endswith(".part"):
            try:
                sizes.append((folder / name).stat().st_size)
            except FileNotFoundError:
                continue
    return sizes


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "it never happened"


@pytest.mark.parametrize("plant", ["symbolic link", "hard link", "named pipe"])
def test_planted_under_the_name(plant: str, tmp_path: Path, faults: Faults) -> None:
    store, victim = FileStore(tmp_path / "store"), tmp_path / "victim"
    key = key_of(shape(MemoryStore()))
    victim.write_text("the victim's own")
    os.utime(victim, (0, time.time() + 1000))
    planted = tmp_path / "store" / key
    if plant == "symbolic link":
        planted.symlink_to(victim)
    elif plant == "hard link":
        planted.hardlink_to(victim)
    else:
        os.mkfifo(planted)
    assert store.get(key) is None
    shaped = shape(store)
    assert store.get(key) == WHOLE and key_of(shaped) == key
    assert victim.read_text() == "the victim's own" and not planted.is_symlink()
    faults.row(f"{plant} planted under the name", seen(shaped), on_disk(tmp_path / "store") + "; the victim as it was")


def test_a_forged_file_under_the_name(tmp_path: Path, faults: Faults) -> None:
    store = FileStore(tmp_path / "store")
    listing = Shaper(max_tokens=2000)
    first = wait(Archive(listing, store).shape(ROWS, tool="list"))
    (name,) = contents(tmp_path / "store")
    path = tmp_path / "store" / name
    times = path.stat()
    path.write_text(WHOLE.replace("row 77 ", "row 00 "))
    os.utime(path, (times.st_atime, times.st_mtime))
    call = {"tool": "list", "cursor": first.value["nextCursor"]}
    assert wait(Archive(listing, store).snapshot(**call)) is None
    shaped = wait(Archive(listing, store).shape(ROWS, **call))
    assert shaped.value["source"] == "live" and store.get(name) == WHOLE
    faults.row("content forged under the name", f"not read: the tool runs, {seen(shaped)}", on_disk(tmp_path / "store"))


def test_a_linked_folder(tmp_path: Path, faults: Faults) -> None:
    store = FileStore(tmp_path / "store")
    shutil.rmtree(tmp_path / "store")
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "store").symlink_to(tmp_path / "elsewhere")
    shaped = shape(store)
    assert shaped.value["storeFailed"] == "the folder is a link, or none"
    assert os.listdir(tmp_path / "elsewhere") == []
    with pytest.raises(ToolshapeError):
        FileStore(tmp_path / "store")
    faults.row("symbolic link in place of the folder", seen(shaped), on_disk(tmp_path / "elsewhere") + " behind it")


def test_a_folder_that_others_may_open(tmp_path: Path, faults: Faults) -> None:
    store = FileStore(tmp_path / "store")
    (tmp_path / "store").chmod(0o777)
    shaped = shape(store)
    assert "open to others" in shaped.value["storeFailed"]
    assert on_disk(tmp_path / "store") == "nothing"
    faults.row("folder open to others (0777)", seen(shaped), on_disk(tmp_path / "store"))


def test_a_value_too_large(tmp_path: Path, faults: Faults) -> None:
    for store in (MemoryStore(max_bytes=100_000), FileStore(tmp_path / "store", max_bytes=100_000)):
        shaped = shape(store)
        assert f"{len(WHOLE)} bytes" in shaped.value["storeFailed"]
    assert on_disk(tmp_path / "store") == "nothing"
    faults.row("value larger than the store", seen(shaped), on_disk(tmp_path / "store"))


def test_a_full_device_behind_fsspec(tmp_path: Path, faults: Faults) -> None:
    store = FsspecStore(fsspec.filesystem("file"), str(tmp_path))
    (tmp_path / key_of(shape(MemoryStore()))).symlink_to("/dev/full")
    shaped = shape(store)
    assert shaped.value["storeFailed"] == os.strerror(errno.ENOSPC)
    faults.row("fsspec file, /dev/full", seen(shaped), on_disk(tmp_path) + " to the device")


@contextmanager
def redis_archive(url: str, **client: Any) -> Iterator[Callable[[Callable[[Archive], Any]], Any]]:
    def run(work: Callable[[Archive], Any]) -> Any:
        async def session() -> Any:
            async with Redis.from_url(url, **client) as redis:
                return await work(Archive(SHAPER, RedisStore(redis), timeout_seconds=0.5))

        return asyncio.run(session())

    yield run


def test_a_redis_that_was_stopped(faults: Faults) -> None:
    with machine.own_redis() as redis, redis_archive(redis.url) as run:
        shaped = run(lambda archive: archive.shape(ROWS, **CALL))
        assert shaped.value["offloaded"]
        redis.stop()
        shaped = run(lambda archive: archive.shape(ROWS, **CALL))
        assert shaped.value["storeFailed"] == "ConnectionError"
        faults.row("Redis stopped", seen(shaped), "no Redis")
        redis.start()
        shaped = run(lambda archive: archive.shape(ROWS, **CALL))
        kept = key_of(shaped)
        faults.row("Redis back again", seen(shaped), "the whole result" if held(redis.url, kept) == WHOLE else "?")
        assert shaped.value["offloaded"] and held(redis.url, kept) == WHOLE


def held(url: str, key: str) -> str | None:
    async def get() -> str | None:
        async with Redis.from_url(url) as client:
            return await RedisStore(client).get(key)

    return asyncio.run(get())


def test_a_redis_that_hangs(faults: Faults) -> None:
    with machine.own_redis() as redis, redis_archive(redis.url) as run:
        redis.hang()
        start = time.monotonic()
        shaped = run(lambda archive: archive.shape(ROWS, **CALL))
        assert shaped.value["storeFailed"] == "the store did not answer within 0.5 seconds"
        assert time.monotonic() - start < 5
        faults.row("Redis hangs (SIGSTOP)", seen(shaped), "unknown to the caller: no result names it")


def test_a_redis_that_is_full(faults: Faults) -> None:
    with machine.own_redis("--maxmemory", "1mb", "--maxmemory-policy", "noeviction") as redis:
        with redis_archive(redis.url) as run:
            shaped = run(lambda archive: archive.shape(ROWS, **CALL))
            assert shaped.value["storeFailed"] == "OutOfMemoryError"
            assert held(redis.url, key_of(shape(MemoryStore()))) is None
            faults.row("Redis full (noeviction)", seen(shaped), "nothing")
