"""A store in whatever ``py-key-value-aio`` has a store for: Redis, Valkey, MongoDB, DynamoDB, a database."""

from __future__ import annotations

from key_value.aio.protocols import AsyncKeyValue

from ._store import check_key, check_ttl

# Keyv writes one more before a text that begins with it, and takes one off when it reads.
ESCAPE = ":"


class KeyValueStore:
    """Keeps results in a ``py-key-value-aio`` store, several machines together.

    Its stores take mappings only, so a result stands as ``{"content": text}``, in ``collection``. Times to
    live are seconds there as here. A size limit is the store's own: wrap it in ``LimitSizeWrapper``. On Redis,
    ``KeyvStore`` of the npm package reads the same entries and writes them so.
    """

    def __init__(self, key_value: AsyncKeyValue, *, collection: str = "toolshape") -> None:
        self._key_value = key_value
        self._collection = collection

    async def get(self, key: str) -> str | None:
        """The value under ``key``, or ``None``."""
        entry = await self._key_value.get(check_key(key), collection=self._collection)
        content = entry.get("content") if entry else None
        return content.removeprefix(ESCAPE) if isinstance(content, str) else None

    async def set(self, key: str, value: str, ttl_seconds: float) -> None:
        """Keeps ``value``; raises what the store raises."""
        check_ttl(ttl_seconds)
        entry = {"content": ESCAPE + value if value.startswith(ESCAPE) else value}
        await self._key_value.put(check_key(key), entry, collection=self._collection, ttl=ttl_seconds)

    async def delete(self, key: str) -> None:
        """Forgets ``key``, if it is there."""
        await self._key_value.delete(check_key(key), collection=self._collection)
