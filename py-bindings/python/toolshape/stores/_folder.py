"""A folder that only this user can open, and that is a store's. Its files are read and written whole, and never through
a link.

Every name is opened relative to the open folder, so that a change of the folder's path has no effect. Windows has
neither that nor owners and modes: there, names are paths, and the folder's access list decides.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from .._error import ToolshapeError
from ._marker import is_marked, not_ours

POSIX = os.name == "posix"
NO_LINKS: int = getattr(os, "O_NOFOLLOW", 0)
# So that opening a planted pipe does not wait for a writer.
NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
BINARY: int = getattr(os, "O_BINARY", 0)

# The temporary names: files that are being written or deleted.
ASIDE = r"\.[0-9a-f]{32}\.part"


class Folder:
    """The open folder of a store, as a context manager. ``make`` creates it if it does not exist, for its owner only, and
    makes an empty one a store's; without it, both raise ``FileNotFoundError``.

    Another existing folder is never changed: ``STORE_FAILED`` if it is a link, another user's, of another use or open to
    others. A file's modification time is its expiry, its access time is when it was written.
    """

    def __init__(self, path: Path, *, make: bool = False) -> None:
        self._path = path
        self._make = make
        self._fd: int | None = None

    def __enter__(self) -> Folder:
        if self._make:
            _make_folders(self._path)
        if POSIX:
            try:
                self._fd = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | NO_LINKS)
            except NotADirectoryError:
                raise ToolshapeError("the folder is a link, or none", "STORE_FAILED") from None
        try:
            if self._fd is not None:
                _check_owner(os.fstat(self._fd))
            if not is_marked(self, self._make):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()

    def _close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def is_empty(self) -> bool:
        with os.scandir(self._path if self._fd is None else self._fd) as entries:
            return next(entries, None) is None

    def read_start(self, name: str, size: int) -> bytes | None:
        try:
            fd = os.open(self._at(name), os.O_RDONLY | NO_LINKS | NO_WAIT | BINARY, dir_fd=self._fd)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise not_ours(f"its {name} is a link") from None
            raise
        try:
            if not _is_ours(os.fstat(fd)):
                raise not_ours(f"its {name} is not a file of this user")
            return os.read(fd, size)
        finally:
            os.close(fd)

    def write_start(self, name: str, content: bytes, *, is_new: bool) -> None:
        flags = os.O_CREAT | os.O_EXCL if is_new else 0
        try:
            fd = os.open(self._at(name), os.O_WRONLY | NO_LINKS | BINARY | flags, 0o600, dir_fd=self._fd)
        except FileExistsError:
            return
        try:
            os.write(fd, content)
        finally:
            os.close(fd)

    def read(self, name: str) -> bytes | None:
        """The whole file; ``None`` if there is none, it has expired, or it was not written here: a link, a hard link to
        another file, a file of another user, a folder, a pipe.
        """
        with self._open(name) as file:
            return file.read() if file else None

    def prolong(self, name: str, content: bytes, expires_ns: int) -> bool:
        """Whether ``name`` contains ``content`` already; its expiry is then extended to ``expires_ns`` at least."""
        with self._open(name) as file:
            if file is None:
                return False
            before = os.fstat(file.fileno())
            if before.st_size != len(content) or file.read() != content:
                return False
            times = (time.time_ns(), max(expires_ns, before.st_mtime_ns))
            os.utime(file.fileno() if POSIX else self._at(name), ns=times)
            # A concurrent sweep may have deleted it; a later sweep sees the new time.
            after = self.stat(name)
            return after is not None and after.st_ino == before.st_ino

    def write(self, name: str, content: bytes, expires_ns: int) -> None:
        """Writes a file under ``name``, in place of any other.

        It is written to a temporary name, flushed to the disk, then renamed: the name has all of it or nothing.
        """
        aside = _aside()
        fd = os.open(self._at(aside), os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINKS | BINARY, 0o600, dir_fd=self._fd)
        try:
            with open(fd, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(fd)
            os.utime(self._at(aside), ns=(time.time_ns(), expires_ns), dir_fd=self._fd)
            self._rename(aside, name)
        except BaseException:
            with suppress(OSError):
                self._unlink(aside)
            raise

    def remove(self, name: str, judged: os.stat_result | None = None) -> None:
        """Removes a file; with ``judged``, only if it has not been written since."""
        with suppress(FileNotFoundError):
            if judged is None:
                self._unlink(name)
            elif _is_same(self.stat(name), judged):
                # A writer may replace it at this moment. The rename takes one of the two files, and the check
                # afterwards shows which.
                aside = _aside()
                self._rename(name, aside)
                if _is_same(self.stat(aside), judged):
                    self._unlink(aside)
                else:
                    self._rename(aside, name)

    def stat(self, name: str) -> os.stat_result | None:
        """The status of a name, without following a link; ``None`` if it does not exist."""
        try:
            return os.stat(self._at(name), dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Every regular file in the folder by name. Files that disappear meanwhile are skipped."""
        for name in os.listdir(self._path if self._fd is None else self._fd):
            found = self.stat(name)
            if found and stat.S_ISREG(found.st_mode):
                yield name, found

    @contextmanager
    def _open(self, name: str) -> Iterator[BinaryIO | None]:
        """Opens a file that was written here and has not expired."""
        try:
            fd = os.open(self._at(name), os.O_RDONLY | NO_LINKS | NO_WAIT | BINARY, dir_fd=self._fd)
        except FileNotFoundError:
            yield None
            return
        except OSError:
            found = self.stat(name)
            if found and stat.S_ISREG(found.st_mode):
                raise
            yield None
            return
        try:
            found = os.fstat(fd)
            if _is_ours(found) and found.st_mtime > time.time():
                with open(fd, "rb", closefd=False) as file:
                    yield file
            else:
                yield None
        finally:
            os.close(fd)

    def _rename(self, old: str, new: str) -> None:
        os.replace(self._at(old), self._at(new), src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def _unlink(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self._fd)

    def _at(self, name: str) -> str:
        return name if POSIX else str(self._path / name)


def _make_folders(path: Path) -> None:
    """Makes a folder, and those above it that do not exist, for their owner only."""
    missing = [path]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for folder in reversed(missing):
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)


def _aside() -> str:
    return f".{secrets.token_hex(16)}.part"


def _check_owner(found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise ToolshapeError("the folder belongs to another user", "STORE_FAILED")
    if stat.S_IMODE(found.st_mode) & 0o077:
        message = f"the folder is open to others (mode 0{stat.S_IMODE(found.st_mode):o}): name one that only its owner may open (0700)"
        raise ToolshapeError(message, "STORE_FAILED")


def _is_ours(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) and (not POSIX or (found.st_nlink == 1 and found.st_uid == os.geteuid()))


def _is_same(found: os.stat_result | None, judged: os.stat_result) -> bool:
    return found is not None and (found.st_ino, found.st_mtime_ns) == (judged.st_ino, judged.st_mtime_ns)
