"""A store in Redis or Valkey that every language can read: the value of ``toolshape:<key>`` is the result's text."""

from __future__ import annotations

import base64

from redis.asyncio import Redis

from ._store import check_key, check_ttl

# The prefix that marks binary data in unstorage; a text that begins with it is stored as binary data.
MARK = "base64:"


class RedisStore:
    """Keeps results in a Redis that several machines share, in Python and TypeScript.

    ``UnstorageStore`` of the npm package, with unstorage's Redis driver, reads and writes the same entries. The caller
    owns the client and closes it. Give it short timeouts (``socket_connect_timeout``, ``socket_timeout``), because a
    tool call waits for its store.
    """

    def __init__(self, client: Redis, *, prefix: str = "toolshape:") -> None:
        self._client = client
        self._prefix = prefix

    async def get(self, key: str) -> str | None:
        """The value of ``key``, or ``None``."""
        value: str | bytes | None = await self._client.get(self._prefix + check_key(key))
        text = value.decode("utf-8") if isinstance(value, bytes) else value
        if text is None or not text.startswith(MARK):
            return text
        return base64.b64decode(text.removeprefix(MARK)).decode("utf-8")

    async def set(self, key: str, value: str, ttl_seconds: float) -> None:
        """Keeps ``value``; raises the client's errors."""
        check_ttl(ttl_seconds)
        if value.startswith(MARK):
            value = MARK + base64.b64encode(value.encode("utf-8")).decode("ascii")
        await self._client.set(self._prefix + check_key(key), value, px=max(1, round(ttl_seconds * 1000)))

    async def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        await self._client.delete(self._prefix + check_key(key))
