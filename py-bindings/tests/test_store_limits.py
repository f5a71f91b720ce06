"""What the limits of every store promise: of one value, of all, and of each owner."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import machine
import pytest
from conftest import wait
from key_value.aio.stores.memory import MemoryStore as KeyValueMemory
from redis.asyncio import Redis
from toolshape import FileStore, MemoryStore, ToolshapeError
from toolshape.stores._ledger import Ledger
from toolshape.stores.fsspec import FsspecStore
from toolshape.stores.key_value import KeyValueStore
from toolshape.stores.redis import RedisStore


class OwnLoop:
    """A store on a Redis, whose client belongs to one event loop: each call has a client of its own."""

    def __init__(self, **limits: Any) -> None:
        self._url = machine.given("TOOLSHAPE_REDIS_URL")
        self._ledger = RedisStore(Redis(), **limits)._ledger

    def __getattr__(self, method: str) -> Callable[..., Any]:
        async def call(*arguments: Any) -> Any:
            async with Redis.from_url(self._url) as client:
                store = RedisStore(client, prefix="limits:")
                store._ledger = self._ledger
                return await getattr(store, method)(*arguments)

        return call


STORES: dict[str, Callable[..., Any]] = {
    "memory": lambda folder, **limits: MemoryStore(**limits),
    "files": lambda folder, **limits: FileStore(folder / "store", **limits),
    "py-key-value": lambda folder, **limits: KeyValueStore(KeyValueMemory(), **limits),
    "fsspec file": lambda folder, **limits: FsspecStore(fsspec.filesystem("file"), f"{folder}/store", **limits),
    "fsspec memory": lambda folder, **limits: FsspecStore(fsspec.filesystem("memory"), f"{folder}/store", **limits),
    "Redis": lambda folder, **limits: OwnLoop(**limits),
}
NAMES = [pytest.param(name, marks=machine.needed) if name == "Redis" else name for name in STORES]

Make = Callable[..., Any]


@pytest.fixture(params=NAMES)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    return lambda **limits: STORES[request.param](tmp_path, **limits)


class Writer:
    """Writes values of a size, each new, and says which of them are there."""

    count = 0

    def __init__(self, store: Any) -> None:
        self.store = store

    def put(self, owner: str | None, size: int, ttl_seconds: float = 60) -> str:
        Writer.count += 1
        key = f"{Writer.count:064x}.json"
        wait(self.store.set(key, "x" * size, ttl_seconds, owner))
        return key

    def there(self, keys: list[str]) -> list[bool]:
        return [wait(self.store.get(key)) is not None for key in keys]


def test_a_value_over_a_limit_is_refused_and_what_is_there_stays(make: Make) -> None:
    writer = Writer(make(max_bytes=1000, max_value_bytes=200, max_share=0.15))
    first = writer.put("a", 100)
    for size, whose in ((1001, "the whole store"), (201, "one value"), (151, "one owner")):
        with pytest.raises(ToolshapeError, match=f"{size} bytes, more than .* of {whose}$") as raised:
            writer.put("a", size)
        assert raised.value.code == "STORE_FAILED"
    assert writer.there([first]) == [True]


def test_an_owner_over_its_share_loses_its_own_oldest_and_nothing_of_others(make: Make) -> None:
    writer = Writer(make(max_bytes=1000, max_share=0.3))
    others = [writer.put("b", 100), writer.put(None, 100)]
    left = writer.there([writer.put("a", 100, 60 + i) for i in range(20)])
    assert left[-1] and sum(left) <= 3
    assert left == sorted(left), "the oldest go first"
    assert writer.there(others) == [True, True]


def test_a_flood_of_one_owner_evicts_no_other(make: Make) -> None:
    writer = Writer(make(max_bytes=1000))
    others = [writer.put("b", 200), writer.put("c", 200)]
    for _ in range(50):
        assert writer.there([writer.put("a", 90)]) == [True]
    assert writer.there(others) == [True, True]
    with pytest.raises(ToolshapeError, match="no room left"):
        writer.put("a", 700)
    assert writer.there(others) == [True, True]


def test_who_has_the_most_gives_way_to_somebody_new(make: Make) -> None:
    writer = Writer(make(max_bytes=1000))
    most = [writer.put("a", 100) for _ in range(10)]
    others = [writer.put("b", 100), writer.put("b", 100), writer.put(None, 300)]
    assert writer.there(others) == [True, True, True]
    assert sum(writer.there(most)) <= 5


@pytest.mark.parametrize("name", ["max_bytes", "max_value_bytes", "max_share"])
@pytest.mark.parametrize("value", [0, -1, None, "1", float("nan"), float("inf"), True], ids=repr)
def test_limits_that_are_none_are_refused(make: Make, name: str, value: Any, tmp_path: Path) -> None:
    with pytest.raises(ToolshapeError) as raised:
        make(**{name: value})
    assert (raised.value.code, raised.value.path) == ("INVALID_CALL", f"/{name}")
    assert not (tmp_path / "store").exists()


def test_a_share_is_at_most_all(make: Make) -> None:
    with pytest.raises(ToolshapeError, match="at most 1"):
        make(max_share=1.1)


@pytest.mark.parametrize("name", ["memory", "files", "fsspec memory"])
def test_all_together_stay_below_the_limit_when_threads_write(name: str, tmp_path: Path) -> None:
    store = STORES[name](tmp_path, max_bytes=1000)
    keys = [f"{i:064x}.txt" for i in range(200)]
    faults: list[BaseException] = []

    def write(seed: int) -> None:
        for key in keys[seed::8]:
            try:
                store.set(key, key * 2, 60, f"owner {seed % 3}")
                store.get(key)
            except ToolshapeError as refusal:
                assert "no room left" in str(refusal)
            except BaseException as fault:
                faults.append(fault)

    threads = [threading.Thread(target=write, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert 0 < sum(store.get(key) is not None for key in keys) * 136 <= 1000


def test_a_failed_write_is_not_counted_and_what_it_evicted_is_gone() -> None:
    ledger, stored = Ledger(300, 300, 1), list[str]()

    def keep(key: str, fails: Callable[[str], bool] = lambda what: False) -> None:
        def act(what: str, work: Callable[[str], object]) -> Callable[[str], object]:
            def acting(key: str) -> None:
                if fails(what):
                    raise OSError("full")
                work(key)

            return acting

        ledger.keep((key, 100, None, 60), act("remove", stored.remove), lambda: act("write", stored.append)(key))

    for key in "abc":
        keep(key)
    with pytest.raises(OSError):
        keep("d", lambda what: what == "write")
    assert stored == ["b", "c"]
    keep("e")
    # What could not be deleted is there still, and counts.
    with pytest.raises(OSError):
        keep("f", lambda what: what == "remove")
    assert stored == ["b", "c", "e"]
    keep("g")
    assert len(stored) == 3 and "g" in stored


def test_a_value_is_not_deleted_after_it_was_written_again() -> None:
    ledger, stored = Ledger(200, 200, 1), list[str]()

    async def run() -> None:
        may_remove = asyncio.Event()

        async def remove(key: str) -> None:
            await may_remove.wait()
            stored.remove(key)

        def writes(key: str) -> Callable[[], Any]:
            async def write() -> None:
                stored.append(key)

            return write

        async def keep(key: str) -> None:
            await ledger.keep_async((key, 100, None, 60), remove, writes(key))

        await keep("a")
        await keep("b")
        evicting = asyncio.create_task(keep("c"))
        await asyncio.sleep(0.01)
        again = asyncio.create_task(keep("a"))
        await asyncio.sleep(0.01)
        assert stored == ["a", "b"]
        may_remove.set()
        await asyncio.gather(evicting, again)

    asyncio.run(run())
    assert sorted(stored) == ["a", "c"]
