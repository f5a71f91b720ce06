"""A caller that reads nothing but what results show, and rebuilds the original from it.

It does what the notes say: it follows the cursors, and asks for what is shortened by its pointer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator

from toolshape import Shaped

# The keys of the head of a summarized object.
HEAD = {
    "_summarized",
    "_totalKeys",
    "_estimatedTokens",
    "_truncatedKeys",
    "_nextCursor",
    "_uri",
    "_storeFailed",
    "_note",
    "_page",
    "_elided",
    "_elisions",
}
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\[\]{},:"]+', re.DOTALL)

#: A JSON value as it is spelled.
Literal = str


def parts(text: Literal) -> Iterator[Literal]:
    """The items of an array, or keys and values by turns of an object, as they are spelled."""
    depth, start = 0, 1
    for token in TOKEN.finditer(text):
        mark = token[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        if (depth == 1 and mark in ",:") or depth == 0:
            if token.start() > start:
                yield text[start : token.start()]
            start = token.end()


def members(text: Literal) -> list[tuple[Literal, Literal]]:
    """The members of an object: keys with their quotes, and values."""
    by_turns = list(parts(text))
    return list(zip(by_turns[::2], by_turns[1::2]))


def is_shortened(value: Literal) -> bool:
    """Whether it is spelled as what stands for something longer. A string of the original may be: asked for, it
    comes as it is.
    """
    return value.startswith('"') and value.strip('"').endswith("…") or value.startswith(('"[Array(', '"{Object: ', '"[Number('))


class Reader:
    """Asks by pointer and cursor until it has all of it."""

    def __init__(self, ask: Callable[[str | None, str | None], Awaitable[Shaped]]) -> None:
        self._ask = ask
        self.calls = 0

    async def text(self) -> str:
        """A whole plain text."""
        shaped = await self._get("", None)
        return shaped.text if shaped.unchanged else str(json.loads(await self._stretches("", shaped)))

    async def value(self, pointer: str = "") -> Literal:
        """A whole JSON value."""
        shaped = await self._get(pointer, None)
        steps = shaped.receipt["steps"]
        if "truncate" in steps:
            return await self._stretches(pointer, shaped)
        if "paginate" in steps and "paginated" in shaped.value:
            return await self._pages(pointer, shaped)
        if "paginate" in steps:
            return await self._around(pointer, self._own(shaped), shaped.value["_page"]["pointer"])
        return await self._object(pointer, shaped) if "summarize" in steps else shaped.text

    async def _get(self, pointer: str, cursor: str | None) -> Shaped:
        self.calls += 1
        shaped = await self._ask(pointer or None, cursor)
        assert not shaped.is_error, f"{pointer} {cursor}: {shaped.text}"
        return shaped

    async def _stretches(self, pointer: str, shaped: Shaped) -> Literal:
        whole = []
        while True:
            whole.append(dict(members(shaped.text))['"preview"'][1:-1])
            if shaped.value["nextCursor"] is None:
                return f'"{"".join(whole)}"'
            shaped = await self._get(pointer, shaped.value["nextCursor"])

    async def _pages(self, pointer: str, shaped: Shaped) -> Literal:
        rows: list[Literal] = []
        while True:
            for row in parts(dict(members(shaped.text))['"items"']):
                is_whole = "summarize" not in shaped.receipt["steps"]
                rows.append(row if is_whole else await self.value(f"{pointer}/{len(rows)}"))
            assert shaped.value["hasMore"] == (shaped.value["nextCursor"] is not None)
            if shaped.value["nextCursor"] is None:
                assert len(rows) == shaped.value["totalItems"]
                return f"[{','.join(rows)}]"
            shaped = await self._get(pointer, shaped.value["nextCursor"])

    async def _object(self, pointer: str, shaped: Shaped) -> Literal:
        whole = []
        while True:
            for key, value in members(self._own(shaped)):
                whole.append(f"{key}:{await self._member(pointer, key, value)}")
            if shaped.value.get("_nextCursor") is None:
                return f"{{{','.join(whole)}}}"
            shaped = await self._get(pointer, shaped.value["_nextCursor"])

    async def _around(self, pointer: str, value: Literal, paged: str) -> Literal:
        """An object that leads to the list that was paged in its place, which is asked for by its own pointer."""
        whole = []
        for key, inner in members(value):
            child = below(pointer, key)
            if paged == child:
                inner = await self.value(child)
            elif paged.startswith(child + "/"):
                inner = await self._around(child, inner, paged)
            else:
                inner = await self._member(pointer, key, inner)
            whole.append(f"{key}:{inner}")
        return f"{{{','.join(whole)}}}"

    async def _member(self, pointer: str, key: Literal, value: Literal) -> Literal:
        return await self.value(below(pointer, key)) if is_shortened(value) else value

    def _own(self, shaped: Shaped) -> Literal:
        """The members of a summarized object that are the original's own."""
        all_members = members(shaped.text)
        while all_members and json.loads(all_members[0][0]) in HEAD:
            del all_members[0]
        if all_members and all_members[0][0] == '"_value"':
            return all_members[0][1]
        return "{" + ",".join(f"{key}:{value}" for key, value in all_members) + "}"


def below(pointer: str, key: Literal) -> str:
    """The JSON Pointer (RFC 6901) to a member."""
    return f"{pointer}/{json.loads(key).replace('~', '~0').replace('/', '~1')}"
