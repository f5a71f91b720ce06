"""Results that are kept whole in a store, so that nothing is lost of what was not shown.

The core says what is to be kept and under which name; this writes it and reads it back. What a result tells of the
store is true: it is told once the store has what it tells of, and where that fails the result is shaped without.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ._error import ToolshapeError
from ._toolshape import Shaped, ShapedResult, Shaper, handle_keys
from .stores import Store
from .stores._store import check_positive
from .types import ArchiveCall, ReadCall, Resource, ResultCall, Returned, Summary, SummaryTask

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
R = TypeVar("R", Shaped, ShapedResult)

# Shorter texts are read sooner than a thread takes over.
LONG_CHARS = 128 * 1024

# The fewest tokens that a result can be given.
LEAST_TOKENS = 200


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
        shaped = await _aside(text, partial(self._shaper.shape_json, text, **call, store=True))
        return await self._keep(shaped, call)

    async def shape_together(
        self, results: Iterable[Returned], combined_tokens: int | None = None
    ) -> list[Shaped]:
        """As ``Shaper.shape_together``."""
        results = list(results)
        calls = [cast(ArchiveCall, dict(result.get("call", {}))) for result in results]
        stored: list[Returned] = [{**result, "call": {**call, "store": True}} for result, call in zip(results, calls)]
        together = self._shaper.shape_together(stored, combined_tokens)
        # What has to be made anew gets no more room than it had.
        kept = (self._keep(shaped, call, max(LEAST_TOKENS, shaped.tokens)) for shaped, call in zip(together, calls))
        return await asyncio.gather(*kept)

    async def shape_result(self, returned: object, **call: Unpack[ResultCall]) -> ShapedResult:
        """As ``Shaper.shape_result``.

        Where ``redact`` changes what is kept of a result, that stands in place of its texts and structured content.
        """
        shaped = self._shaper.shape_result(returned, **call, store=True)
        keep = shaped.keep

        def again(content: str, **store: Any) -> ShapedResult:
            changed = keep is not None and content != keep.content
            anew = _with_content(returned, shaped, content) if changed else returned
            return self._shaper.shape_result(anew, **call, **store)

        return await self._stored(shaped, again)

    async def summarize_text(self, text: str, summary: Summary | None = None, **call: Unpack[ReadCall]) -> Shaped:
        """As ``Shaper.summarize_text``; ``summary`` are its options."""

        def again(content: str, **store: Any) -> Shaped:
            return self._shaper.summarize_text(content, **(summary or {}), **call, **store)

        return await self._stored(await _aside(text, partial(again, text, store=True)), again)

    async def snapshot(self, **call: Unpack[ArchiveCall]) -> Shaped | None:
        """The result of a call that goes on in a result that is kept, so that the tool need not run.

        ``None`` where the call begins anew, or what it goes on in is no longer there: run the tool, and ``shape``.
        """
        return await self._from_snapshot(self._shaper.shape_snapshot, call)

    async def snapshot_result(self, **call: Unpack[ResultCall]) -> ShapedResult | None:
        """As ``snapshot``, as a ``CallToolResult``."""
        return await self._from_snapshot(self._shaper.shape_snapshot_result, call)

    async def _from_snapshot(self, shape: Callable[..., R | None], call: Any) -> R | None:
        handle = self._shaper.snapshot(**call)
        if handle is not None:
            with suppress(_StoreFailed):
                for key in handle_keys(handle):
                    content = await self._get(key)
                    if content is not None:
                        shaped = await _aside(content, partial(shape, key, content, **call))
                        if shaped is not None:
                            return shaped
        return None

    async def read_result(self, arguments: Mapping[str, Any], **call: Unpack[ReadCall]) -> Shaped:
        """Answers a call of the tool ``read_result``: the part of a kept result that ``arguments`` ask for.

        Where there is none for this ``scope``, the arguments make no sense or the store cannot be read, a result
        with ``is_error`` says so.
        """
        try:
            return (await self._read(arguments, call))[1]
        except ToolshapeError as error:
            asked: Any = {"tool": "read_result", **call, "arguments": arguments}
            refusal = self._shaper.refusal(error, **asked)
            if refusal is None:
                raise
            return refusal

    async def resource(self, uri: str, **call: Unpack[ReadCall]) -> Resource:
        """What is at an address ``toolshape://result/{id}``, as ``read_result`` answers without further arguments.

        Raises ``ToolshapeError``: ``INVALID_HANDLE``, ``NOT_FOUND``, ``STORE_FAILED``.
        """
        key, shaped = await self._read({"handle": uri}, call)
        if shaped.is_error:
            raise ToolshapeError(shaped.value["message"], shaped.value["error"])
        is_text = shaped.unchanged and key is not None and key.endswith(".txt")
        return {"uri": uri, "mimeType": "text/plain" if is_text else "application/json", "text": shaped.text}

    async def to_summarize(self, arguments: Mapping[str, Any], **call: Unpack[ReadCall]) -> SummaryTask | Shaped:
        """What a call of the tool ``summarize`` is about, as ``Shaper.to_summarize``: hand it on to
        ``summarize_text``, with a summary of your own if you have one. What is wrong with the call is explained in
        a result.
        """
        asked: Any = {"tool": "summarize", **call, "arguments": arguments}
        key = content = None
        if arguments.get("handle") is not None:
            try:
                key, content = await self._find(asked)
            except ToolshapeError as error:
                refusal = self._shaper.refusal(error, **asked)
                if refusal is None:
                    raise
                return refusal
        return await _aside(content or "", partial(self._shaper.to_summarize, key, content, **asked, store=True))

    async def _read(self, arguments: Mapping[str, Any], call: ReadCall) -> tuple[str | None, Shaped]:
        """What is read, and the key under which it was kept."""
        asked: Any = {"tool": "read_result", **call, "arguments": arguments}
        key, content = await self._find(asked)
        return key, await _aside(content or "", partial(self._shaper.read_result, key, content, **asked))

    async def _find(self, asked: Any) -> tuple[str | None, str | None]:
        """What the store has of the result that a call names by its handle, and under which key."""
        for key in self._shaper.read_keys(**asked):
            content = await self._get(key)
            if content is not None:
                return key, content
        return None, None

    async def _keep(self, shaped: Shaped, call: ArchiveCall, room: int | None = None) -> Shaped:
        """As ``_stored``, for a result; what is made anew has at most ``room`` tokens, if that is given."""
        is_json = shaped.keep is not None and shaped.keep.key.endswith(".json")

        def again(content: str, **store: Any) -> Shaped:
            # Not from the value, which may be an iterator that is empty now.
            if room is not None:
                result: Returned = {"json": content} if is_json else {"value": content}
                return self._shaper.shape_together([{**result, "call": {**call, **store}}], room)[0]
            return (self._shaper.shape_json if is_json else self._shaper.shape)(content, **call, **store)

        return await self._stored(shaped, again)

    async def _stored(self, shaped: R, again: Callable[..., R]) -> R:
        """The result, once the store has what it tells of; where that fails, one that tells so.

        ``again`` makes it anew from the text that is kept, or what ``redact`` made of it.
        """
        keep = shaped.keep
        if keep is None:
            return shaped
        content = keep.content
        try:
            redacted = await self._redacted(content)
            if redacted != content:
                shaped, content = again(redacted, store=True), redacted
                keep = shaped.keep
            if keep is not None:
                await self._ask(self._store.set, keep.key, keep.content, self._ttl)
        except Exception as error:
            return again(content, store_failure=self._reason(error))
        return shaped

    async def _redacted(self, content: str) -> str:
        if self._redact is None:
            return content
        redacted = self._redact(content)
        return redacted if isinstance(redacted, str) else await redacted

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
        return reason(error)


def reason(error: Exception) -> str:
    """Why something failed, without the paths and hosts that messages of others name."""
    if isinstance(error, ToolshapeError):
        return str(error)
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else type(error).__name__


async def _aside(text: str, work: Callable[[], T]) -> T:
    """What comes of reading a text; where it is long in a thread, so that other calls go on meanwhile."""
    return await asyncio.to_thread(work) if len(text) > LONG_CHARS else work()


def _with_content(returned: object, shaped: ShapedResult, content: str) -> object:
    """What a tool returned with another text in place of what was shaped of it; blocks that passed stay."""
    value = json.loads(content) if shaped.keep is not None and shaped.keep.key.endswith(".json") else content
    if not isinstance(returned, dict) or not isinstance(returned.get("content"), list):
        return value
    shown = shaped.result["content"]
    passed = [block for block in returned["content"] if any(block is other for other in shown)]
    replaced = {**returned, "content": [{"type": "text", "text": content}, *passed]}
    if returned.get("structuredContent") is not None:
        replaced["structuredContent"] = value if isinstance(value, dict) else {"result": value}
    return replaced


class _StoreFailed(ToolshapeError):
    """The store could not be read."""
