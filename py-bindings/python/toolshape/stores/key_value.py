"""A store in any backend of ``py-key-value-aio``: Redis, Valkey, MongoDB, DynamoDB, a database."""

from __future__ import annotations

from key_value.aio.protocols import AsyncKeyValue

from ._store import check_key, check_ttl

# Keyv adds one more to a text that begins with it, and removes one when it reads.
ESCAPE = ":"


class KeyValueStore:
    """Keeps results in a ``py-key-value-aio`` store, which several machines can share.

    Its stores accept mappings only, so a result is stored as ``{"content": text}``, in ``collection``. Times to live
    are in seconds in both. For a size limit, wrap the store in ``LimitSizeWrapper``. On Redis, ``KeyvStore`` of the npm
    package reads and writes the same entries.
    """

    def __init__(self, key_value: AsyncKeyValue, *, collection: str = "toolshape") -> None:
        self._key_value = key_value
        self._collection = collection

    async def get(self, key: str) -> str | None:
        """The value of ``key``, or ``None``."""
        entry = await self._key_value.get(check_key(key), collection=self._collection)
        content = entry.get("content") if entry else None
        return content.removeprefix(ESCAPE) if isinstance(content, str) else None

    async def set(self, key: str, value: str, ttl_seconds: float) -> None:
        """Keeps ``value``; raises the store's errors."""
        check_ttl(ttl_seconds)
        entry = {"content": ESCAPE + value if value.startswith(ESCAPE) else value}
        await self._key_value.put(check_key(key), entry, collection=self._collection, ttl=ttl_seconds)

    async def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        await self._key_value.delete(check_key(key), collection=self._collection)
