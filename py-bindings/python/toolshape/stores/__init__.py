"""Stores: where results are kept that were too large to be told.

``MemoryStore`` and ``FileStore`` need nothing else. ``toolshape.stores.key_value`` and
``toolshape.stores.fsspec`` are imported by name, as they need the packages that they are called after.
"""

from ._store import Store
from .file import FileStore
from .memory import MemoryStore

__all__ = ["FileStore", "MemoryStore", "Store"]
