"""A store in a local folder.

Each result is a file that contains its text and nothing else. The file's modification time is its expiry: so a sweep
reads no file, a time to live outlasts the process that set it, and every language uses the same time. It counts in
hundredths of a second; the four digits below them are a number for the file's owner.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import RLock

from .._error import ToolshapeError
from .._misplaced import keywords
from ._folder import ASIDE, Folder
from ._ledger import STORE_BYTES, VALUE_BYTES, Incoming, Ledger
from ._store import check_key, check_ttl, is_key

# The interval of sweeps, which find what other processes have written.
SWEEP_SECONDS = 60

# A temporary file that is older was left by a process that died: no write takes as long.
ASIDE_SECONDS = 60 * 60


# The part of the size that a sweep leaves, so that not every write to a full store sweeps.
LEFT = 0.9

# The number of owners that a file's time can express.
OWNERS = 10_000


class FileStore:
    """Keeps results as files in a separate folder, which is created if it does not exist, for one user's processes. A
    ``~`` at its start is the user's home.

    Only that user can read them. Files are removed when they expire; if all together exceed ``max_bytes``, those of the
    owner with the most that expire soonest are removed first. This happens while writing, or in ``sweep``. An owner,
    which is a ``scope``, may have ``max_share`` of ``max_bytes``, and a value ``max_value_bytes``. Links are not followed,
    neither to the folder nor in it: ``STORE_FAILED`` for a folder that is a link, that others may open, or that has files
    but not the one that marks a store's, ``.toolshape-store``.
    """

    @keywords
    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        max_bytes: int = STORE_BYTES,
        max_value_bytes: int = VALUE_BYTES,
        max_share: float = 1,
    ) -> None:
        self._new_ledger = partial(Ledger, max_bytes, max_value_bytes, max_share)
        # The files at the last sweep, and what was written since.
        self._ledger = self._new_ledger()
        self._path = Path(folder).expanduser().absolute()
        # What is being written: a sweep may not see it yet.
        self._writing: dict[int, Incoming] = {}
        # For sweeps, one after the other.
        self._lock = RLock()
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

    def set(self, key: str, value: str, ttl_seconds: float, owner: str | None = None) -> None:
        """Keeps ``value``; raises ``STORE_FAILED`` if that fails, and then leaves nothing of it."""
        check_key(key)
        check_ttl(ttl_seconds)
        content = value.encode("utf-8")
        self._ledger.check(len(content))
        number = _number_of(owner)
        incoming = Incoming(key, len(content), str(number), math.inf)
        with _attempt("the file cannot be written"), Folder(self._path, make=True) as folder:
            expires_ns = _expiry_of(time.time() + ttl_seconds, number)
            # A file that cannot be read is replaced.
            with suppress(OSError):
                if folder.prolong(key, content, expires_ns):
                    return
            try:
                self._make_room(folder, incoming)
                folder.write(key, content, expires_ns)
            finally:
                self._writing.pop(id(incoming), None)

    def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        check_key(key)
        with _attempt("the file cannot be deleted"), suppress(FileNotFoundError), Folder(self._path) as folder:
            folder.remove(key)
        self._ledger.forget(key)

    def sweep(self) -> None:
        """Removes expired files and files that a killed process left, then files until the folder is within
        its limits.
        """
        with _attempt("the folder cannot be swept"), suppress(FileNotFoundError), Folder(self._path) as folder:
            with self._lock:
                self._sweep(folder)

    def _make_room(self, folder: Folder, incoming: Incoming) -> None:
        """Sweeps if the interval has passed, or if a value has no room."""
        with self._lock:
            if not self._ledger.has_room(incoming) or time.monotonic() >= self._next_sweep:
                # A value may be kept even if the sweep fails; the next write sweeps again.
                with suppress(OSError):
                    self._sweep(folder, incoming)
            self._ledger.enter(incoming)
            self._writing[id(incoming)] = incoming

    def _sweep(self, folder: Folder, incoming: Incoming | None = None) -> None:
        """Sweeps, and makes room for a value."""
        now = time.time()
        writing = list(self._writing.values())
        kept = {}
        for name, found in folder.files():
            if is_key(name) and found.st_mtime > now:
                kept[name] = found
            elif is_key(name):
                folder.remove(name, judged=found)
            # Not the modification time, which is in the future.
            elif re.fullmatch(ASIDE, name) and found.st_ctime < now - ASIDE_SECONDS:
                folder.remove(name)
        ledger = self._new_ledger()
        for name, found in sorted(kept.items(), key=lambda file: file[1].st_mtime_ns):
            # The files say themselves when they expire.
            ledger.enter(Incoming(name, found.st_size, _owner_of(found), math.inf))
        for other in writing:
            ledger.enter(other, is_pending=True)
        gone = ledger.take_over(LEFT) if incoming is None else ledger.take_way(incoming, LEFT)
        for entry in gone:
            folder.remove(entry.key, judged=kept[entry.key])
        self._ledger = ledger
        self._next_sweep = time.monotonic() + SWEEP_SECONDS


def _number_of(owner: str | None) -> int:
    """A number for an owner, the same in every language and process."""
    return int.from_bytes(hashlib.sha256((owner or "").encode("utf-8")).digest()[:4], "big") % OWNERS


def _expiry_of(seconds: float, owner: int) -> int:
    """A time in nanoseconds, with the number of an owner in its microseconds."""
    return (math.floor(seconds * 100) * OWNERS + owner) * 1000


def _owner_of(found: os.stat_result) -> str:
    return str(found.st_mtime_ns // 1000 % OWNERS)


@contextmanager
def _attempt(what: str) -> Iterator[None]:
    """Raises an error that names what the system refused, without the paths in the system's own messages."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else type(error).__name__
        raise ToolshapeError(f"{what}: {why}", "STORE_FAILED") from error
