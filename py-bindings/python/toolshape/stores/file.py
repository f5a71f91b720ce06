"""A store in a folder of this machine.

Each result is a file whose bytes are just its text and whose time of change is the moment when it expires, in every
language alike: what one process keeps another reads, in the order of their time a listing shows what goes next, and a
time to live outlasts the process that gave it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Lock

from ._folder import ASIDE, Folder
from ._store import check_key, check_size, is_key

SWEEP_EVERY_SECONDS = 60

# No write takes as long: what stands aside since then has lost its writer.
ABANDONED_AFTER_SECONDS = 60 * 60


class FileStore:
    """Keeps results as files that only this user can read, in a folder that is made when first written to.

    Files go when they expire; where all together pass ``max_bytes``, those that expire soonest go first. That is
    looked after while writing, or by ``sweep``. Links are not followed, neither to the folder nor in it.
    Threads and processes may share the folder.
    """

    def __init__(self, folder: str | os.PathLike[str], *, max_bytes: int = 2**30) -> None:
        self._path = Path(folder).absolute()
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._total = 0
        self._next_sweep = 0.0

    def get(self, key: str) -> str | None:
        """The value under ``key``, or ``None``; raises ``OSError`` where the file cannot be read."""
        check_key(key)
        try:
            with Folder(self._path) as folder:
                content = folder.read(key)
        except FileNotFoundError:
            return None
        try:
            return None if content is None else content.decode("utf-8")
        except UnicodeDecodeError:
            return None

    def set(self, key: str, value: str, ttl_seconds: float) -> None:
        """Keeps ``value``; raises ``OSError`` where that fails, and then nothing of it is left.

        ``STORE_FAILED`` if it alone is over ``max_bytes``, or if others may get at the folder.
        """
        check_key(key)
        content = value.encode("utf-8")
        check_size(len(content), self._max_bytes)
        expires = time.time() + ttl_seconds
        with Folder(self._path, make=True) as folder:
            if not folder.prolong(key, content, expires):
                self._make_room(folder, len(content))
                folder.write(key, content, expires)

    def delete(self, key: str) -> None:
        """Forgets ``key``, if it is there."""
        check_key(key)
        try:
            with Folder(self._path) as folder:
                folder.remove(key)
        except FileNotFoundError:
            pass

    def sweep(self) -> None:
        """Removes what has expired, what abandoned writers left, and what is over ``max_bytes``."""
        try:
            with Folder(self._path) as folder:
                _sweep(folder, self._max_bytes)
        except FileNotFoundError:
            pass

    def _make_room(self, folder: Folder, size: int) -> None:
        """Sweeps if it is time for that, or if ``size`` bytes more may be too many."""
        now = time.monotonic()
        with self._lock:
            self._total += size
            if self._total <= self._max_bytes and now < self._next_sweep:
                return
            self._next_sweep = now + SWEEP_EVERY_SECONDS
        # A tenth more than it takes, so that not every write to a full store has to look through all of it.
        kept = _sweep(folder, max(0, self._max_bytes - self._max_bytes // 10 - size))
        with self._lock:
            self._total = kept + size


def _sweep(folder: Folder, most: int) -> int:
    """Removes until at most ``most`` bytes are left, and says how many are."""
    now = time.time()
    kept = []
    for name, found in folder.files():
        if is_key(name) and found.st_mtime > now:
            kept.append((found.st_mtime, name, found))
        elif is_key(name):
            folder.remove(name, judged=found)
        elif name.endswith(ASIDE) and found.st_ctime < now - ABANDONED_AFTER_SECONDS:
            folder.remove(name)
    kept.sort(key=lambda file: file[0])
    total = sum(found.st_size for _, _, found in kept)
    for _, name, found in kept:
        if total <= most:
            break
        folder.remove(name, judged=found)
        total -= found.st_size
    return total
