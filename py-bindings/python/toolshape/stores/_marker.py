"""The file that says that a folder is a store's: nothing is deleted in a folder of somebody else."""

from __future__ import annotations

from typing import Protocol

from .._error import ToolshapeError

# Its name, and its content, in every language.
MARKER = ".toolshape-store"
MARKER_TEXT = b"""\
toolshape: a store of results, layout 1

Files here are deleted when they expire, or when they are too large together. Keep nothing else in this folder.
"""


class Markable(Protocol):
    """What is done with a folder here; names are its own."""

    def is_empty(self) -> bool: ...
    def read_start(self, name: str, size: int) -> bytes | None:
        """``None`` if there is no such name; ``ToolshapeError`` if it is not a regular file of this user."""

    def write_start(self, name: str, content: bytes, *, is_new: bool) -> None:
        """Writes into a file from its start. A new file that is there by now is left as it is."""


def is_marked(folder: Markable, may_become: bool) -> bool:
    """Whether the folder is a store's; an empty one becomes a store's if it ``may_become`` one, and is none otherwise.

    ``STORE_FAILED`` for a folder that has other files.
    """
    text = folder.read_start(MARKER, len(MARKER_TEXT) + 1)
    if text is None and folder.is_empty():
        if not may_become:
            return False
    elif text is None:
        # Another process may have made it a store's since.
        text = folder.read_start(MARKER, len(MARKER_TEXT) + 1)
        if text is None:
            raise not_ours(f"it is not empty and has no {MARKER}")
    if text == MARKER_TEXT:
        return True
    # Another process is writing it, or was killed while it did: the rest of it is the same.
    if text is not None and not MARKER_TEXT.startswith(text):
        raise not_ours(f"its {MARKER} says something else")
    if may_become:
        folder.write_start(MARKER, MARKER_TEXT, is_new=text is None)
    return True


def not_ours(why: str) -> ToolshapeError:
    """The error for a folder that is not a store's."""
    message = f"the folder is not a store's: {why}; name a new or empty folder, or empty this one"
    return ToolshapeError(message, "STORE_FAILED")
