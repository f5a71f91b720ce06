"""A store in any file system of ``fsspec``: S3, GCS, Azure, SFTP, a folder."""

from __future__ import annotations

from typing import Any, Protocol

from ._expiry import beside, expiry_text, is_over, key_beside
from ._ledger import STORE_BYTES, VALUE_BYTES, Ledger
from ._store import check_key, check_ttl


class FileSystem(Protocol):
    """The part of ``fsspec.AbstractFileSystem``, which has no types, that is used here."""

    def cat_file(self, path: str) -> bytes: ...
    def pipe_file(self, path: str, value: bytes) -> None: ...
    def makedirs(self, path: str, exist_ok: bool = False) -> None: ...
    def rm_file(self, path: str) -> None: ...
    def ls(self, path: str, detail: bool = True) -> list[Any]: ...


class FsspecStore:
    """Keeps results as files in a folder of an ``fsspec`` file system. Each contains only the result's text.

    fsspec has no time to live, so a second file, ``<key>.expires``, says when each expires. What this process wrote is
    deleted after that by later writes; ``sweep`` deletes what others left. What this process wrote has at most
    ``max_bytes``; ``max_value_bytes`` and ``max_share`` as in ``MemoryStore``.

    A write is as atomic as the file system makes it: all or nothing on object stores. On others a reader may see a
    partial file, which does not match its key and so counts as not found. Links are followed, and the folder has the
    mode that the umask leaves. For a local folder use ``FileStore``, which has none of these gaps.
    """

    def __init__(
        self,
        file_system: FileSystem,
        folder: str,
        *,
        max_bytes: int = STORE_BYTES,
        max_value_bytes: int = VALUE_BYTES,
        max_share: float = 1,
    ) -> None:
        self._file_system = file_system
        self._folder = folder.rstrip("/")
        self._ledger = Ledger(max_bytes, max_value_bytes, max_share)

    def get(self, key: str) -> str | None:
        """The value of ``key``, or ``None``; also if a file is not text, or nothing says when it expires."""
        try:
            if is_over(self._file_system.cat_file(beside(self._path(key)))):
                return None
            return self._file_system.cat_file(self._path(key)).decode("utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return None

    def set(self, key: str, value: str, ttl_seconds: float, owner: str | None = None) -> None:
        """Keeps ``value``; raises the file system's errors, and ``STORE_FAILED`` if it has no room."""
        check_key(key)
        check_ttl(ttl_seconds)
        content = value.encode("utf-8")

        def write() -> None:
            self._write(beside(self._path(key)), expiry_text(ttl_seconds).encode("ascii"))
            self._write(self._path(key), content)

        self._ledger.keep((key, len(content), owner, ttl_seconds), self._remove, write)

    def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        self._remove(check_key(key))
        self._ledger.forget(key)

    def sweep(self) -> None:
        """Deletes what expired more than an hour ago, whoever wrote it; nothing without its ``.expires``."""
        try:
            paths = self._file_system.ls(self._folder, detail=False)
        except FileNotFoundError:
            return
        for path in paths:
            key = key_beside(path.rsplit("/", 1)[-1])
            try:
                if key is not None and is_over(self._file_system.cat_file(beside(self._path(key))), long=True):
                    self.delete(key)
            except FileNotFoundError:
                continue

    def _write(self, path: str, content: bytes) -> None:
        try:
            self._file_system.pipe_file(path, content)
        except FileNotFoundError:
            self._file_system.makedirs(self._folder, exist_ok=True)
            self._file_system.pipe_file(path, content)

    def _remove(self, key: str) -> None:
        for path in (self._path(key), beside(self._path(key))):
            try:
                self._file_system.rm_file(path)
            except FileNotFoundError:
                pass

    def _path(self, key: str) -> str:
        return f"{self._folder}/{check_key(key)}"
