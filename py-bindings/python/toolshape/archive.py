"""Keeps complete results in a store, so that nothing that is not shown is lost.

The core decides the actions and the keys; this module redacts, writes and reads. A result refers to the store only
after the store has confirmed the write; if that fails, the result is shaped without a store.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from . import _toolshape as core
from ._error import ToolshapeError
from ._toolshape import Keep, Shaped, ShapedResult, Shaper
from .stores import Store
from .types import ArchiveCall, Authorize, Purpose, ReadCall, Resource, ResultCall, Returned, Summary, SummaryTask

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
R = TypeVar("R", Shaped, ShapedResult)

# Shorter texts are parsed faster than a thread starts.
LONG_CHARS = 128 * 1024

DEFAULTS = core.archive_options()


@dataclass(frozen=True)
class _Source:
    """The input of shaping: what the tool returned (``own``), or ``content``, which is ``json`` or ``text``."""

    origin: str
    is_redacted: bool
    content: str
    call: Any


class Archive:
    """Shapes results like its shaper, and keeps the complete results in its store.

    ``redact`` receives the text of a result before it is stored: minified JSON, or plain text. If it changes the text,
    the result is shaped again from the new text; if it raises, nothing is stored. Results are kept for ``ttl_seconds``.
    A call of the store fails if it takes longer than ``timeout_seconds`` or raises: the result then reports it and is
    shaped without a store, and ``on_store_error`` receives the error. Methods of a store that are not ``async def`` run
    in a thread.

    ``authorize`` of a method is asked before a stored result is read, with the name of a tool that returned it (empty if
    its call named none). If the result has several tools, it is asked for each until one is allowed. Anything but
    ``True``, and an exception, refuses: the result is ``FORBIDDEN``, and nothing of the content is read. Without it,
    whoever has the handle may read.
    """

    def __init__(
        self,
        shaper: Shaper,
        store: Store,
        *,
        redact: Callable[[str], str | Awaitable[str]] | None = None,
        ttl_seconds: float = DEFAULTS["ttlSeconds"],
        timeout_seconds: float = DEFAULTS["timeoutSeconds"],
        on_store_error: Callable[[Exception], object] | None = None,
    ) -> None:
        self._limits = core.archive_options(ttl_seconds=ttl_seconds, timeout_seconds=timeout_seconds)
        self._shaper = shaper
        self._store = store
        self._takes_owner = _takes_owner(store)
        self._redact = redact
        self._on_store_error = on_store_error

    async def shape(self, value: object, **call: Unpack[ArchiveCall]) -> Shaped:
        """Like ``Shaper.shape``."""

        def shape(source: _Source) -> Shaped:
            if source.origin == "own":
                return self._shaper.shape(value, **source.call)
            return self._from_content(source)

        return await self._one(call, shape)

    async def shape_json(self, text: str, **call: Unpack[ArchiveCall]) -> Shaped:
        """Like ``Shaper.shape_json``."""

        def shape(source: _Source) -> Shaped:
            if source.origin == "own":
                return self._shaper.shape_json(text, **source.call)
            return self._from_content(source)

        return await self._one(call, shape, text)

    async def shape_together(
        self, results: Iterable[Returned], combined_tokens: int | None = None
    ) -> list[Shaped]:
        """Like ``Shaper.shape_together``: the largest are stored until all of them have at most ``combined_tokens``."""
        given = list(results)
        read_out: dict[int, Any] = {}

        async def shape(sources: Sequence[_Source]) -> list[Shaped]:
            returned = [_returned(source, own) for source, own in zip(sources, given)]
            return self._shaper.shape_together(returned, combined_tokens, _read_out=read_out)

        return await self._kept([result.get("call") or {} for result in given], shape)

    async def shape_result(self, returned: object, **call: Unpack[ResultCall]) -> ShapedResult:
        """Like ``Shaper.shape_result``.

        If ``redact`` changes the content to store, the result's texts and structured content are made from the new
        content.
        """
        passed: list[int] = []

        def shape(source: _Source) -> ShapedResult:
            if source.origin == "own":
                shaped = self._shaper.shape_result(returned, **source.call)
                passed[:] = shaped._passed
                return shaped
            given = (source.content, source.origin == "json", source.is_redacted, passed)
            return core.shape_kept_result(self._shaper, returned, *given, **source.call)

        return await self._one(call, shape)

    async def summarize_text(self, text: str, summary: Summary | None = None, **call: Unpack[ReadCall]) -> Shaped:
        """Like ``Shaper.summarize_text``; ``summary`` contains its options."""

        def shape(source: _Source) -> Shaped:
            given = text if source.origin == "own" else source.content
            return self._shaper.summarize_text(given, **(summary or {}), **source.call)

        return await self._one(call, shape, text)

    async def snapshot(self, *, authorize: Authorize | None = None, **call: Unpack[ArchiveCall]) -> Shaped | None:
        """The result of a call that continues in a stored result, so that the tool need not run.

        ``None`` if the call does not continue a stored result of its tool, or that result is gone: run the tool, and
        ``shape``.
        """
        return await self._from_snapshot(self._shaper.shape_snapshot, authorize, call)

    async def snapshot_result(
        self, *, authorize: Authorize | None = None, **call: Unpack[ResultCall]
    ) -> ShapedResult | None:
        """Like ``snapshot``, but returns a ``CallToolResult``."""
        return await self._from_snapshot(self._shaper.shape_snapshot_result, authorize, call)

    async def _from_snapshot(
        self, shape: Callable[..., R | None], authorize: Authorize | None, call: Any
    ) -> R | None:
        key, content, asked = await self._find("snapshot", authorize, call)
        if asked.get("forbidden"):
            return shape("", "", **asked)
        if key is None or content is None:
            return None
        return await _aside(content, partial(shape, key, content, **call))

    async def read_result(
        self, arguments: Mapping[str, Any], *, authorize: Authorize | None = None, **call: Unpack[ReadCall]
    ) -> Shaped:
        """Answers a call of the tool ``read_result``: the part of a stored result that ``arguments`` ask for.

        If there is no such result for this ``scope``, the arguments are invalid or the store cannot be read, a result
        with ``is_error`` explains it.
        """
        key, content, asked = await self._find("read", authorize, {**call, "arguments": arguments})
        return await _aside(content or "", partial(self._shaper.read_result, key, content, **asked))

    async def resource(
        self, uri: str, *, authorize: Authorize | None = None, **call: Unpack[ReadCall]
    ) -> Resource:
        """The content of a resource ``toolshape://result/{id}``, whose id is a handle, as ``read_result`` answers without
        further arguments.

        Raises ``ToolshapeError``: ``INVALID_HANDLE``, ``NOT_FOUND``, ``FORBIDDEN``, ``STORE_FAILED``.
        """
        key, content, asked = await self._find("read", authorize, {**call, "arguments": {"handle": uri}})
        return {"uri": uri, **core.resource(self._shaper, key, content, **asked)}

    async def to_summarize(
        self, arguments: Mapping[str, Any], *, authorize: Authorize | None = None, **call: Unpack[ReadCall]
    ) -> SummaryTask | Shaped:
        """The text that a call of the tool ``summarize`` asks for, like ``Shaper.to_summarize``: pass it to
        ``summarize_text``, with your own summary if you have one. If the call is wrong, a result explains it.
        """
        key, content, asked = await self._find("summarize", authorize, {**call, "arguments": arguments})
        return await _aside(content or "", partial(self._shaper.to_summarize, key, content, **asked))

    async def _find(
        self, purpose: Purpose, authorize: Authorize | None, asked: Any
    ) -> tuple[str | None, str | None, Any]:
        """The key and the content of the stored result that a call names, and the call with its defaults."""
        ticket, keys, defaults = core.lookup(self._shaper, purpose, authorize is not None, **asked)
        call = {**defaults, **asked}
        try:
            if ticket is not None:
                text = await self._get(ticket)
                opened = None if text is None else self._shaper.open(purpose, text, **call)
                if opened is None:
                    return None, None, call
                key, tools = opened
                if authorize is not None and not await self._allows(authorize, tools):
                    return None, None, {**call, "forbidden": True}
                keys = [key]
            for key in keys:
                content = await self._get(key)
                if content is not None:
                    return key, content, call
        except Exception as error:
            call["store_failure"] = self._reason(error)
        return None, None, call

    async def _allows(self, authorize: Authorize, tools: Sequence[str]) -> bool:
        """Whether the caller may read what one of these tools returned."""
        for tool in tools:
            try:
                allowed = authorize(tool)
                if (await allowed if inspect.isawaitable(allowed) else allowed) is True:
                    return True
            except Exception as error:
                self._reason(error)
        return False

    def _from_content(self, source: _Source) -> Shaped:
        shape = self._shaper.shape_json if source.origin == "json" else self._shaper.shape
        return shape(source.content, **source.call)

    async def _one(self, call: Any, shape: Callable[[_Source], R], text: str = "") -> R:
        async def shape_all(sources: Sequence[_Source]) -> list[R]:
            return [await _aside(source.content or text, partial(shape, source)) for source in sources]

        return (await self._kept([call], shape_all))[0]

    async def _kept(self, calls: list[Any], shape: Callable[[Sequence[_Source]], Awaitable[list[R]]]) -> list[R]:
        """Shapes results and performs the core's actions on the store until the core releases the results."""
        contents: dict[int, str] = {}
        heard: list[list[object]] = []
        shaped: list[R] = []

        async def redact(at: int, keep: Keep) -> object:
            redacted = await self._redacted(keep)
            if redacted == keep.content:
                return None
            contents[at] = redacted
            return {"redacted": True}

        async def store(_: int, keep: Keep) -> object:
            same = [call for call, one in zip(calls, shaped) if one.keep is not None and one.keep.key == keep.key]
            await self._put(keep, same)
            return None

        async def settled(work: Callable[[int, Keep], Awaitable[object]], at: int) -> object:
            keep = shaped[at].keep
            assert keep is not None
            try:
                return await work(at, keep)
            except Exception as error:
                return {"failed": self._reason(error)}

        while True:
            action = core.keeping(len(calls), self._redact is not None, heard)
            if action["do"] == "done":
                return shaped
            if action["do"] == "shape":
                sources = enumerate(zip(action["inputs"], calls))
                shaped = await shape([_source(given, call, contents.get(at, "")) for at, (given, call) in sources])
                for at, one in enumerate(shaped):
                    if one.keep is not None:
                        contents.setdefault(at, one.keep.content)
                heard.append([one.keep and one.keep.key for one in shaped])
            else:
                work = redact if action["do"] == "redact" else store
                heard.append(await asyncio.gather(*(settled(work, at) for at in action["at"])))

    async def _redacted(self, keep: Keep) -> str:
        assert self._redact is not None
        redacted: Any = self._redact(keep.content)
        return core.check_redacted(keep.key, await redacted if inspect.isawaitable(redacted) else redacted)

    async def _put(self, keep: Keep, calls: Iterable[Any]) -> None:
        """Stores a content, and then its ticket with the tools of the calls that returned it."""
        await self._set(keep.key, keep.content, keep.owner)
        # A ticket that cannot be read is written anew.
        ticket: str | None = None
        with suppress(Exception):
            ticket = await self._get(keep.ticket)
        for call in calls:
            ticket = self._shaper.ticket(keep.key, ticket, **call)
        assert ticket is not None
        await self._set(keep.ticket, ticket, keep.owner)

    async def _set(self, key: str, value: str, owner: str | None) -> None:
        given: tuple[Any, ...] = (key, value, self._limits["ttlSeconds"])
        await self._ask(self._store.set, *given, *([owner] if owner is not None and self._takes_owner else []))

    async def _get(self, key: str) -> str | None:
        content = await self._ask(self._store.get, key)
        return None if content is None else core.own_text("the store", content)

    async def _ask(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """The store's answer, within the time limit."""

        async def answer() -> Any:
            if inspect.iscoroutinefunction(method):
                return await method(*arguments)
            result = await asyncio.to_thread(method, *arguments)
            return await result if inspect.isawaitable(result) else result

        try:
            return await asyncio.wait_for(answer(), self._limits["timeoutSeconds"])
        except asyncio.TimeoutError as error:
            raise ToolshapeError(self._limits["late"], "STORE_FAILED") from error

    def _reason(self, error: Exception) -> str:
        """Why the store failed, in words for the model. The server's author receives the error itself."""
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
    """Whether the store can be told whose a value is, as a fourth argument of ``set``."""
    try:
        inspect.signature(store.set).bind("", "", 0, "")
    except (TypeError, ValueError):
        return False
    return True


async def _aside(text: str, work: Callable[[], T]) -> T:
    """The result of parsing a text. A long text is parsed in a thread, so that other calls continue."""
    return await asyncio.to_thread(work) if len(text) > LONG_CHARS else work()


def _source(given: Mapping[str, Any], call: Any, content: str) -> _Source:
    failure = given["storeFailure"]
    store = {"store": True} if failure is None else {"store_failure": failure}
    return _Source(given["from"], given["isRedacted"], content, {**call, **store})


def _returned(source: _Source, own: Returned) -> Returned:
    if source.origin == "own":
        return {**own, "call": source.call}
    return {"json" if source.origin == "json" else "value": source.content, "call": source.call}  # type: ignore[misc]
