"""A store in Redis or Valkey that every language can read: the value of ``toolshape:<key>`` is the result's text."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterator

from redis.asyncio import Redis

from .._error import ToolshapeError
from ._ledger import VALUE_BYTES, Incoming, Ledger
from ._store import check_key, check_ttl

# The prefix that marks binary data in unstorage; a text that begins with it is stored as binary data.
MARK = "base64:"

# The most characters that are sent with one command: a client copies each command several times.
PART = 2**22
# How long a value that is not whole yet may stay after its last part, in milliseconds.
UNFINISHED = 60_000


class RedisStore:
    """Keeps results in a Redis that several machines share, in Python and TypeScript.

    ``UnstorageStore`` of the npm package, with unstorage's Redis driver, reads and writes the same entries. The caller
    owns the client and closes it. Give it short timeouts (``socket_connect_timeout``, ``socket_timeout``), because a
    tool call waits for its store, and a ``BlockingConnectionPool``, because the default pool refuses calls over its limit. What this process wrote has at most ``max_bytes``; ``max_value_bytes`` and
    ``max_share`` as in ``MemoryStore``.
    """

    def __init__(
        self,
        client: Redis,
        *,
        prefix: str = "toolshape:",
        max_bytes: int = 2**30,
        max_value_bytes: int = VALUE_BYTES,
        max_share: float = 1,
    ) -> None:
        self._client = client
        self._prefix = prefix
        self._ledger = Ledger(max_bytes, max_value_bytes, max_share)

    async def get(self, key: str) -> str | None:
        """The value of ``key``, or ``None``."""
        value: str | bytes | None = await self._client.get(self._prefix + check_key(key))
        text = value.decode("utf-8") if isinstance(value, bytes) else value
        if text is None or not text.startswith(MARK):
            return text
        return base64.b64decode(text.removeprefix(MARK)).decode("utf-8")

    async def set(self, key: str, value: str, ttl_seconds: float, owner: str | None = None) -> None:
        """Keeps ``value``; raises the client's errors, and ``STORE_FAILED`` if it has no room."""
        name = self._prefix + check_key(key)
        check_ttl(ttl_seconds)
        size = len(value) if value.isascii() else sum(len(part) for part in _parts(value))
        expires = max(1, round(ttl_seconds * 1000))

        async def write() -> None:
            if value.startswith(MARK):
                await self._client.set(name, MARK.encode("ascii") + base64.b64encode(value.encode("utf-8")), px=expires)
            elif len(value) <= PART:
                await self._client.set(name, value.encode("utf-8"), px=expires)
            else:
                await self._write_in_parts(name, value, expires)

        await self._ledger.keep_async(Incoming(key, size, owner, ttl_seconds), self._remove, write)

    async def _write_in_parts(self, name: str, value: str, expires: int) -> None:
        """Writes a value beside its place, then moves it there. What is left of one that failed expires by itself."""
        # Its prefix is for access lists. In a cluster the name in braces gives it the hash slot of its place
        # (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags).
        beside = f"{self._prefix}{{{name}}}.{secrets.token_hex(8)}"
        written = 0
        for part in _parts(value):
            async with self._client.pipeline(transaction=True) as commands:
                commands.append(beside, part)
                commands.pexpire(beside, UNFINISHED)
                length, _ = await commands.execute()
            written += len(part)
            if length != written:
                await self._client.delete(beside)
                raise ToolshapeError("a part of the value was gone before the rest was written", "STORE_FAILED")
        async with self._client.pipeline(transaction=True) as commands:
            commands.pexpire(beside, expires)
            commands.rename(beside, name)
            await commands.execute()

    async def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        await self._remove(check_key(key))
        self._ledger.forget(key)

    async def _remove(self, key: str) -> None:
        await self._client.delete(self._prefix + key)


def _parts(value: str) -> Iterator[bytes]:
    return (value[start : start + PART].encode("utf-8") for start in range(0, len(value), PART))
