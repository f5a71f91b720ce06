"""Carries out what the core's sessions ask for: the texts in their slots, the store, and the author's functions."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar

from . import _toolshape as core
from ._error import ToolshapeError
from ._kept import Kept
from ._toolshape import Keep, Shaped, ShapedResult, Shaper
from .types import Authorize

T = TypeVar("T")
R = TypeVar("R", Shaped, ShapedResult)

# Shorter texts are read in about a millisecond, and a thread would cost a third of that.
LONG_CHARS = 512 * 1024


@dataclass(frozen=True)
class Source:
    """The input of shaping: what the tool returned (``own``), or ``contents``, the first of which is ``json`` or ``text``."""

    origin: str
    is_redacted: bool
    contents: Sequence[str]
    call: Any


# All that ``redact`` is to see of a result, which may have been shaped before: texts, and whether they are JSON; and
# whether the value cannot be read again.
Contents: TypeAlias = "tuple[Sequence[tuple[str, bool]], bool]"
Whole: TypeAlias = "Callable[[Any, Keep | None], Contents]"


class Session:
    """One read of the store, or results that are kept together."""

    def __init__(
        self,
        shaper: Shaper,
        kept: Kept,
        *,
        redact: Callable[[str], str | Awaitable[str]] | None = None,
        secrets: Mapping[str, list[str]] | None = None,
        authorize: Authorize | None = None,
    ) -> None:
        self._shaper = shaper
        self._kept = kept
        self._redact = redact
        # What is declared as secret.
        self._secrets = secrets or {}
        self._authorize = authorize
        # The texts of the slots; ``None`` in those that are empty.
        self._slots: list[str | None] = []

    async def read(self, reads: str, call: Any) -> Any:
        """What is read for a call. Raises the errors of the core."""
        turn = self._step("read", reads=reads, authorizes=self._authorize is not None, call=call)
        while "done" not in turn:
            heard = await self._perform(turn["effects"])
            long = turn["isLong"] or any(len(self._slots[at] or "") > LONG_CHARS for at in turn["reads"])
            step = partial(self._step, "read", turn, call=call, heard=heard)
            turn = await (asyncio.to_thread(step) if long else _now(step))
        return turn["done"]

    async def keep(
        self,
        calls: Sequence[Any],
        redacts: str | None,
        shape: Callable[[Sequence[Source]], Awaitable[list[R]]],
        whole: Callable[[int, Any, Keep | None], Contents],
    ) -> list[R]:
        """Results that may be sent. ``whole`` returns all that ``redact`` is to see of a result."""
        made: list[R] = []
        step = partial(self._step, "keep", calls=[_returning(call) for call in calls])
        turn = _first(step, len(calls), redacts)
        while True:
            if "shape" in turn:
                made = await shape([self._source(given, call) for given, call in zip(turn["shape"], calls)])
                to_store = [None if one.keep is None else self._to_store(one.keep) for one in made]
                if not any(to_store):
                    return made
                turn = step(turn, shaped=to_store)
            elif "whole" in turn:
                # What cannot be read is refused as it is without ``redact``.
                wholes = [whole(at, calls[at], made[at].keep if made else None) for at in turn["whole"]]
                turn = step(turn, whole=[self._whole(*contents) for contents in wholes], secrets=self._secrets)
            elif "effects" in turn:
                heard = await self._perform(turn["effects"])
                if turn["ends"] and all(one == "there" for one in heard):
                    return made
                turn = step(turn, heard=heard)
            else:
                return made
            for fault in turn["faults"]:
                self._kept.reason(ToolshapeError(fault["message"], fault["code"], fault["path"]))

    def _step(self, method: str, turn: Mapping[str, Any] | None = None, **members: Any) -> Any:
        """The next turn after one."""
        texts: dict[str, Any] = {}
        if turn is not None:
            reads = {at for at in turn["reads"]}
            for whole in members.get("whole", ()):
                reads.update(at for at, _ in whole["contents"])
            given = {at: text for at in sorted(reads) if (text := self._slots[at]) is not None}
            members.update(state=turn["state"], slots=len(self._slots), given=list(given))
            texts = {"texts": list(given.values())}
        next = core.call(method, self._shaper, texts=texts, **members)
        if "done" not in next:
            self._slots.extend([None] * (next["slots"] - len(self._slots)))
            for at, text in next["texts"]:
                self._slots[at] = text
        return next

    async def _perform(self, effects: Sequence[Mapping[str, Any]]) -> list[Any]:
        """What was heard of effects, which are independent of each other."""
        works = [self._heard(effect) for effect in effects]
        heard: list[Any] = [await work for work in works] if self._kept.takes_one else await _together(works)
        reasons = dict[str, str]()
        for at, (effect, error) in enumerate(zip(effects, heard)):
            if isinstance(error, Exception):
                # A store that is away fails to read and to write alike, which the author hears once.
                name = repr(error) if effect["do"] in ("get", "set") else str(at)
                if name not in reasons:
                    reasons[name] = self._kept.reason(error)
                heard[at] = {"failed": reasons[name]}
        return heard

    async def _heard(self, effect: Mapping[str, Any]) -> str | Exception:
        try:
            return await self._carry_out(effect)
        except Exception as error:
            return error

    async def _carry_out(self, effect: Mapping[str, Any]) -> str:
        if effect["do"] == "get":
            text = await self._kept.get(effect["key"])
            self._slots[effect["to"]] = text
            return "absent" if text is None else "there"
        if effect["do"] == "set":
            text = self._slots[effect["from"]]
            assert text is not None
            await self._kept.set(effect["key"], text, effect["owner"])
            return "there"
        if effect["do"] == "redact":
            given = [self._slots[at] for at in effect["from"]]
            redacted = await _together([self._call_redact(text) for text in given])
            self._slots[effect["to"] : effect["to"] + len(given)] = redacted
            return "absent" if redacted == given else "there"
        assert self._authorize is not None
        allowed = self._authorize(effect["tool"])
        return "there" if (await allowed if inspect.isawaitable(allowed) else allowed) is True else "absent"

    async def _call_redact(self, text: Any) -> str:
        assert self._redact is not None
        redacted: Any = self._redact(text)
        return core.own_text("redact", await redacted if inspect.isawaitable(redacted) else redacted)

    def _add(self, text: str) -> int:
        self._slots.append(text)
        return len(self._slots) - 1

    def _to_store(self, keep: Keep) -> dict[str, Any]:
        images = None if keep.images is None else self._to_store(keep.images)
        names = {"key": keep.key, "ticket": keep.ticket, "owner": keep.owner, "about": keep.about}
        return {**names, "content": self._add(keep.content), "images": images}

    def _whole(self, contents: Sequence[tuple[str, bool]], is_consumed: bool) -> dict[str, Any]:
        added = [[self._add(text), is_json] for text, is_json in contents]
        return {"contents": added, "isConsumed": is_consumed, "isFinal": self._redact is None}

    def _source(self, given: Mapping[str, Any], call: Any) -> Source:
        refused, failure = given["redactFailure"], given["storeFailure"]
        store: dict[str, Any] = {"store": True} if failure is None else {"store_failure": failure}
        if refused is not None:
            store = {"redact_failure": refused}
        contents = [self._slots[at] or "" for at in given["contents"]]
        return Source(given["from"], given["isRedacted"], contents, {**call, **store})


def _first(step: Callable[..., Any], count: int, redacts: str | None) -> Any:
    """The first turn, which depends on nothing else and is asked once."""
    known = _known.get((count, redacts))
    if known is None:
        known = step(redacts=redacts)
        if count <= _MOST_KNOWN:
            _known[count, redacts] = known
    return known


_known: dict[tuple[int, str | None], Any] = {}
# The most results whose first turn is remembered.
_MOST_KNOWN = 2


def _returning(call: Mapping[str, Any]) -> dict[str, Any]:
    """What a ticket says of a call: which tool returned the content, and to whom."""
    return {name: call[name] for name in ("tool", "scope", "session") if name in call}


async def _now(work: Callable[[], T]) -> T:
    return work()


async def aside(text: Sized, work: Callable[[], T]) -> T:
    """The result of parsing a text. A long text is parsed in a thread, so that other calls continue."""
    return await asyncio.to_thread(work) if len(text) > LONG_CHARS else work()


async def _together(works: Sequence[Awaitable[T]]) -> list[T]:
    """Like ``gather``. One is awaited as it is, because a task of its own takes more turns of the loop."""
    return [await works[0]] if len(works) == 1 else list(await asyncio.gather(*works))
