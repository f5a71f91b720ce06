"""Every store keeps what it is given: the ones in the box, and the adapters on what they adapt."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import pytest
from conftest import wait
from key_value.aio.errors import EntryTooLargeError
from key_value.aio.stores.filetree import FileTreeStore
from key_value.aio.stores.memory import MemoryStore as KeyValueMemory
from key_value.aio.wrappers.limit_size import LimitSizeWrapper
from toolshape import FileStore, MemoryStore, Store, ToolshapeError
from toolshape.stores.fsspec import FsspecStore
from toolshape.stores.key_value import KeyValueStore

A, B, C = (digit * 64 + ".json" for digit in "abc")
TEXT = "d" * 64 + ".txt"
VALUES = [
    '{"a":1.0}',
    "",
    ":",
    "::base64:x",
    "base64:eA==",
    'näïve 日本語 👩‍👩‍👧‍👦 \x00 \u2028 "\\\r\n',
    "x" * 3_000_000,
]
HOSTILE: list[Any] = [
    "",
    "a" * 64,
    "a" * 63 + ".json",
    "A" * 64 + ".json",
    "a" * 64 + ".json\n",
    "a" * 64 + ".exe",
    "a" * 64 + ".handle",
    "a" * 16 + ".json",
    "a" * 15 + ".handle",
    "A" * 16 + ".handle",
    "a" * 16 + ".handle\n",
    A + ".expires",
    ".toolshape-store",
    "../" + A,
    "/etc/passwd",
    "/tmp/" + A,
    "%2e%2e%2f" + A,
    A + "\0",
    A + "/..",
    "ａ" * 64 + ".json",
    "٣" * 64 + ".json",
    None,
    7,
    [A],
    A.encode(),
]


def on_fsspec(protocol: str) -> Callable[[Path], FsspecStore]:
    return lambda folder: FsspecStore(fsspec.filesystem(protocol), f"{folder}/store")


STORES: dict[str, Callable[[Path], Store]] = {
    "memory": lambda folder: MemoryStore(),
    "files": lambda folder: FileStore(folder / "store"),
    "py-key-value memory": lambda folder: KeyValueStore(KeyValueMemory()),
    "py-key-value filetree": lambda folder: KeyValueStore(FileTreeStore(data_directory=folder)),
    "fsspec file": on_fsspec("file"),
    "fsspec memory": on_fsspec("memory"),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return STORES[request.param](tmp_path)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value[:8]))
def test_what_is_kept_comes_back(store: Store, value: str) -> None:
    assert wait(store.get(A)) is None
    wait(store.set(A, value, 60))
    wait(store.set(TEXT, value + "!", 60))
    assert wait(store.get(A)) == value
    assert wait(store.get(TEXT)) == value + "!"
    assert wait(store.get(B)) is None


def test_the_record_of_a_handle_comes_back(store: Store) -> None:
    wait(store.set("abcdefghijklmnop.handle", "{}", 60))
    assert wait(store.get("abcdefghijklmnop.handle")) == "{}"
    wait(store.delete("abcdefghijklmnop.handle"))
    assert wait(store.get("abcdefghijklmnop.handle")) is None


def test_what_is_deleted_is_gone(store: Store) -> None:
    wait(store.delete(A))
    wait(store.set(A, "[1]", 60))
    wait(store.set(B, "[2]", 60))
    wait(store.delete(A))
    assert (wait(store.get(A)), wait(store.get(B))) == (None, "[2]")


@pytest.mark.parametrize("key", HOSTILE, ids=repr)
def test_hostile_keys_are_refused(store: Store, key: Any) -> None:
    for attempt in (lambda: store.get(key), lambda: store.set(key, "x", 60), lambda: store.delete(key)):
        with pytest.raises(ToolshapeError) as raised:
            wait(attempt())
        assert raised.value.code == "INVALID_HANDLE"


@pytest.mark.parametrize("ttl", [0, -1, float("inf"), float("nan"), None, "60", True], ids=repr)
def test_a_time_to_live_is_a_number_over_0(store: Store, ttl: Any) -> None:
    with pytest.raises(ToolshapeError) as raised:
        wait(store.set(A, "[]", ttl))
    assert (raised.value.code, raised.value.path) == ("INVALID_CALL", "/ttl_seconds")
    assert wait(store.get(A)) is None


@pytest.mark.parametrize("name", STORES)
def test_what_expires_is_gone_and_seconds_are_seconds(name: str, tmp_path: Path) -> None:
    store = STORES[name](tmp_path)
    wait(store.set(A, "[1]", 1))
    wait(store.set(B, "[2]", 3600))
    assert wait(store.get(A)) == "[1]"
    time.sleep(1.1)
    assert (wait(store.get(A)), wait(store.get(B))) == (None, "[2]")


def test_py_key_value_takes_mappings_and_seconds() -> None:
    kept = KeyValueMemory()
    wait(KeyValueStore(kept, collection="mine").set(A, "[1]", 3600))
    entry, left = wait(kept.ttl(A, collection="mine"))
    assert entry == {"content": "[1]"} and 3590 < left <= 3600


def test_a_limit_of_py_key_value_is_a_failure() -> None:
    store = KeyValueStore(LimitSizeWrapper(KeyValueMemory(), max_size=100))
    wait(store.set(A, "x" * 50, 60))
    with pytest.raises(EntryTooLargeError):
        wait(store.set(B, "x" * 200, 60))


def test_fsspec_keeps_plain_files(tmp_path: Path) -> None:
    store = on_fsspec("file")(tmp_path)
    store.set(A, '"größe"', 60)
    assert (tmp_path / "store" / A).read_bytes() == '"größe"'.encode()
    # What others left half written is not text, or not the text that its name means.
    (tmp_path / "store" / A).write_bytes('"grö'.encode()[:-1])
    assert store.get(A) is None


@pytest.mark.parametrize(
    "make", [lambda path: MemoryStore(max_bytes=1000), lambda path: FileStore(path / "s", max_bytes=1000)]
)
def test_all_together_stay_below_the_limit(make: Callable[[Path], Any], tmp_path: Path) -> None:
    store = make(tmp_path)
    keys = [f"{i:064x}.json" for i in range(40)]
    for i, key in enumerate(keys):
        store.set(key, "ä" * 50, 60 + i)
        assert store.get(key) is not None
        held = [key for key in keys if store.get(key) is not None]
        assert sum(100 for _ in held) <= 1000
        # The first to be written, which expire soonest, have gone first.
        assert held == keys[i + 1 - len(held) : i + 1]
    assert len(held) >= 8
    with pytest.raises(ToolshapeError, match="1001 bytes") as raised:
        store.set(A, "x" * 1001, 60)
    assert raised.value.code == "STORE_FAILED"
    assert store.get(A) is None and store.get(keys[-1]) is not None
    store.set(A, "x" * 1000, 60)
    assert store.get(A) == "x" * 1000


def test_memory_counts_what_it_replaces_and_forgets_once() -> None:
    store = MemoryStore(max_bytes=100)
    for _ in range(10):
        store.set(A, "x" * 60, 60)
        store.set(B, "y" * 40, 60)
    assert (store.get(A), store.get(B)) == ("x" * 60, "y" * 40)
    store.delete(A)
    store.delete(A)
    store.set(C, "z" * 60, 60)
    assert store.get(B) and store.get(C)


def test_threads_share_a_memory_store() -> None:
    store = MemoryStore(max_bytes=10_000)
    faults: list[BaseException] = []

    def hammer(seed: int) -> None:
        try:
            for i in range(500):
                key = f"{(seed * 31 + i) % 50:064x}.json"
                store.set(key, key * (i % 20), 60 if i % 3 else 1e-6)
                assert (store.get(key) or "").replace(key, "") == ""
                if i % 7 == 0:
                    store.delete(key)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=hammer, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    held = sum(len(store.get(f"{i:064x}.json") or "") for i in range(50))
    assert held <= 10_000


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_folder_and_files_are_the_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        FileStore(tmp_path / "deep" / "er" / "store").set(A, "[1]", 60)
    finally:
        os.umask(before)
    for folder in (tmp_path / "deep", tmp_path / "deep" / "er", tmp_path / "deep" / "er" / "store"):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "deep" / "er" / "store" / A).stat().st_mode & 0o777 == 0o600


def test_fsspec_keeps_the_expiry_beside_the_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "store"
    on_fsspec("file")(tmp_path).set(A, "[1]", 3600)
    assert sorted(os.listdir(folder)) == [A, A + ".expires"]
    assert int((folder / (A + ".expires")).read_text()) == pytest.approx((time.time() + 3600) * 1000, abs=10_000)
    # Another process, which knows nothing but the files.
    other = on_fsspec("file")(tmp_path)
    assert other.get(A) == "[1]"
    (folder / "notes.txt").write_text("x")
    (folder / "notes.txt.expires").write_text("0")
    (folder / B).write_text("[2]")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3601)
    assert other.get(A) is None and other.get(B) is None
    other.sweep()
    assert A in os.listdir(folder), "a writer may be extending its time"
    monkeypatch.setattr(time, "time", lambda: now + 7201)
    other.sweep()
    assert sorted(os.listdir(folder)) == [B, "notes.txt", "notes.txt.expires"]
