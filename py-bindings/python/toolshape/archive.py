"""Results that are kept whole in a store, so that nothing is lost of what was not shown.

The core says what is to be kept and under which name; this writes it and reads it back. What a result tells of the
store is true: it is told once the store has what it tells of, and where that fails the result is shaped without.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ._error import ToolshapeError
from ._toolshape import Shaped, Shaper, handle_keys
from .stores import Store
from .stores._store import check_positive
from .types import ArchiveCall

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Archive:
    """Shapes results as its shaper does, and keeps in its store what it leaves out.

    ``redact`` sees the text of a result before it is kept: JSON, minified, or plain text. Where it changes it, the
    result is made anew from what it gave back; where it raises, nothing is kept. What is kept stays for
    ``ttl_seconds``. A call of the store that takes over ``timeout_seconds`` has failed, as has one that raises:
    the result says so and is shaped without, and ``on_store_error`` is told the whole. Methods of a store
    that are no ``async def`` run in a thread.
    """

    def __init__(
        self,
        shaper: Shaper,
        store: Store,
        *,
        redact: Callable[[str], str | Awaitable[str]] | None = None,
        ttl_seconds: float = 24 * 60 * 60,
        timeout_seconds: float = 5,
        on_store_error: Callable[[Exception], object] | None = None,
    ) -> None:
        check_positive("ttl_seconds", ttl_seconds)
        check_positive("timeout_seconds", timeout_seconds)
        self._shaper = shaper
        self._store = store
        self._redact = redact
        self._ttl = ttl_seconds
        self._timeout = timeout_seconds
        self._on_store_error = on_store_error

    async def shape(self, value: object, **call: Unpack[ArchiveCall]) -> Shaped:
        """As ``Shaper.shape``."""
        return await self._keep(self._shaper.shape(value, **call, store=True), call)

    async def shape_json(self, text: str, **call: Unpack[ArchiveCall]) -> Shaped:
        """As ``Shaper.shape_json``."""
        return await self._keep(self._shaper.shape_json(text, **call, store=True), call)

    async def snapshot(self, **call: Unpack[ArchiveCall]) -> Shaped | None:
        """The result of a call that goes on in a result that is kept, so that the tool need not run.

        ``None`` where the call begins anew, or what it goes on in is no longer there: run the tool, and ``shape``.
        """
        handle = self._shaper.snapshot(**call)
        if handle is not None:
            with suppress(_StoreFailed):
                for key in handle_keys(handle):
                    content = await self._get(key)
                    shaped = None if content is None else self._shaper.shape_snapshot(key, content, **call)
                    if shaped is not None:
                        return shaped
        return None

    async def _keep(self, shaped: Shaped, call: ArchiveCall) -> Shaped:
        """The result, once the store has what it tells of; where that fails, one that tells so."""
        keep = shaped.keep
        if keep is None:
            return shaped
        # Not the value again: an iterator would be empty now.
        is_json, content = keep.key.endswith(".json"), keep.content
        try:
            redacted = await self._redacted(content)
            if redacted != content:
                shaped = self._again(is_json, redacted, call, store=True)
                keep, content = shaped.keep, redacted
            if keep is not None:
                await self._ask(self._store.set, keep.key, keep.content, self._ttl)
        except Exception as error:
            return self._again(is_json, content, call, store_failure=self._reason(error))
        return shaped

    async def _redacted(self, content: str) -> str:
        if self._redact is None:
            return content
        redacted = self._redact(content)
        return redacted if isinstance(redacted, str) else await redacted

    def _again(self, is_json: bool, content: str, call: ArchiveCall, **store: Any) -> Shaped:
        shape = self._shaper.shape_json if is_json else self._shaper.shape
        return shape(content, **call, **store)

    async def _get(self, key: str) -> str | None:
        try:
            content = await self._ask(self._store.get, key)
            if content is None or isinstance(content, str):
                return content
            raise TypeError(f"the store gave back {type(content).__name__}, not str")
        except Exception as error:
            raise _StoreFailed(f"the store cannot be read: {self._reason(error)}", "STORE_FAILED") from error

    async def _ask(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """What the store answers, in time."""

        async def answer() -> Any:
            if inspect.iscoroutinefunction(method):
                return await method(*arguments)
            result = await asyncio.to_thread(method, *arguments)
            return await result if inspect.isawaitable(result) else result

        try:
            return await asyncio.wait_for(answer(), self._timeout)
        except asyncio.TimeoutError as error:
            message = f"the store did not answer within {self._timeout:g} seconds"
            raise ToolshapeError(message, "STORE_FAILED") from error

    def _reason(self, error: Exception) -> str:
        """Why the store failed, in words for the model; who wrote the server gets the whole error."""
        if self._on_store_error is not None:
            # What is wrong with the store does not break the tool, nor does what is wrong with telling so.
            with suppress(Exception):
                self._on_store_error(error)
        if isinstance(error, ToolshapeError):
            return str(error)
        # The messages of others name paths and hosts.
        return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else type(error).__name__


class _StoreFailed(ToolshapeError):
    """The store could not be read."""
