"""The one exception."""

from __future__ import annotations


class ToolshapeError(Exception):
    """An error in a policy, a call or a value.

    ``code`` is stable: compare it, not the message, which is for people. ``path`` is the JSON Pointer (RFC 6901) to
    what is wrong, empty for the whole.
    """

    code: str
    path: str

    def __init__(self, message: str, code: str, path: str = "") -> None:
        # All three are `args`, so that copies and pickles contain them.
        super().__init__(message, code, path)
        self.code = code
        self.path = path

    def __str__(self) -> str:
        return str(self.args[0])


ToolshapeError.__module__ = "toolshape"
