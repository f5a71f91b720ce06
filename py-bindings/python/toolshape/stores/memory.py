"""A store in this process's memory."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Lock

from ._store import check_key, check_limit, check_size, check_ttl


@dataclass(frozen=True)
class _Entry:
    value: str
    size: int
    expires: float


class MemoryStore:
    """Keeps results until they expire; if all together exceed ``max_bytes``, the oldest are removed first.

    Threads may share it. Handles do not outlive the process.
    """

    def __init__(self, *, max_bytes: int = 64 * 2**20) -> None:
        check_limit(max_bytes)
        self._max_bytes = max_bytes
        self._lock = Lock()
        # In order of writing.
        self._entries: dict[str, _Entry] = {}
        self._total = 0

    def get(self, key: str) -> str | None:
        """The value of ``key``, or ``None``."""
        check_key(key)
        with self._lock:
            entry = self._entries.get(key)
            return entry.value if entry and entry.expires > time.monotonic() else None

    def set(self, key: str, value: str, ttl_seconds: float) -> None:
        """Keeps ``value``; raises ``STORE_FAILED`` if it alone is over ``max_bytes``."""
        check_key(key)
        check_ttl(ttl_seconds)
        size = len(value) if value.isascii() else len(value.encode("utf-8"))
        check_size(size, self._max_bytes)
        now = time.monotonic()
        with self._lock:
            self._drop(key)
            for old in [key for key, entry in self._entries.items() if entry.expires <= now]:
                self._drop(old)
            while self._total + size > self._max_bytes:
                self._drop(next(iter(self._entries)))
            self._entries[key] = _Entry(value, size, now + ttl_seconds)
            self._total += size

    def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        check_key(key)
        with self._lock:
            self._drop(key)

    def _drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry:
            self._total -= entry.size
