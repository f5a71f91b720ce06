"""Stores, which keep the complete results that were too large to show.

``MemoryStore`` and ``FileStore`` need nothing else. ``toolshape.stores.key_value`` and ``toolshape.stores.fsspec`` are
imported by name, because they need the packages of the same names.
"""

from ._store import Store
from .file import FileStore
from .memory import MemoryStore

__all__ = ["FileStore", "MemoryStore", "Store"]
