"""A store in a local folder.

Each result is a file that contains its text and nothing else. The file's modification time is its expiry: so a sweep
reads no file, a time to live outlasts the process that set it, and every language uses the same time.
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

# The interval of sweeps, which find what other processes have written.
SWEEP_SECONDS = 60

# A temporary file that is older was left by a process that died: no write takes as long.
ASIDE_SECONDS = 60 * 60


class FileStore:
    """Keeps results as files in a separate folder, which is created if it does not exist, for one user's processes.

    Only that user can read them. Files are removed when they expire; if all together exceed ``max_bytes``, those that
    expire soonest are removed first. This happens while writing, or in ``sweep``. Links are not followed, neither to
    the folder nor in it: ``STORE_FAILED`` for a folder that is a link, or that others may open.
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
        """The value of ``key``, or ``None``; raises ``STORE_FAILED`` if the file cannot be read."""
        check_key(key)
        with _attempt("the file cannot be read"), suppress(FileNotFoundError), Folder(self._path) as folder:
            content = folder.read(key)
            with suppress(UnicodeDecodeError):
                return None if content is None else content.decode("utf-8")
        return None

    def set(self, key: str, value: str, ttl_seconds: float) -> None:
        """Keeps ``value``; raises ``STORE_FAILED`` if that fails, and then leaves nothing of it."""
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
            # A value may be kept even if the sweep fails; the next write sweeps again.
            with suppress(OSError):
                self._make_room(folder, len(content))
            folder.write(key, content, expires)

    def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        check_key(key)
        with _attempt("the file cannot be deleted"), suppress(FileNotFoundError), Folder(self._path) as folder:
            folder.remove(key)

    def sweep(self) -> None:
        """Removes expired files and files that a killed process left, then files until the folder is within
        ``max_bytes``.
        """
        with _attempt("the folder cannot be swept"), suppress(FileNotFoundError), Folder(self._path) as folder:
            _sweep(folder, self._max_bytes)

    def _make_room(self, folder: Folder, size: int) -> None:
        """Sweeps if the interval has passed, or if ``size`` more bytes may be too many."""
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
    """Makes room for ``size`` bytes, and returns the total size including them."""
    now = time.time()
    kept = []
    for name, found in folder.files():
        if is_key(name) and found.st_mtime > now:
            kept.append((found.st_mtime, name, found))
        elif is_key(name):
            folder.remove(name, judged=found)
        # Not the modification time, which is in the future.
        elif re.fullmatch(ASIDE, name) and found.st_ctime < now - ASIDE_SECONDS:
            folder.remove(name)
    total = size + sum(found.st_size for _, _, found in kept)
    if total > max_bytes:
        kept.sort(key=lambda file: file[0])
        for _, name, found in kept:
            # A tenth is kept free, so that not every write to a full store sweeps.
            if total <= max_bytes - max_bytes // 10:
                break
            folder.remove(name, judged=found)
            total -= found.st_size
    return total


@contextmanager
def _attempt(what: str) -> Iterator[None]:
    """Raises an error that names what the system refused, without the paths in the system's own messages."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else type(error).__name__
        raise ToolshapeError(f"{what}: {why}", "STORE_FAILED") from error
