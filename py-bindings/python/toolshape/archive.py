"""Keeps complete results in a store, so that nothing that is not shown is lost.

A result refers to the store only after the store has confirmed the write; if that fails, the result is shaped without a
store.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Sized
from functools import partial
from numbers import Number
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from . import _toolshape as core
from ._error import ToolshapeError
from ._kept import Kept
from ._session import Contents, Session, Source, Whole, aside
from ._toolshape import Keep, Shaped, ShapedResult, Shaper
from .stores import Store
from .types import (
    Authorize,
    Call,
    ReadCall,
    Redacts,
    Resource,
    ResultCall,
    Returned,
    Summary,
    SummaryTask,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

R = TypeVar("R", Shaped, ShapedResult)


class ArchiveOptions(TypedDict, total=False):
    """The options of an archive."""

    redact: Callable[[str], str | Awaitable[str]] | None
    redacts: Redacts | None
    redact_fields: Sequence[str]
    redact_texts: Sequence[str]
    ttl_seconds: float
    timeout_seconds: float
    pause_seconds: float
    on_store_error: Callable[[Exception], object] | None


DEFAULTS = core.call("archiveOptions")


class Archive:
    """Shapes results like its shaper, and keeps the complete results in its store.

    ``redact`` receives the text of a result before it is stored: minified JSON, or plain text. If it changes the text,
    the result is shaped again from the new text; if it raises, an error result replaces the result, and nothing is
    stored. With ``redacts="all"`` it receives every result before it is shaped, so that a model reads nothing that it did
    not receive; with ``"stored"``, the default, those that leave something out. ``redact_fields`` are names of fields, or
    paths such as ``user.email``, and ``redact_texts`` patterns such as ``sk-*``, that are secret in every result; ``redact``
    then receives every result too. Results are kept for ``ttl_seconds``. A call of the store fails if it takes longer than
    ``timeout_seconds`` or raises: the result then reports it and is shaped without a store, and ``on_store_error`` receives
    the error. A store that did not answer gets no call for ``pause_seconds`` (0 for no pause), so that not every result
    waits for it. Methods of a store that are not ``async def`` run in a thread, except for those of ``MemoryStore``.

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
        redacts: Redacts | None = None,
        redact_fields: Sequence[str] = (),
        redact_texts: Sequence[str] = (),
        ttl_seconds: float = DEFAULTS["ttlSeconds"],
        timeout_seconds: float = DEFAULTS["timeoutSeconds"],
        pause_seconds: float = DEFAULTS["pauseSeconds"],
        on_store_error: Callable[[Exception], object] | None = None,
    ) -> None:
        if not isinstance(shaper, Shaper):
            message = f"the shaper is of type {type(shaper).__name__}; it takes a Shaper, Archive(shaper, store)"
            raise ToolshapeError(message, "INVALID_CALL", "/shaper")
        given = {"store": store, "redact": redact, "on_store_error": on_store_error}
        seconds = {"ttl_seconds": ttl_seconds, "timeout_seconds": timeout_seconds, "pause_seconds": pause_seconds}
        secrets = {"redact_fields": [*redact_fields], "redact_texts": [*redact_texts]}
        options = {**described(given), "redacts": redacts, **secrets, **seconds}
        self._limits = core.call("archiveOptions", options=options)
        self._kept = Kept(store, self._limits, on_store_error)
        self._shaper = shaper
        self._redact = redact
        self._secrets = {"redactFields": [*redact_fields], "redactTexts": [*redact_texts]}

    @property
    def redacts_all(self) -> bool:
        """Whether what is shown is redacted too, and not only what is stored."""
        return bool(self._limits["redacts"] == "all")

    async def shape(self, value: object, **call: Unpack[Call]) -> Shaped:
        """Like ``Shaper.shape``."""

        def shape(source: Source) -> Shaped:
            if source.origin == "own":
                return self._shaper.shape(value, **source.call)
            return self._from_content(source)

        return await self._one(call, shape, self._content(value, False))

    async def shape_json(self, text: str | bytes | bytearray | memoryview, **call: Unpack[Call]) -> Shaped:
        """Like ``Shaper.shape_json``."""

        def shape(source: Source) -> Shaped:
            if source.origin == "own":
                return self._shaper.shape_json(text, **source.call)
            return self._from_content(source)

        return await self._one(call, shape, self._content(text, True), text)

    async def shape_together(self, results: Iterable[Returned], combined_tokens: int | None = None) -> list[Shaped]:
        """Like ``Shaper.shape_together``: the largest are stored until all of them have at most ``combined_tokens``."""
        given = list(results)
        read_out: dict[int, Any] = {}

        async def shape(sources: Sequence[Source]) -> list[Shaped]:
            returned = [_returned(source, own) for source, own in zip(sources, given)]
            return self._shaper.shape_together(returned, combined_tokens, _read_out=read_out)

        def whole(at: int, call: Any, keep: Keep | None) -> Contents:
            own = given[at]
            return self._content(own.get("json", own.get("value")), "json" in own)(call, keep)

        return await self._keep([result.get("call") or {} for result in given], shape, whole)

    async def shape_result(self, returned: object, **call: Unpack[ResultCall]) -> ShapedResult:
        """Like ``Shaper.shape_result``.

        ``redact`` receives each part of the result that a model may read: texts, structured content, links, and blocks of
        a form that MCP does not have. If it changes one, the result is made from the new parts.
        """

        def shape(source: Source) -> ShapedResult:
            if source.origin == "own":
                return self._shaper.shape_result(returned, **source.call)
            given = (source.contents, source.origin == "json", source.is_redacted)
            return core.shape_kept_result(self._shaper, returned, *given, **source.call)

        def whole(call: Any, _: Keep | None) -> Contents:
            return core.result_contents(self._shaper, returned, **call)

        return await self._one(call, shape, whole)

    async def thrown_result(
        self, error: BaseException, *, said: str, **call: Unpack[ResultCall]
    ) -> ShapedResult | None:
        """Like ``Shaper.thrown_result``. It is stored if it leaves something out, so that nobody runs the tool again to read
        its error.
        """
        stores: Any = {**call, "store": True}
        shaped = self._shaper.thrown_result(error, said=said, **stores)
        is_whole = shaped is None or shaped.keep is None
        if is_whole and not self.redacts_all:
            return shaped
        if shaped is not None and is_whole:
            return await self.shape_result(shaped.result, **call)
        # The tool's own message is read by itself, apart from what an SDK says before it.
        own = str(error.__cause__ or error)
        before = said.removesuffix(own)
        parts = [(text, False) for text in (before, said[len(before) :]) if text]

        def shape(source: Source) -> ShapedResult:
            text = "".join(source.contents) if source.is_redacted else said
            returned = {"content": [{"type": "text", "text": text}], "isError": True}
            if source.origin == "own" or source.is_redacted:
                return self._shaper.shape_result(returned, **source.call)
            given = (source.contents, source.origin == "json", source.is_redacted)
            return core.shape_kept_result(self._shaper, returned, *given, **source.call)

        return await self._one(call, shape, lambda *_: (parts, False))

    async def summarize_text(self, text: str, summary: Summary | None = None, **call: Unpack[ReadCall]) -> Shaped:
        """Like ``Shaper.summarize_text``; ``summary`` contains its options."""

        given: dict[str, Any] = {**(summary or {})}

        def shape(source: Source) -> Shaped:
            if source.origin == "own":
                return self._shaper.summarize_text(text, **given, **source.call)
            return self._shaper.summarize_text(source.contents[0], **given, **source.call)

        return await self._one(call, shape, lambda *_: ([(text, False)], False), text)

    async def snapshot(self, *, authorize: Authorize | None = None, **call: Unpack[Call]) -> Shaped | None:
        """The result of a call that continues in a stored result, so that the tool need not run.

        ``None`` if the call does not continue a stored result of its tool, or that result is gone: run the tool, and
        ``shape``.
        """
        page: Shaped | None = await self._read("textPage", authorize, call)
        return page

    async def snapshot_result(
        self, *, authorize: Authorize | None = None, **call: Unpack[ResultCall]
    ) -> ShapedResult | None:
        """Like ``snapshot``, but returns a ``CallToolResult``."""
        page: ShapedResult | None = await self._read("page", authorize, call)
        return page

    async def read_result(
        self, arguments: Mapping[str, Any], *, authorize: Authorize | None = None, **call: Unpack[ReadCall]
    ) -> Shaped:
        """Answers a call of the tool ``read_result``: the part of a stored result that ``arguments`` ask for.

        If there is no such result for this ``scope``, the arguments are invalid or the store cannot be read, a result
        with ``is_error`` explains it.
        """
        part: Shaped = await self._read("part", authorize, {**call, "arguments": arguments})
        return part

    async def resource(self, uri: str, *, authorize: Authorize | None = None, **call: Unpack[ReadCall]) -> Resource:
        """The content of a resource ``toolshape://result/{id}``, whose id is a handle, as ``read_result`` answers without
        further arguments.

        Raises ``ToolshapeError``: ``INVALID_HANDLE``, ``NOT_FOUND``, ``FORBIDDEN``, ``STORE_FAILED``.
        """
        found = await self._read("resource", authorize, {**call, "arguments": {"handle": uri}})
        return {"uri": uri, "mimeType": found["mimeType"], "text": found["text"]}

    async def whole(self, handle: str, *, authorize: Authorize | None = None, **call: Unpack[ReadCall]) -> str:
        """The whole of a stored result, for a tool of yours that writes it to a file or sends it on: a text, or JSON.

        Raises ``ToolshapeError`` as ``resource``.
        """
        value: str = await self._read("value", authorize, {**call, "arguments": {"handle": handle}})
        return str(json.loads(value)) if value.startswith('"') else value

    async def to_summarize(
        self, arguments: Mapping[str, Any], *, authorize: Authorize | None = None, **call: Unpack[ReadCall]
    ) -> SummaryTask | Shaped:
        """The text that a call of the tool ``summarize`` asks for, like ``Shaper.to_summarize``: pass it to
        ``summarize_text``. If the call is wrong, a result explains it.
        """
        task: SummaryTask | Shaped = await self._read("summary", authorize, {**call, "arguments": arguments})
        return task

    async def _read(self, reads: str, authorize: Authorize | None, call: Any) -> Any:
        return await Session(self._shaper, self._kept, authorize=authorize).read(reads, call)

    def _from_content(self, source: Source) -> Shaped:
        shape = self._shaper.shape_json if source.origin == "json" else self._shaper.shape
        return shape(source.contents[0], **source.call)

    def _content(self, value: object, is_text: bool) -> Whole:
        """The whole of what a tool returned: its content to store, if it was shaped before."""

        def whole(call: Any, keep: Keep | None) -> Contents:
            if keep is not None:
                return [(keep.content, keep.key.endswith(".json"))], False
            return core.contents(self._shaper, value, is_text, **call)

        return whole

    async def _one(self, call: Any, shape: Callable[[Source], R], whole: Whole, text: Sized = "") -> R:
        async def shape_all(sources: Sequence[Source]) -> list[R]:
            return [await aside("".join(source.contents) or text, partial(shape, source)) for source in sources]

        return (await self._keep([call], shape_all, lambda _, *asked: whole(*asked)))[0]

    async def _keep(
        self,
        calls: list[Any],
        shape: Callable[[Sequence[Source]], Awaitable[list[R]]],
        whole: Callable[[int, Any, Keep | None], Contents],
    ) -> list[R]:
        session = Session(self._shaper, self._kept, redact=self._redact, secrets=self._secrets)
        return await session.keep(calls, self._limits["redacts"], shape, whole)


