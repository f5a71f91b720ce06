"""A store in any file system of ``fsspec``: S3, GCS, Azure, SFTP, a folder."""

from __future__ import annotations

from typing import Protocol

from ._store import check_key, check_ttl


class FileSystem(Protocol):
    """The part of ``fsspec.AbstractFileSystem``, which has no types, that is used here."""

    def cat_file(self, path: str) -> bytes: ...
    def pipe_file(self, path: str, value: bytes) -> None: ...
    def makedirs(self, path: str, exist_ok: bool = False) -> None: ...
    def rm_file(self, path: str) -> None: ...


class FsspecStore:
    """Keeps results as files in a folder of an ``fsspec`` file system. Each contains only the result's text.

    fsspec has no time to live: ``ttl_seconds`` is ignored, so configure the bucket to expire its objects. A write is as
    atomic as the file system makes it: all or nothing on object stores. On others a reader may see a partial file,
    which does not match its key and so counts as not found. Links are followed. For a local folder use ``FileStore``,
    which has none of these gaps.
    """

    def __init__(self, file_system: FileSystem, folder: str) -> None:
        self._file_system = file_system
        self._folder = folder.rstrip("/")

    def get(self, key: str) -> str | None:
        """The value of ``key``, or ``None``; also if a file is not text."""
        try:
            content = self._file_system.cat_file(self._path(key))
            return content.decode("utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return None

    def set(self, key: str, value: str, ttl_seconds: float) -> None:
        """Keeps ``value``, as long as the file system does; raises the file system's errors."""
        check_ttl(ttl_seconds)
        path, content = self._path(key), value.encode("utf-8")
        try:
            self._file_system.pipe_file(path, content)
        except FileNotFoundError:
            self._file_system.makedirs(self._folder, exist_ok=True)
            self._file_system.pipe_file(path, content)

    def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        try:
            self._file_system.rm_file(self._path(key))
        except FileNotFoundError:
            pass

    def _path(self, key: str) -> str:
        return f"{self._folder}/{check_key(key)}"
