"""The one exception."""

from __future__ import annotations


class ToolshapeError(Exception):
    """A fault in a policy, a call or a value.

    ``code`` is stable and fit for comparing, ``path`` is the JSON Pointer (RFC 6901) to what was
    wrong, empty for the whole; the message is for people.
    """

    code: str
    path: str

    def __init__(self, message: str, code: str, path: str = "") -> None:
        # All three are `args`, so that copies and pickles have them.
        super().__init__(message, code, path)
        self.code = code
        self.path = path

    def __str__(self) -> str:
        return str(self.args[0])


ToolshapeError.__module__ = "toolshape"
