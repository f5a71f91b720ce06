"""A store in any backend of ``py-key-value-aio``: Redis, Valkey, MongoDB, DynamoDB, a database."""

from __future__ import annotations

from key_value.aio.protocols import AsyncKeyValue

from ._ledger import STORE_BYTES, VALUE_BYTES, Ledger
from ._store import check_key, check_ttl

# Keyv adds one more to a text that begins with it, and removes one when it reads.
ESCAPE = ":"


class KeyValueStore:
    """Keeps results in a ``py-key-value-aio`` store, which several machines can share.

    Its stores accept mappings only, so a result is stored as ``{"content": text}``, in ``collection``. Times to live
    are in seconds in both. What this process wrote has at most ``max_bytes``; ``max_value_bytes`` and ``max_share`` as in
    ``MemoryStore``. On Redis, ``KeyvStore`` of the npm package reads and writes the same entries.
    """

    def __init__(
        self,
        key_value: AsyncKeyValue,
        *,
        collection: str = "toolshape",
        max_bytes: int = STORE_BYTES,
        max_value_bytes: int = VALUE_BYTES,
        max_share: float = 1,
    ) -> None:
        self._key_value = key_value
        self._collection = collection
        self._ledger = Ledger(max_bytes, max_value_bytes, max_share)

    async def get(self, key: str) -> str | None:
        """The value of ``key``, or ``None``."""
        entry = await self._key_value.get(check_key(key), collection=self._collection)
        content = entry.get("content") if entry else None
        return content.removeprefix(ESCAPE) if isinstance(content, str) else None

    async def set(self, key: str, value: str, ttl_seconds: float, owner: str | None = None) -> None:
        """Keeps ``value``; raises the store's errors, and ``STORE_FAILED`` if it has no room."""
        check_key(key)
        check_ttl(ttl_seconds)
        entry = {"content": ESCAPE + value if value.startswith(ESCAPE) else value}

        async def write() -> None:
            await self._key_value.put(key, entry, collection=self._collection, ttl=ttl_seconds)

        incoming = (key, len(value.encode("utf-8")), owner, ttl_seconds)
        await self._ledger.keep_async(incoming, self._remove, write)

    async def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        await self._remove(check_key(key))
        self._ledger.forget(key)

    async def _remove(self, key: str) -> None:
        await self._key_value.delete(key, collection=self._collection)