def described(options: Mapping[str, object]) -> dict[str, Any]:
    """Options with the core's descriptions in place of what is not JSON, also of an option that is not known."""

    def one(name: str, value: object) -> object:
        if value is None or name in _KINDS:
            return value if value is None else _KINDS[name](value)
        return value if isinstance(value, (str, list, dict, Number)) else _kind(value)

    return {name: one(name, value) for name, value in options.items()}


def _function(given: object) -> str:
    return "a function" if callable(given) and not isinstance(given, type) else _kind(given)


def _store(given: object) -> str:
    missing = [name for name in ("get", "set", "delete") if not callable(getattr(given, name, None))]
    if isinstance(given, type) or not missing:
        return _kind(given) if isinstance(given, type) else "a store"
    return f"{_kind(given)} without {', '.join(missing)}"


def _kind(given: object) -> str:
    if isinstance(given, type):
        return f"the class {given.__name__}, not an instance of it"
    return f"of type {type(given).__name__}"


_KINDS: dict[str, Callable[[Any], object]] = {
    "store": _store,
    "redact": _function,
    "on_store_error": _function,
    "on_receipt": _function,
    "on_warning": _function,
    "authorize": _function,
    "scope": lambda given: "a name" if isinstance(given, str) else _function(given),
}


def _returned(source: Source, own: Returned) -> Returned:
    if source.origin == "own":
        return {**own, "call": source.call}
    return {"json" if source.origin == "json" else "value": source.contents[0], "call": source.call}  # type: ignore[misc]
