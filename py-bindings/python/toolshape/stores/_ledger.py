"""The limits of stores, and what a process has put into one that writes itself: how much, whose, until when."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from .. import _toolshape as core
from ._store import check_part, check_positive

# Generated from the tables of options: UPDATE_OPTIONS=1 cargo test --test options
# The default limits in bytes: of all values in memory, of all values elsewhere, and of one value.
MEMORY_BYTES = 128 * 2**20
STORE_BYTES = 1024 * 2**20
VALUE_BYTES = 64 * 2**20

# The end of the generated part.

# How often a writer looks whether a value that is being deleted is gone.
WAIT_SECONDS = 0.005

# A value on its way into a store: its key, bytes, owner and time to live.
Incoming = tuple[str, int, str | None, float]


def check_limits(max_bytes: float, max_value_bytes: float, max_share: float) -> tuple[float, float, float]:
    """The limits; ``INVALID_CALL`` for one out of range."""
    check_positive("max_bytes", max_bytes)
    check_positive("max_value_bytes", max_value_bytes)
    check_part("max_share", max_share)
    return max_bytes, max_value_bytes, max_share


class Ledger:
    """The account of one store in one process. Threads may share it."""

    def __init__(self, max_bytes: float, max_value_bytes: float, max_share: float) -> None:
        self._account = core.StoreAccount(*check_limits(max_bytes, max_value_bytes, max_share))

    def forget(self, key: str) -> None:
        """Takes out a value that was deleted."""
        self._account.forget(key)

    def keep(self, value: Incoming, remove: Callable[[str], object], write: Callable[[], object]) -> None:
        """Writes a value within the limits: ``remove`` deletes what is evicted, then ``write`` writes it.

        Raises ``STORE_FAILED``, and what ``remove`` and ``write`` raise.
        """
        while (keeping := self._account.begin(*value)) is None:
            time.sleep(WAIT_SECONDS)
        is_written = False
        try:
            for key in keeping.leaving():
                remove(key)
                keeping.removed(key)
            keeping.check()
            write()
            is_written = True
        finally:
            keeping.end(is_written)

    async def keep_async(
        self, value: Incoming, remove: Callable[[str], Awaitable[object]], write: Callable[[], Awaitable[object]]
    ) -> None:
        """Like ``keep``, with asynchronous work."""
        while (keeping := self._account.begin(*value)) is None:
            await asyncio.sleep(WAIT_SECONDS)
        begun = keeping

        async def leave(key: str) -> None:
            await remove(key)
            begun.removed(key)

        is_written = False
        try:
            await asyncio.gather(*map(leave, begun.leaving()))
            begun.check()
            await write()
            is_written = True
        finally:
            begun.end(is_written)
