"""A store as archives and the relay ask it: within a time limit, in a thread if it is not ``async``."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from . import _toolshape as core
from ._breaker import Breaker
from ._error import ToolshapeError
from .stores import MemoryStore, Store


class Kept:
    """Reads and writes of one store, within the limits of ``archive_options``."""

    def __init__(
        self, store: Store, limits: Mapping[str, Any], on_store_error: Callable[[Exception], object] | None = None
    ) -> None:
        self._store = store
        self._limits = limits
        self._breaker = Breaker(limits)
        self._takes_owner = _takes_owner(store)
        # What is a dictionary answers sooner than a thread starts. A class derived from it may do anything.
        self.is_sync = type(store) is MemoryStore
        self._on_store_error = on_store_error

    @property
    def takes_one(self) -> bool:
        """Whether calls are made one after the other: they answer at once, or the first finds out if the store answers."""
        return self.is_sync or self._breaker.is_trying

    async def set(self, key: str, value: str, owner: str | None) -> None:
        """Keeps a value. Raises the store's errors, and ``ToolshapeError``: ``STORE_FAILED``."""
        given: tuple[Any, ...] = (key, value, self._limits["ttlSeconds"])
        await self._ask(self._store.set, *given, *([owner] if owner is not None and self._takes_owner else []))

    async def get(self, key: str) -> str | None:
        """The value of a key, or ``None``. Raises like ``set``."""
        content = await self._ask(self._store.get, key)
        return None if content is None else core.own_text("the store", content)

    async def _ask(self, method: Callable[..., Any], *arguments: Any) -> Any:
        if self.is_sync:
            return method(*arguments)

        async def answer() -> Any:
            if inspect.iscoroutinefunction(method):
                return await method(*arguments)
            result = await asyncio.to_thread(method, *arguments)
            return await result if inspect.isawaitable(result) else result

        return await self._breaker.ask(answer)

    def reason(self, error: Exception) -> str:
        """Why the store failed, in words for the model. The author receives the error itself."""
        if self._on_store_error is not None:
            # Neither a failing store nor a failing callback may break the tool.
            with suppress(Exception):
                self._on_store_error(error)
        return reason(error)


def reason(error: Exception) -> str:
    """Why something failed, without the paths and hosts in messages of other libraries."""
    if isinstance(error, ToolshapeError):
        return str(error)
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else type(error).__name__


def _takes_owner(store: Store) -> bool:
    """Whether the store takes the owner of a value, as a fourth argument of ``set``."""
    try:
        inspect.signature(store.set).bind("", "", 0, "")
    except (TypeError, ValueError):
        return False
    return True
