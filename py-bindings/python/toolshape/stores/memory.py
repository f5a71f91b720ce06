"""A store in this process's memory."""

from __future__ import annotations

from .._misplaced import keywords
from ._ledger import MEMORY_BYTES, VALUE_BYTES, Incoming, Ledger
from ._store import check_key, check_ttl


class MemoryStore:
    """Keeps results until they expire; if all together exceed ``max_bytes``, the oldest of the owner with the most are
    removed first.

    An owner, which is a ``scope``, may have ``max_share`` of ``max_bytes``, and a value ``max_value_bytes``. Threads may
    share it. Handles do not outlive the process.
    """

    @keywords
    def __init__(
        self, *, max_bytes: int = MEMORY_BYTES, max_value_bytes: int = VALUE_BYTES, max_share: float = 1
    ) -> None:
        self._ledger = Ledger(max_bytes, max_value_bytes, max_share)
        self._values: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        """The value of ``key``, or ``None``."""
        check_key(key)
        with self._ledger.lock:
            return self._values.get(key) if self._ledger.has(key) else None

    def set(self, key: str, value: str, ttl_seconds: float, owner: str | None = None) -> None:
        """Keeps ``value``; raises ``STORE_FAILED`` if it has no room."""
        check_key(key)
        check_ttl(ttl_seconds)
        size = len(value) if value.isascii() else len(value.encode("utf-8"))
        incoming = Incoming(key, size, owner, ttl_seconds)
        self._ledger.check(size)
        with self._ledger.lock:
            for gone in self._ledger.take_expired():
                del self._values[gone.key]
            for gone in self._ledger.take_way(incoming):
                del self._values[gone.key]
            self._ledger.enter(incoming)
            self._values[key] = value

    def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        check_key(key)
        with self._ledger.lock:
            self._ledger.forget(key)
            self._values.pop(key, None)
