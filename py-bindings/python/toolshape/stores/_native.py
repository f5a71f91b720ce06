"""A store of the core."""

from __future__ import annotations

from .. import _toolshape as core
from ._ledger import check_limits
from ._store import check_key, check_ttl


class NativeStore:
    """What stores of the core have in common. Threads may share one."""

    def __init__(self, folder: str | None, max_bytes: float, max_value_bytes: float, max_share: float) -> None:
        self._store = core.NativeStore(folder, *check_limits(max_bytes, max_value_bytes, max_share))

    def get(self, key: str) -> str | None:
        """The value of ``key``, or ``None``; raises ``STORE_FAILED`` if it cannot be read."""
        return self._store.get(check_key(key))

    def set(self, key: str, value: str, ttl_seconds: float, owner: str | None = None) -> None:
        """Keeps ``value``; raises ``STORE_FAILED`` if that fails or it has no room, and then leaves nothing of it."""
        check_key(key)
        check_ttl(ttl_seconds)
        self._store.set(key, value, ttl_seconds, owner)

    def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        self._store.delete(check_key(key))
