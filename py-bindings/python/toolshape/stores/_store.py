"""What a store is: three calls, and the names that it is asked for."""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable
from typing import Protocol

from .._error import ToolshapeError

_KEY = re.compile(r"[0-9a-f]{64}\.(?:json|txt)")


class Store(Protocol):
    """Where whole results are kept, under names that say what is in them.

    A key is 64 lower-case hex digits and ``.json`` or ``.txt``, a value the very text of the result. Each
    method may also be an ``async def``. Whatever one of them raises counts as a failure of the store.
    """

    def get(self, key: str) -> str | None | Awaitable[str | None]:
        """The value under ``key``, or ``None`` if there is none any more."""

    def set(self, key: str, value: str, ttl_seconds: float) -> None | Awaitable[None]:
        """Keeps ``value`` for ``ttl_seconds``; once it returns, every ``get`` finds all of it or nothing."""

    def delete(self, key: str) -> None | Awaitable[None]:
        """Forgets ``key``, if it is there."""


def is_key(name: str) -> bool:
    """Whether a name is one that results are kept under."""
    return _KEY.fullmatch(name) is not None


def check_key(key: object) -> str:
    """The key, if it is one; ``INVALID_HANDLE`` for anything else, paths and byte strings included."""
    if isinstance(key, str) and is_key(key):
        return key
    raise ToolshapeError("a key is 64 hex digits and .json or .txt", "INVALID_HANDLE", "/key")


def check_ttl(ttl_seconds: float) -> None:
    """``INVALID_CALL`` for a time to live that is none."""
    check_positive("ttl_seconds", ttl_seconds)


def check_limit(max_bytes: float) -> None:
    """``INVALID_CALL`` for a limit that nothing fits."""
    check_positive("max_bytes", max_bytes)


def check_size(size: int, max_bytes: int) -> None:
    """``STORE_FAILED`` for a value that would not fit even alone."""
    if size > max_bytes:
        message = f"the value has {size} bytes, more than the {max_bytes} of the whole store"
        raise ToolshapeError(message, "STORE_FAILED")


def check_positive(name: str, value: object) -> None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf:
        return
    raise ToolshapeError(f"{name} is {value!r}; it takes a number over 0", "INVALID_CALL", f"/{name}")
