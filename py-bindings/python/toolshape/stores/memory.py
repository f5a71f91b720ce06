"""A store in this process's memory."""

from __future__ import annotations

from ._ledger import MEMORY_BYTES, VALUE_BYTES
from ._native import NativeStore


class MemoryStore(NativeStore):
    """Keeps results until they expire; if all together exceed ``max_bytes``, the oldest of the owner with the most are
    removed first.

    An owner, which is a ``scope``, may have ``max_share`` of ``max_bytes``, and a value ``max_value_bytes``. Threads may
    share it. Handles do not outlive the process.
    """

    def __init__(
        self, *, max_bytes: int = MEMORY_BYTES, max_value_bytes: int = VALUE_BYTES, max_share: float = 1
    ) -> None:
        super().__init__(None, max_bytes, max_value_bytes, max_share)
