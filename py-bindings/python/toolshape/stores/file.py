"""A store in a folder of this machine.

Each result is a file whose bytes are its text and nothing else, and whose time of modification is when it expires: so
a sweep reads no file, a time to live outlasts the process that gave it, and every language keeps the same.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from .._error import ToolshapeError
from ._folder import ASIDE, Folder
from ._store import check_key, check_limit, check_size, check_ttl, is_key

# How long others may write to the folder before a sweep looks what they wrote.
SWEEP_SECONDS = 60

# No write takes as long: what has stood aside since then has lost its writer.
ASIDE_SECONDS = 60 * 60


class FileStore:
    """Keeps results as files in a folder of their own, made if it is not there, for one user's processes.

    Only that user can read them. Files go when they expire; where all together pass ``max_bytes``, those that
    expire soonest go first. That is looked after while writing, or by ``sweep``. Links are not followed,
    neither to the folder nor in it: ``STORE_FAILED`` for a folder that is one, or that others may open.
    """

    def __init__(self, folder: str | os.PathLike[str], *, max_bytes: int = 2**30) -> None:
        check_limit(max_bytes)
        self._path = Path(folder).absolute()
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._total = 0
        self._next_sweep = 0.0
        with _attempt("the folder cannot be made"), Folder(self._path, make=True):
            pass

    def get(self, key: str) -> str | None:
        """The value under ``key``, or ``None``; raises ``STORE_FAILED`` where the file cannot be read."""
        check_key(key)
        with _attempt("the file cannot be read"), suppress(FileNotFoundError), Folder(self._path) as folder:
            content = folder.read(key)
            with suppress(UnicodeDecodeError):
                return None if content is None else content.decode("utf-8")
        return None

    def set(self, key: str, value: str, ttl_seconds: float) -> None:
        """Keeps ``value``; raises ``STORE_FAILED`` where that cannot be, and then nothing of it is left."""
        check_key(key)
        check_ttl(ttl_seconds)
        content = value.encode("utf-8")
        check_size(len(content), self._max_bytes)
        with _attempt("the file cannot be written"), Folder(self._path, make=True) as folder:
            expires = time.time() + ttl_seconds
            # A file that cannot be read is replaced.
            with suppress(OSError):
                if folder.prolong(key, content, expires):
                    return
            # A value may be kept though a sweep fails; the next write tries again.
            with suppress(OSError):
                self._make_room(folder, len(content))
            folder.write(key, content, expires)

    def delete(self, key: str) -> None:
        """Forgets ``key``, if it is there."""
        check_key(key)
        with _attempt("the file cannot be deleted"), suppress(FileNotFoundError), Folder(self._path) as folder:
            folder.remove(key)

    def sweep(self) -> None:
        """Removes what has expired and what a killed process left, then what is over ``max_bytes``."""
        with _attempt("the folder cannot be swept"), suppress(FileNotFoundError), Folder(self._path) as folder:
            _sweep(folder, self._max_bytes)

    def _make_room(self, folder: Folder, size: int) -> None:
        """Sweeps if it is time for that, or if ``size`` bytes more may be too many."""
        now = time.monotonic()
        with self._lock:
            self._total += size
            if self._total <= self._max_bytes and now < self._next_sweep:
                return
            self._next_sweep = now + SWEEP_SECONDS
        total = _sweep(folder, self._max_bytes, size)
        with self._lock:
            self._total = total


def _sweep(folder: Folder, max_bytes: int, size: int = 0) -> int:
    """Makes room for ``size`` bytes, and says how many there will be with them."""
    now = time.time()
    kept = []
    for name, found in folder.files():
        if is_key(name) and found.st_mtime > now:
            kept.append((found.st_mtime, name, found))
        elif is_key(name):
            folder.remove(name, judged=found)
        # Not by the time of change, which is in the future.
        elif re.fullmatch(ASIDE, name) and found.st_ctime < now - ASIDE_SECONDS:
            folder.remove(name)
    total = size + sum(found.st_size for _, _, found in kept)
    if total > max_bytes:
        kept.sort(key=lambda file: file[0])
        for _, name, found in kept:
            # A tenth is left free, so that not every write to a full store has to sweep.
            if total <= max_bytes - max_bytes // 10:
                break
            folder.remove(name, judged=found)
            total -= found.st_size
    return total


@contextmanager
def _attempt(what: str) -> Iterator[None]:
    """Says what the system refused, without the paths that its own messages name."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else type(error).__name__
        raise ToolshapeError(f"{what}: {why}", "STORE_FAILED") from error
