"""When a value expires, stored in a second entry if a backend has no time to live.

It is in ``<key>.expires``, in milliseconds since 1970, as text; the npm package's ``UnstorageStore`` uses the same form.
It is written before the value and deleted after it, so that no value of ours is without it.
"""

from __future__ import annotations

import math
import time

from ._store import is_key

_ENDING = ".expires"

# How long something has expired before a sweep deletes it: a writer elsewhere may just extend its time.
_GRACE_MS = 60 * 60 * 1000


def beside(key: str) -> str:
    """Where the expiry of a key, or of a path that ends with it, is kept."""
    return key + _ENDING


def key_beside(name: str) -> str | None:
    """The key whose expiry is kept here; ``None`` for any other name."""
    key = name.removesuffix(_ENDING)
    return key if key != name and is_key(key) else None


def expiry_text(ttl_seconds: float) -> str:
    """What is kept for a value that lives so long."""
    return str(math.ceil((time.time() + ttl_seconds) * 1000))


def is_over(text: str | bytes, *, long: bool = False) -> bool:
    """Whether a value has expired; with ``long``, for so long that it can be deleted."""
    try:
        expires = int(text)
    except ValueError:
        return True
    return expires <= time.time() * 1000 - (_GRACE_MS if long else 0)
