"""A store in Redis or Valkey that every language reads: the value under ``toolshape:<key>`` is the result's text."""

from __future__ import annotations

import base64

from redis.asyncio import Redis

from ._store import check_key, check_ttl

# What unstorage takes for its own mark of binary data; a text that begins with it stands as such.
MARK = "base64:"


class RedisStore:
    """Keeps results in a Redis that several machines share, Python and TypeScript together.

    ``UnstorageStore`` of the npm package, with unstorage's Redis driver, reads the same entries and writes them so.
    The client is the caller's, who closes it. Give it short timeouts (``socket_connect_timeout``,
    ``socket_timeout``), for a tool waits for its store.
    """

    def __init__(self, client: Redis, *, prefix: str = "toolshape:") -> None:
        self._client = client
        self._prefix = prefix

    async def get(self, key: str) -> str | None:
        """The value under ``key``, or ``None``."""
        value: str | bytes | None = await self._client.get(self._prefix + check_key(key))
        text = value.decode("utf-8") if isinstance(value, bytes) else value
        if text is None or not text.startswith(MARK):
            return text
        return base64.b64decode(text.removeprefix(MARK)).decode("utf-8")

    async def set(self, key: str, value: str, ttl_seconds: float) -> None:
        """Keeps ``value``; raises what the client raises."""
        check_ttl(ttl_seconds)
        if value.startswith(MARK):
            value = MARK + base64.b64encode(value.encode("utf-8")).decode("ascii")
        await self._client.set(self._prefix + check_key(key), value, px=max(1, round(ttl_seconds * 1000)))

    async def delete(self, key: str) -> None:
        """Forgets ``key``, if it is there."""
        await self._client.delete(self._prefix + check_key(key))
