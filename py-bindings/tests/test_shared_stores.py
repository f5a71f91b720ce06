"""Stores that are shared: a real Redis, and what Python and TypeScript keep for each other."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import machine
import pytest
from key_value.aio.stores.redis import RedisStore as KeyValueRedis
from redis.asyncio import Redis, RedisCluster
from redis.crc import key_slot
from redis.exceptions import ConnectionError, NoPermissionError, OutOfMemoryError
from toolshape import FileStore, ToolshapeError
from toolshape.stores.key_value import KeyValueStore
from toolshape.stores.redis import PART, RedisStore

pytestmark = machine.needed

KEYS = [f"{i:064x}.{'json' if i % 2 else 'txt'}" for i in range(1, 9)]
TEXTS = dict(
    zip(
        KEYS,
        [
            '{"a":9007199254740993,"b":1.0,"c":-0,"d":1E2,"__proto__":{"x":1},"a":2}',
            "12345678901234567890",
            '"text"',
            'many scripts 日本語 👩‍👩‍👧‍👦 \x00 \u2028 "\\\r\n end',
            "",
            ":base64:aGVsbG8=",
            "base64:aGVsbG8=",
            "[" + ",".join(f'{{"id":{i}}}' for i in range(100_000)) + "]",
        ],
    )
)


def on_redis(url: str, test: Callable[[Redis], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Redis.from_url(url, decode_responses=True) as client:
            await client.flushdb()
            await test(client)

    asyncio.run(run())


ADAPTERS: dict[str, Callable[[Redis], Any]] = {
    "unstorage": RedisStore,
    "keyv": lambda client: KeyValueStore(KeyValueRedis(client=client)),
}


@pytest.mark.parametrize("kind", ADAPTERS)
def test_what_one_language_keeps_in_redis_the_other_reads(kind: str) -> None:
    url = machine.given("TOOLSHAPE_REDIS_URL")

    async def test(client: Redis) -> None:
        store = ADAPTERS[kind](client)
        with machine.node_store(kind, url) as node:
            for key, text in TEXTS.items():
                await store.set(key, text, 60)
                assert node.get(key) == text
                await store.delete(key)
                assert node.get(key) is None
                node.set(key, text)
                assert await store.get(key) == text

    on_redis(url, test)


def test_what_one_language_keeps_in_files_the_other_reads(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "store")
    with machine.node_store("files", tmp_path / "store") as node:
        for key, text in TEXTS.items():
            store.set(key, text, 60)
            assert node.get(key) == text
            by_python = (tmp_path / "store" / key).stat()
            store.delete(key)
            assert node.get(key) is None
            node.set(key, text)
            assert store.get(key) == text
            by_node = (tmp_path / "store" / key).stat()
            assert (tmp_path / "store" / key).read_bytes() == text.encode("utf-8")
            # Mode, and the moment when it expires, mean the same to both.
            assert by_python.st_mode == by_node.st_mode
            assert by_node.st_mtime - by_python.st_mtime == pytest.approx(0, abs=10)


@pytest.mark.parametrize("kind", ADAPTERS)
@pytest.mark.parametrize("decode", [True, False])
def test_redis_keeps_text_for_as_many_seconds(kind: str, decode: bool) -> None:
    url = machine.given("TOOLSHAPE_REDIS_URL")

    async def test(client: Redis) -> None:
        async with Redis.from_url(url, decode_responses=decode or kind == "keyv") as other:
            store = ADAPTERS[kind](other)
            for key, text in TEXTS.items():
                await store.set(key, text, 90)
                assert await store.get(key) == text
            (name,) = [name for name in await client.keys() if KEYS[0] in name]
            assert 85_000 < await client.pttl(name) <= 90_000
            await store.set(KEYS[0], "gone soon", 1)
            await asyncio.sleep(1.1)
            assert await store.get(KEYS[0]) is None
            await store.delete(KEYS[1])
            assert await store.get(KEYS[1]) is None

    on_redis(url, test)


def test_the_bare_text_stands_in_redis() -> None:
    async def test(client: Redis) -> None:
        await RedisStore(client).set(KEYS[0], TEXTS[KEYS[0]], 60)
        assert await client.get(f"toolshape:{KEYS[0]}") == TEXTS[KEYS[0]]

    on_redis(machine.given("TOOLSHAPE_REDIS_URL"), test)


@pytest.mark.parametrize("kind", ADAPTERS)
def test_a_redis_that_is_away_raises_and_is_found_again(kind: str) -> None:
    with machine.own_redis() as redis:

        async def test(client: Redis) -> None:
            store = ADAPTERS[kind](client)
            await store.set(KEYS[0], "[1]", 60)
            redis.stop()
            for attempt in (store.get(KEYS[0]), store.set(KEYS[0], "[2]", 60), store.delete(KEYS[0])):
                with pytest.raises(ConnectionError):
                    await attempt
            redis.start()
            assert await store.get(KEYS[0]) is None
            await store.set(KEYS[0], "[3]", 60)
            assert await store.get(KEYS[0]) == "[3]"

        on_redis(redis.url, test)


# Characters of every width, so that parts end at other places in bytes than in characters.
LONG = "a\u00e9\u8a9e\U0001f642" * (PART * 5 // 8)


def test_a_long_value_is_written_in_parts() -> None:
    async def test(client: Redis) -> None:
        store = RedisStore(client)
        await store.set(KEYS[0], LONG, 90)
        assert await store.get(KEYS[0]) == LONG
        assert await client.keys() == [f"toolshape:{KEYS[0]}"]
        assert 85_000 < await client.pttl(f"toolshape:{KEYS[0]}") <= 90_000
        await store.set(KEYS[0], "short", 90)
        assert await store.get(KEYS[0]) == "short"

    on_redis(machine.given("TOOLSHAPE_REDIS_URL"), test)


def test_a_long_value_is_never_copied_whole() -> None:
    async def test(client: Redis) -> None:
        value = "word " * (2 * PART)
        tracemalloc.start()
        try:
            await RedisStore(client).set(KEYS[0], value, 90)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < len(value) / 2
        assert await client.strlen(f"toolshape:{KEYS[0]}") == len(value)

    on_redis(machine.given("TOOLSHAPE_REDIS_URL"), test)


@pytest.mark.parametrize("fails", ["set", "setrange", "pttl", "rename"])
def test_a_long_value_whose_writing_fails_leaves_what_was_there(fails: str) -> None:
    url = machine.given("TOOLSHAPE_REDIS_URL")

    async def test(client: Redis) -> None:
        await RedisStore(client).set(KEYS[0], "before", 90)
        commands = ["+@all", f"-{fails}"]
        await client.acl_setuser("writer", enabled=True, nopass=True, keys=["toolshape:*"], commands=commands)
        try:
            async with Redis.from_url(url, username="writer", password="any") as writer:
                with pytest.raises(NoPermissionError):
                    await RedisStore(writer).set(KEYS[0], LONG, 90)
            assert await RedisStore(client).get(KEYS[0]) == "before"
            assert await client.keys() == [f"toolshape:{KEYS[0]}"]
        finally:
            await client.acl_deluser("writer")

    on_redis(url, test)


class Interfering(Redis):
    """A client that does something else before each command of writing a part."""

    async def setrange(self, name: Any, offset: int, value: Any) -> Any:
        await self.interfere(name, offset, value)
        return await super().setrange(name, offset, value)

    async def interfere(self, name: Any, offset: int, value: Any) -> None:
        await self.delete(name)


class Repeating(Interfering):
    async def interfere(self, name: Any, offset: int, value: Any) -> None:
        await Redis.setrange(self, name, offset, value)


def test_a_part_that_is_gone_is_noticed() -> None:
    async def test(client: Redis) -> None:
        async with Interfering.from_url(machine.given("TOOLSHAPE_REDIS_URL")) as losing:
            with pytest.raises(ToolshapeError, match="a part of the value was gone") as failure:
                await RedisStore(losing).set(KEYS[0], LONG, 90)
        assert failure.value.code == "STORE_FAILED"
        assert await client.keys() == []

    on_redis(machine.given("TOOLSHAPE_REDIS_URL"), test)


def test_a_part_may_be_sent_twice() -> None:
    async def test(client: Redis) -> None:
        async with Repeating.from_url(machine.given("TOOLSHAPE_REDIS_URL")) as repeating:
            await RedisStore(repeating).set(KEYS[0], LONG, 90)
        assert await RedisStore(client).get(KEYS[0]) == LONG

    on_redis(machine.given("TOOLSHAPE_REDIS_URL"), test)


def test_a_long_value_that_does_not_fit_leaves_the_room_that_there_was() -> None:
    async def run(url: str) -> None:
        async with Redis.from_url(url) as client:
            store = RedisStore(client)
            with pytest.raises(OutOfMemoryError):
                await store.set(KEYS[0], "word " * (2 * PART), 90)
            await store.set(KEYS[1], "short", 90)
            assert await client.keys() == [f"toolshape:{KEYS[1]}".encode()]

    with machine.own_redis("--maxmemory", "30mb", "--maxmemory-policy", "noeviction") as redis:
        asyncio.run(run(redis.url))


def test_a_write_that_is_given_up_expires() -> None:
    class Waiting(Interfering):
        async def interfere(self, name: Any, offset: int, value: Any) -> None:
            await asyncio.sleep(60)

    async def test(client: Redis) -> None:
        async with Waiting.from_url(machine.given("TOOLSHAPE_REDIS_URL")) as waiting:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(RedisStore(waiting).set(KEYS[0], LONG, 90), 1)
        (left,) = await client.keys()
        assert left != f"toolshape:{KEYS[0]}"
        assert 0 < await client.pttl(left) <= 60_000

    on_redis(machine.given("TOOLSHAPE_REDIS_URL"), test)


PREFIXES = {
    "toolshape:": True,
    "": True,
    "{ts}:": True,
    "a{b}c:": True,
    "a}{b}:": True,
    "a{b:": False,
    "a}b:": False,
    "{}ts:": False,
}


@pytest.mark.parametrize(("prefix", "in_parts"), PREFIXES.items())
def test_a_long_value_is_written_in_the_hash_slot_of_its_place(prefix: str, in_parts: bool) -> None:
    names: list[str] = []

    class Noting(Redis):
        async def set(self, name: Any, *given: Any, **options: Any) -> Any:
            names.append(name)
            return await super().set(name, *given, **options)

    async def test(client: Redis) -> None:
        async with Noting.from_url(machine.given("TOOLSHAPE_REDIS_URL")) as noting:
            await RedisStore(noting, prefix=prefix).set(KEYS[0], LONG, 90)
        assert await client.get(f"{prefix}{KEYS[0]}") == LONG
        assert await client.keys() == [f"{prefix}{KEYS[0]}"]

    on_redis(machine.given("TOOLSHAPE_REDIS_URL"), test)
    assert [key_slot(name.encode()) for name in names] == [key_slot(f"{prefix}{KEYS[0]}".encode())]
    assert names[0].startswith(prefix)
    assert (names[0] != f"{prefix}{KEYS[0]}") == in_parts


def test_a_cluster_keeps_a_long_value(tmp_path: Path) -> None:
    async def run(url: str) -> None:
        async with Redis.from_url(url, decode_responses=True) as node:
            await node.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            while "cluster_state:ok" not in str(await node.execute_command("CLUSTER", "INFO")):
                await asyncio.sleep(0.05)
        async with RedisCluster.from_url(url) as client:
            cluster: Any = client
            await RedisStore(cluster).set(KEYS[0], LONG, 90)
            assert await RedisStore(cluster).get(KEYS[0]) == LONG

    with machine.own_redis("--cluster-enabled", "yes", "--dir", str(tmp_path)) as redis:
        asyncio.run(asyncio.wait_for(run(redis.url), 30))
