"""What a process has put into a store: how much, whose, until when; and what is evicted for a new value.

First goes what has expired; then the writer's own oldest, where it is over its share; then the oldest of those who have
the most. What an owner has within an equal part of the store (its size, divided by its owners) is never evicted for
another's value: the value is refused instead.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from threading import RLock
from types import TracebackType
from typing import NamedTuple

from .._error import ToolshapeError
from ._store import check_part, check_positive

# Generated from the tables of options: UPDATE_OPTIONS=1 cargo test --test options
# The default limits in bytes: of all values in memory, of all values elsewhere, and of one value.
MEMORY_BYTES = 128 * 2**20
STORE_BYTES = 1024 * 2**20
VALUE_BYTES = 64 * 2**20

# The end of the generated part.

# How often a writer looks whether a value that is being deleted is gone.
WAIT_SECONDS = 0.005


class Incoming(NamedTuple):
    """A value on its way into a store. ``owner`` is opaque; ``None`` is an owner too."""

    key: str
    size: int
    owner: str | None
    ttl_seconds: float


@dataclass(eq=False)
class Entry:
    """A value in the account. One that is being written is not evicted: it would be deleted before it is there."""

    key: str
    size: int
    owner: str
    expires: float
    ttl_seconds: float
    is_pending: bool


@dataclass(eq=False)
class _Owner:
    """What one owner has, the oldest first."""

    size: int = 0
    entries: OrderedDict[Entry, None] = field(default_factory=OrderedDict)


class Ledger:
    """The account of one store in one process. Threads may share it."""

    def __init__(self, max_bytes: float, max_value_bytes: float, max_share: float) -> None:
        check_positive("max_bytes", max_bytes)
        check_positive("max_value_bytes", max_value_bytes)
        check_part("max_share", max_share)
        self._max_bytes = max_bytes
        self._max_value_bytes = max_value_bytes
        self._share = max_bytes * max_share
        self.lock = RLock()
        self._size = 0
        self._entries: dict[str, Entry] = {}
        self._owners: dict[str, _Owner] = {}
        # Entries of one time to live expire in the order in which they were written. A plain dict passes the places of
        # all that left to find its first entry: with many small results that is most of the time of a write.
        self._by_ttl: dict[float, OrderedDict[Entry, None]] = {}
        # Keys that are being deleted.
        self.leaving: set[str] = set()

    def check(self, size: int) -> None:
        """``STORE_FAILED`` for a value that is too large even for an empty store."""
        limits = (
            (self._max_bytes, "the whole store"),
            (self._max_value_bytes, "one value"),
            (self._share, "one owner"),
        )
        for most, whose in limits:
            if size > most:
                message = f"the value has {size} bytes, more than the {math.floor(most)} of {whose}"
                raise ToolshapeError(message, "STORE_FAILED")

    def at(self, key: str) -> Entry | None:
        """What was entered under a key."""
        return self._entries.get(key)

    def has(self, key: str) -> bool:
        """Whether a value was entered and has not expired."""
        with self.lock:
            entry = self._entries.get(key)
            return entry is not None and entry.expires > time.monotonic()

    def take_expired(self) -> list[Entry]:
        """Takes out everything that has expired."""
        now = time.monotonic()
        gone: list[Entry] = []
        with self.lock:
            for entries in self._by_ttl.values():
                alike = takewhile(lambda entry: entry.expires <= now, entries)
                gone += [entry for entry in alike if not entry.is_pending]
            return [self.take(entry) for entry in gone]

    def has_room(self, value: Incoming) -> bool:
        """Whether a value has room without anything giving way."""
        with self.lock:
            own, total, _ = self._after(value)
            return own <= self._share and total <= self._max_bytes

    def take_way(self, value: Incoming, left: float = 1) -> list[Entry]:
        """Evicts entries for a value. If any entry is evicted, enough are that only ``left``, a share, of the
        store is used.

        ``STORE_FAILED`` if too little may be evicted; then nothing is.
        """
        with self.lock:
            if self.has_room(value):
                return []
            return [self.take(entry) for entry in self._giving_way(value, left)]

    def take_over(self, left: float = 1) -> list[Entry]:
        """Takes out what is too much already, for a store that others write to as well; ``left`` as in ``take_way``."""
        return self.take_way(Incoming("", 0, None, 1), left)

    def enter(self, value: Incoming, *, is_pending: bool = False) -> Entry:
        """Enters a value, in place of one under the same key."""
        key, size, owner, ttl_seconds = value
        with self.lock:
            self.forget(key)
            expires = time.monotonic() + ttl_seconds
            return self.add(Entry(key, size, owner or "", expires, ttl_seconds, is_pending))

    def forget(self, key: str) -> None:
        """Takes out a value that was deleted."""
        with self.lock:
            entry = self._entries.get(key)
            if entry is not None:
                self.take(entry)

    def keep(self, value: Incoming, remove: Callable[[str], object], write: Callable[[], object]) -> None:
        """Writes a value within the limits: ``remove`` deletes what is evicted, then ``write`` writes it.

        Raises ``STORE_FAILED``, and what ``remove`` and ``write`` raise.
        """
        self.check(value.size)
        keeping = _Keeping(self, value)
        while not keeping.start():
            time.sleep(WAIT_SECONDS)
        with keeping:
            for entry in list(keeping.leaving):
                remove(entry.key)
                keeping.removed(entry)
            keeping.check()
            write()

    async def keep_async(
        self, value: Incoming, remove: Callable[[str], Awaitable[object]], write: Callable[[], Awaitable[object]]
    ) -> None:
        """Like ``keep``, with asynchronous work."""
        self.check(value.size)
        keeping = _Keeping(self, value)
        while not keeping.start():
            await asyncio.sleep(WAIT_SECONDS)

        async def leave(entry: Entry) -> None:
            await remove(entry.key)
            keeping.removed(entry)

        with keeping:
            await asyncio.gather(*map(leave, keeping.leaving))
            keeping.check()
            await write()

    def _giving_way(self, value: Incoming, left: float) -> list[Entry]:
        own, total, before = self._after(value)
        gone: dict[Entry, None] = {}
        freed = 0

        def give(owner: _Owner, size: float, most: float, goal: float) -> None:
            nonlocal freed
            for entry in owner.entries:
                if size <= most or total - freed <= goal:
                    return
                if entry.is_pending or entry is before or entry in gone:
                    continue
                gone[entry] = None
                size -= entry.size
                freed += entry.size

        writer = self._owners.get(value.owner or "")
        if writer is not None and own > self._share:
            give(writer, own, self._share * left, -math.inf)
        stays = own - freed
        if total - freed > self._max_bytes:
            goal = self._max_bytes * left
            others = [owner for owner in self._owners.values() if owner is not writer]
            sizes = [owner.size for owner in others]
            most = _level([*sizes, stays], goal)
            if writer is not None:
                give(writer, stays, max(most, value.size), goal)
            # For a large value, owners with more than an equal share may lose more.
            if value.size > most:
                most = max(_level(sizes, goal - value.size), self._max_bytes / (len(sizes) + 1))
            for owner in sorted(others, key=lambda owner: -owner.size):
                give(owner, owner.size, most, goal)
        if total - freed > self._max_bytes or own - freed > self._share:
            raise ToolshapeError(f"the store has no room left for a value of {value.size} bytes", "STORE_FAILED")
        return list(gone)

    def _after(self, value: Incoming) -> tuple[int, int, Entry | None]:
        """What the owner, and all together, have with a value; and what it replaces."""
        before = self._entries.get(value.key)
        replaced = before.size if before else 0
        name = value.owner or ""
        owner = self._owners.get(name)
        own = (owner.size if owner else 0) - (replaced if before and before.owner == name else 0) + value.size
        return own, self._size - replaced + value.size, before

    def add(self, entry: Entry) -> Entry:
        owner = self._owners.setdefault(entry.owner, _Owner())
        owner.entries[entry] = None
        owner.size += entry.size
        self._size += entry.size
        self._entries[entry.key] = entry
        self._by_ttl.setdefault(entry.ttl_seconds, OrderedDict())[entry] = None
        return entry

    def take(self, entry: Entry) -> Entry:
        owner = self._owners[entry.owner]
        del owner.entries[entry]
        owner.size -= entry.size
        if not owner.entries:
            del self._owners[entry.owner]
        self._size -= entry.size
        del self._entries[entry.key]
        alike = self._by_ttl[entry.ttl_seconds]
        del alike[entry]
        if not alike:
            del self._by_ttl[entry.ttl_seconds]
        return entry


class _Keeping:
    """One value on its way into a store, and the account if something fails on the way."""

    def __init__(self, ledger: Ledger, value: Incoming) -> None:
        self._ledger = ledger
        self._value = value
        self._refusal: ToolshapeError | None = None
        self._entry: Entry | None = None
        # What is evicted and not deleted yet.
        self.leaving: dict[Entry, None] = {}

    def start(self) -> bool:
        """Enters the value. False while its key is being deleted: else it might be deleted after it was written."""
        ledger = self._ledger
        with ledger.lock:
            if self._value.key in ledger.leaving:
                return False
            self._before = ledger.at(self._value.key)
            self.leaving.update(dict.fromkeys(ledger.take_expired()))
            try:
                self.leaving.update(dict.fromkeys(ledger.take_way(self._value)))
                self._entry = ledger.enter(self._value, is_pending=True)
            except ToolshapeError as refusal:
                self._refusal = refusal
            ledger.leaving.update(entry.key for entry in self.leaving)
            return True

    def removed(self, entry: Entry) -> None:
        with self._ledger.lock:
            del self.leaving[entry]
            self._ledger.leaving.discard(entry.key)

    def check(self) -> None:
        """Raises if there was no room for the value."""
        if self._refusal:
            raise self._refusal

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        ledger, entry = self._ledger, self._entry
        with ledger.lock:
            for kept in list(self.leaving):
                self.removed(kept)
                if ledger.at(kept.key) is None:
                    ledger.add(kept)
            if entry is None:
                return
            entry.is_pending = False
            current = ledger.at(entry.key)
            if kind is None and current is None:
                # A second write of the same value failed meanwhile.
                ledger.add(entry)
            elif kind is not None and current is entry:
                ledger.take(entry)
                # The previous entry may still be there.
                if self._before is not None and not self._before.is_pending:
                    ledger.add(self._before)


def _level(sizes: Sequence[float], most: float) -> float:
    """The most that each may keep, so that all have ``most`` together: who has less keeps all of it."""
    left = most
    ascending = sorted(sizes)
    for at, size in enumerate(ascending):
        part = left / (len(ascending) - at)
        if size > part:
            return max(part, 0)
        left -= size
    return math.inf
