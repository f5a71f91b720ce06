"""The interface of stores: three methods, and the form of keys."""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable
from typing import Protocol

from .._error import ToolshapeError

# The form of a key: of a result, or of the record of a handle.
_KEY = re.compile(r"[0-9a-f]{64}\.(?:json|txt)|[a-z]{16}\.handle")


class Store(Protocol):
    """A store for complete results, under keys that are derived from their content.

    A key is 64 lower-case hex digits with ``.json`` or ``.txt``, or 16 letters with ``.handle``; a value is an exact text.
    Each method may also be an ``async def``. Any exception counts as a failure of the store.
    """

    def get(self, key: str) -> str | None | Awaitable[str | None]:
        """The value of ``key``, or ``None`` if there is none or it has expired."""

    def set(self, key: str, value: str, ttl_seconds: float) -> None | Awaitable[None]:
        """Keeps ``value`` for ``ttl_seconds``; after it returns, every ``get`` finds all of it or nothing.

        A store whose ``set`` takes a fourth argument, ``owner``, receives the owner of a value: a short opaque name, if the
        call has a scope. So it can limit what each has.
        """

    def delete(self, key: str) -> None | Awaitable[None]:
        """Deletes ``key``, if it exists."""


def is_key(name: str) -> bool:
    """Whether a name has the form of a key."""
    return _KEY.fullmatch(name) is not None


def check_key(key: object) -> str:
    """The key, if it is valid; ``INVALID_HANDLE`` for anything else, including paths and byte strings."""
    if isinstance(key, str) and is_key(key):
        return key
    raise ToolshapeError(
        "a key is 64 hex digits and .json or .txt, or 16 letters and .handle", "INVALID_HANDLE", "/key"
    )


def check_ttl(ttl_seconds: float) -> None:
    """``INVALID_CALL`` for an invalid time to live."""
    check_positive("ttl_seconds", ttl_seconds)


def check_positive(name: str, value: object) -> None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf:
        return
    raise ToolshapeError(f"{name} is {value!r}; it takes a number over 0", "INVALID_CALL", f"/{name}")


def check_part(name: str, value: object) -> None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1:
        return
    raise ToolshapeError(f"{name} is {value!r}; it takes a number over 0, at most 1", "INVALID_CALL", f"/{name}")
