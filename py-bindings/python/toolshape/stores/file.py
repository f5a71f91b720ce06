"""A store in a local folder."""

from __future__ import annotations

import os
from pathlib import Path

from ._ledger import STORE_BYTES, VALUE_BYTES
from ._native import NativeStore


class FileStore(NativeStore):
    """Keeps results as files in a separate folder, which is created if it does not exist, for one user's processes. A
    ``~`` at its start is the user's home.

    Only that user can read them. Files are removed when they expire; if all together exceed ``max_bytes``, those of the
    owner with the most that expire soonest are removed first. This happens while writing, or in ``sweep``. An owner,
    which is a ``scope``, may have ``max_share`` of ``max_bytes``, and a value ``max_value_bytes``. Links are not followed,
    neither to the folder nor in it: ``STORE_FAILED`` for a folder that is a link, that others may open, or that has files
    but not the one that marks a store's, ``.toolshape-store``.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        max_bytes: int = STORE_BYTES,
        max_value_bytes: int = VALUE_BYTES,
        max_share: float = 1,
    ) -> None:
        path = str(Path(folder).expanduser().absolute())
        super().__init__(path, max_bytes, max_value_bytes, max_share)

    def sweep(self) -> None:
        """Removes expired files and files that a killed process left, then files until the folder is within
        its limits.
        """
        self._store.sweep()
