"""Keeps complete results in a store, so that nothing that is not shown is lost.

The core decides the actions and the keys; this module redacts, writes and reads. A result refers to the store only
after the store has confirmed the write; if that fails, the result is shaped without a store.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from numbers import Number
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from . import _toolshape as core
from ._kept import Kept
from ._misplaced import check_archive, keywords
from ._toolshape import Keep, Shaped, ShapedResult, Shaper
from .stores import Store
from .types import (
    Authorize,
    Call,
    Purpose,
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

T = TypeVar("T")
R = TypeVar("R", Shaped, ShapedResult)

# Shorter texts are shaped in about a millisecond, and a thread would cost a third of that.
LONG_CHARS = 512 * 1024

DEFAULTS = core.call("archiveOptions")


@dataclass(frozen=True)
class _Source:
    """The input of shaping: what the tool returned (``own``), or ``contents``, the first of which is ``json`` or ``text``."""

    origin: str
    is_redacted: bool
    contents: Sequence[str]
    call: Any


# All that ``redact`` is to see of a result, which may have been shaped before: texts, and whether they are JSON; and
# whether the value cannot be read again.
_Contents: TypeAlias = "tuple[Sequence[tuple[str, bool]], bool]"
_Whole: TypeAlias = "Callable[[Any, Keep | None], _Contents]"


class Archive:
    """Shapes results like its shaper, and keeps the complete results in its store.

    ``redact`` receives the text of a result before it is stored: minified JSON, or plain text. If it changes the text,
    the result is shaped again from the new text; if it raises, an error result replaces the result, and nothing is
    stored. With ``redacts="all"`` it receives every result before it is shaped, so that a model reads nothing that it did
    not receive; with ``"stored"``, the default, those that leave something out. Results are kept for ``ttl_seconds``. A
    call of the store fails if it takes longer than ``timeout_seconds`` or raises: the result then reports it and is
    shaped without a store, and ``on_store_error`` receives the error. A store that did not answer gets no call for
    ``pause_seconds`` (0 for no pause), so that not every result waits for it. Methods of a store that are not ``async
    def`` run in a thread, except for those of ``MemoryStore``.

    ``authorize`` of a method is asked before a stored result is read, with the name of a tool that returned it (empty if
    its call named none). If the result has several tools, it is asked for each until one is allowed. Anything but
    ``True``, and an exception, refuses: the result is ``FORBIDDEN``, and nothing of the content is read. Without it,
    whoever has the handle may read.
    """

    @keywords
    def __init__(
        self,
        shaper: Shaper,
        store: Store,
        *,
        redact: Callable[[str], str | Awaitable[str]] | None = None,
        redacts: Redacts | None = None,
        ttl_seconds: float = DEFAULTS["ttlSeconds"],
        timeout_seconds: float = DEFAULTS["timeoutSeconds"],
        pause_seconds: float = DEFAULTS["pauseSeconds"],
        on_store_error: Callable[[Exception], object] | None = None,
    ) -> None:
        check_archive(shaper, store)
        given = {"store": store, "redact": redact, "on_store_error": on_store_error}
        seconds = {"ttl_seconds": ttl_seconds, "timeout_seconds": timeout_seconds, "pause_seconds": pause_seconds}
        self._limits = core.call("archiveOptions", options={**described(given), "redacts": redacts, **seconds})
        self._kept = Kept(store, self._limits, on_store_error)
        self._shaper = shaper
        self._redact = redact

    async def shape(self, value: object, **call: Unpack[Call]) -> Shaped:
        """Like ``Shaper.shape``."""

        def shape(source: _Source) -> Shaped:
            if source.origin == "own":
                return self._shaper.shape(value, **source.call)
            return self._from_content(source)

        return await self._one(call, shape, self._content(value, False))

    async def shape_json(self, text: str | bytes | bytearray | memoryview, **call: Unpack[Call]) -> Shaped:
        """Like ``Shaper.shape_json``."""

        def shape(source: _Source) -> Shaped:
            if source.origin == "own":
                return self._shaper.shape_json(text, **source.call)
            return self._from_content(source)

        return await self._one(call, shape, self._content(text, True), text)

    async def shape_together(self, results: Iterable[Returned], combined_tokens: int | None = None) -> list[Shaped]:
        """Like ``Shaper.shape_together``: the largest are stored until all of them have at most ``combined_tokens``."""
        given = list(results)
        read_out: dict[int, Any] = {}

        async def shape(sources: Sequence[_Source]) -> list[Shaped]:
            returned = [_returned(source, own) for source, own in zip(sources, given)]
            return self._shaper.shape_together(returned, combined_tokens, _read_out=read_out)

        def whole(at: int, call: Any, keep: Keep | None) -> _Contents:
            own = given[at]
            return self._content(own.get("json", own.get("value")), "json" in own)(call, keep)

        return await self._carry_out([result.get("call") or {} for result in given], shape, whole)

    async def shape_result(self, returned: object, **call: Unpack[ResultCall]) -> ShapedResult:
        """Like ``Shaper.shape_result``.

        ``redact`` receives each part of the result that a model may read: texts, structured content, links, and blocks of
        a form that MCP does not have. If it changes one, the result is made from the new parts.
        """

        def shape(source: _Source) -> ShapedResult:
            if source.origin == "own":
                return self._shaper.shape_result(returned, **source.call)
            given = (source.contents, source.origin == "json", source.is_redacted)
            return core.shape_kept_result(self._shaper, returned, *given, **source.call)

        def whole(call: Any, _: Keep | None) -> _Contents:
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
        if shaped is None or shaped.keep is None:
            return shaped
        return await self.shape_result({"content": [{"type": "text", "text": said}], "isError": True}, **call)

    async def summarize_text(self, text: str, summary: Summary | None = None, **call: Unpack[ReadCall]) -> Shaped:
        """Like ``Shaper.summarize_text``; ``summary`` contains its options."""

        given: dict[str, Any] = {**(summary or {})}

        def shape(source: _Source) -> Shaped:
            if source.origin == "own":
                return self._shaper.summarize_text(text, **given, **source.call)
            written = {"summary": source.contents[1]} if len(source.contents) > 1 else {}
            return self._shaper.summarize_text(source.contents[0], **{**given, **written}, **source.call)

        # A summary of the host's own is about the whole text, so ``redact`` receives both.
        texts = [text, *filter(None, [given.get("summary")])]
        return await self._one(call, shape, lambda *_: ([(each, False) for each in texts], False), text)

    async def snapshot(self, *, authorize: Authorize | None = None, **call: Unpack[Call]) -> Shaped | None:
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

    async def _from_snapshot(self, shape: Callable[..., R | None], authorize: Authorize | None, call: Any) -> R | None:
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
        asked: Any = {**call, "arguments": arguments}
        tables = core.call("lookup", self._shaper, purpose="read", call=asked)["tables"]
        if tables is not None:
            return await self._read_sql(tables, authorize, asked)
        key, content, asked = await self._find("read", authorize, asked)
        return await _aside(content or "", partial(self._shaper.read_result, key, content, **asked))

    async def _read_sql(self, tables: Iterable[str], authorize: Authorize | None, asked: Any) -> Shaped:
        """Answers in SQL. Each table is found, and ``authorize`` asked, as for a handle."""
        found: list[tuple[str, str | None, str | None, Any]] = []
        for handle in tables:
            found.append((handle, *await self._find("read", authorize, {**asked, "arguments": {"handle": handle}})))
        call = {"tool": "read_result", **asked}
        return await asyncio.to_thread(lambda: core.read_sql(self._shaper, found, **call))

    async def resource(self, uri: str, *, authorize: Authorize | None = None, **call: Unpack[ReadCall]) -> Resource:
        """The content of a resource ``toolshape://result/{id}``, whose id is a handle, as ``read_result`` answers without
        further arguments.

        Raises ``ToolshapeError``: ``INVALID_HANDLE``, ``NOT_FOUND``, ``FORBIDDEN``, ``STORE_FAILED``.
        """
        key, content, asked = await self._find("read", authorize, {**call, "arguments": {"handle": uri}})
        found = core.call("resource", self._shaper, key=key, call=asked, texts={"content": content})
        return {"uri": uri, "mimeType": found["mimeType"], "text": found["text"]}

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
        authorizes = authorize is not None
        found = core.call("lookup", self._shaper, purpose=purpose, authorizes=authorizes, call=asked)
        ticket, keys, call = found["ticket"], found["keys"], {**found["call"], **asked}
        try:
            if ticket is not None:
                text = await self._kept.get(ticket)
                opened = None if text is None else self._shaper.open(purpose, text, **call)
                if opened is None:
                    return None, None, call
                key, tools = opened
                call["returned_by"] = list(tools)
                if authorize is not None and not await self._allows(authorize, tools):
                    return None, None, {**call, "forbidden": True}
                keys = [key]
            for key in keys:
                content = await self._kept.get(key)
                if content is not None:
                    return key, content, call
        except Exception as error:
            call["store_failure"] = self._kept.reason(error)
        return None, None, call

    async def _allows(self, authorize: Authorize, tools: Sequence[str]) -> bool:
        """Whether the caller may read what one of these tools returned."""
        for tool in tools:
            try:
                allowed = authorize(tool)
                if (await allowed if inspect.isawaitable(allowed) else allowed) is True:
                    return True
            except Exception as error:
                self._kept.reason(error)
        return False

    def _from_content(self, source: _Source) -> Shaped:
        shape = self._shaper.shape_json if source.origin == "json" else self._shaper.shape
        return shape(source.contents[0], **source.call)

    def _content(self, value: object, is_text: bool) -> _Whole:
        """The whole of what a tool returned: its content to store, if it was shaped before."""

        def whole(call: Any, keep: Keep | None) -> _Contents:
            if keep is not None:
                return [(keep.content, keep.key.endswith(".json"))], False
            return core.contents(self._shaper, value, is_text, **call)

        return whole

    async def _one(self, call: Any, shape: Callable[[_Source], R], whole: _Whole, text: Sized = "") -> R:
        async def shape_all(sources: Sequence[_Source]) -> list[R]:
            return [await _aside("".join(source.contents) or text, partial(shape, source)) for source in sources]

        return (await self._carry_out([call], shape_all, lambda _, *asked: whole(*asked)))[0]

    async def _carry_out(
        self,
        calls: list[Any],
        shape: Callable[[Sequence[_Source]], Awaitable[list[R]]],
        whole: Callable[[int, Any, Keep | None], _Contents],
    ) -> list[R]:
        """Shapes results and performs the core's actions on the store until the core releases the results. ``whole``
        returns all that ``redact`` is to see of a result.
        """
        contents: dict[int, Sequence[str]] = {}
        heard: list[list[object]] = []
        names: dict[str, str] = {}
        shaped: list[R] = []
        redacts = self._limits["redacts"]

        async def redact(contents_of: _Contents, at: int) -> object:
            given, is_consumed = contents_of
            redacted = await _together([self._redacted(*content) for content in given])
            # What can be read only once is shaped from what was read for ``redact``.
            if [text for text, _ in given] == redacted and (redacts == "stored" or not is_consumed):
                return None
            contents[at] = redacted
            return {"redacted": "json" if given[0][1] else "text"}

        async def store(at: int) -> object:
            keep = shaped[at].keep
            assert keep is not None
            same = [call for call, one in zip(calls, shaped) if one.keep is not None and one.keep.key == keep.key]
            await self._put(keep, same)
            return None

        async def settled(work: Awaitable[object]) -> object:
            try:
                return await work
            except Exception as error:
                return {"failed": self._kept.reason(error)}

        while True:
            action = _next_action(len(calls), redacts, heard)
            if action["do"] == "done":
                return shaped
            if action["do"] == "shape":
                sources = enumerate(zip(action["inputs"], calls))
                shaped = await shape([_source(given, call, contents.get(at, [])) for at, (given, call) in sources])
                for at, one in enumerate(shaped):
                    if one.keep is not None:
                        contents.setdefault(at, [one.keep.content])
                heard.append([one.keep and _numbered(one.keep.key, names) for one in shaped])
            elif action["do"] == "redact":
                # What cannot be read is refused as it is without ``redact``.
                wholes = [(whole(at, calls[at], shaped[at].keep if shaped else None), at) for at in action["at"]]
                heard.append(await _together([settled(redact(*one)) for one in wholes]))
            else:
                heard.append(await _together([settled(store(at)) for at in action["at"]]))

    async def _redacted(self, text: str, is_json: bool) -> str:
        """What ``redact`` leaves of a content, as it is and as readers see it."""
        seen = list[str]()
        for round in itertools.count():
            left = core.call("checkRedacted", isJson=is_json, round=round, seen=seen, texts={"text": text})
            text = left["text"]
            seen = await _together([self._call_redact(reading) for reading in left["readings"]])
            if seen == left["readings"]:
                break
        return text

    async def _call_redact(self, text: str) -> str:
        assert self._redact is not None
        redacted: Any = self._redact(text)
        return core.own_text("redact", await redacted if inspect.isawaitable(redacted) else redacted)

    async def _put(self, keep: Keep, calls: Iterable[Any]) -> None:
        """Stores a content, and then its ticket with the tools of the calls that returned it; and so its images."""
        await self._kept.set(keep.key, keep.content, keep.owner)
        # A ticket that cannot be read is written again.
        ticket: str | None = None
        with suppress(Exception):
            ticket = await self._kept.get(keep.ticket)
        for call in calls:
            # It says which tool returned the content, and to whom.
            returning: Any = {name: call[name] for name in ("tool", "scope") if name in call}
            ticket = self._shaper.ticket(keep.key, ticket, **returning)
        assert ticket is not None
        await self._kept.set(keep.ticket, ticket, keep.owner)
        if keep.images is not None:
            await self._put(keep.images, calls)


def _next_action(count: int, redacts: str | None, heard: list[list[object]]) -> Any:
    """The next actions after what was heard of the last ones, by the core. They depend on nothing else, and are asked once."""
    asked = f"{count} {redacts} {heard}"
    known = _actions.get(asked)
    if known is None:
        known = core.call("keeping", count=count, redacts=redacts, heard=heard)
        # Reasons of failures may be new each time.
        if count <= _MOST_KNOWN and "'failed'" not in asked:
            _actions[asked] = known
    return known


_actions: dict[str, Any] = {}
# The most results whose actions are remembered.
_MOST_KNOWN = 2


def _numbered(key: str, names: dict[str, str]) -> str:
    """The number of a key, as a key of the same form: the core only compares them, and then answers the same for all."""
    return names.setdefault(key, str(len(names)).rjust(_ID_DIGITS, "0") + key[_ID_DIGITS:])


# The digits of a key's hash.
_ID_DIGITS = 64


async def _aside(text: Sized, work: Callable[[], T]) -> T:
    """The result of parsing a text. A long text is parsed in a thread, so that other calls continue."""
    return await asyncio.to_thread(work) if len(text) > LONG_CHARS else work()


async def _together(works: Sequence[Awaitable[T]]) -> list[T]:
    """Like ``gather``. One is awaited as it is, because a task of its own takes more turns of the loop."""
    return [await works[0]] if len(works) == 1 else list(await asyncio.gather(*works))


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
    "summarize": lambda given: "a flag" if isinstance(given, bool) else _kind(given),
}


def _source(given: Mapping[str, Any], call: Any, contents: Sequence[str]) -> _Source:
    refused, failure = given["redactFailure"], given["storeFailure"]
    store: dict[str, Any] = {"store": True} if failure is None else {"store_failure": failure}
    if refused is not None:
        store = {"redact_failure": refused}
    return _Source(given["from"], given["isRedacted"], contents, {**call, **store})


def _returned(source: _Source, own: Returned) -> Returned:
    if source.origin == "own":
        return {**own, "call": source.call}
    return {"json" if source.origin == "json" else "value": source.contents[0], "call": source.call}  # type: ignore[misc]
