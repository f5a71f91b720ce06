"""Leaves a store that does not answer alone for a while, so that not every result waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Any

from ._error import ToolshapeError


class Breaker:
    """Asks a store within the limits of ``archive_options``."""

    def __init__(self, limits: Mapping[str, Any]) -> None:
        self._limits = limits
        # When the store may be asked again; ``None`` while it answers.
        self._again: float | None = None
        # When it last failed to answer: what was asked before says nothing of the time after.
        self._failed = float("-inf")

    @property
    def is_trying(self) -> bool:
        """Whether the store has not answered, and the next call finds out if it does."""
        return self._again is not None

    async def ask(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """The store's answer. Raises its errors, and ``ToolshapeError``: ``STORE_FAILED`` if it takes too long or is left
        alone.
        """
        start, within = monotonic(), self._limits["timeoutSeconds"]
        if self._again is not None:
            if start < self._again:
                raise ToolshapeError(self._limits["paused"], "STORE_FAILED")
            # This call tries; until it has its answer, the others do not wait for one.
            self._again = start + within
        # Not ``wait_for``: the store may raise a ``TimeoutError`` of its own.
        asked = asyncio.ensure_future(work())
        try:
            answered, _ = await asyncio.wait({asked}, timeout=within)
        finally:
            asked.cancel()
        if not answered:
            self._pause()
            raise ToolshapeError(self._limits["late"], "STORE_FAILED")
        try:
            answer = asked.result()
        except Exception:
            if monotonic() - start > self._limits["slowSeconds"]:
                self._pause()
            else:
                self._answered(start)
            raise
        self._answered(start)
        return answer

    def _answered(self, start: float) -> None:
        if start >= self._failed:
            self._again = None

    def _pause(self) -> None:
        seconds = self._limits["pauseSeconds"]
        self._failed = monotonic()
        self._again = self._failed + seconds if seconds else None
