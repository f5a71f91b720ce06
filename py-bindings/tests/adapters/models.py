"""Simulated models: small programs that know what results print, and nothing else.

One host shows its model the texts of ``content``; another shows ``structuredContent``, the content only where there is
none, and links with either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from toolshape import ToolshapeError, expand

from adapters.sdks import mt


@dataclass
class Shown:
    """What a host shows of a result."""

    value: Any
    links: list[mt.ResourceLink]


def parsed(result: mt.CallToolResult) -> Any:
    text = "".join(block.text for block in result.content if isinstance(block, mt.TextContent))
    try:
        return json.loads(expand(text))
    except ToolshapeError:
        return text


def of_content(result: mt.CallToolResult) -> Shown:
    return Shown(parsed(result), [])


def of_structured_content(result: mt.CallToolResult) -> Shown:
    structured = result.structured_content
    links = [block for block in result.content if isinstance(block, mt.ResourceLink)]
    return Shown(parsed(result) if structured is None else json.loads(expand(json.dumps(structured))), links)


HOSTS = {"content": of_content, "structuredContent": of_structured_content}


@dataclass
class Understood:
    """What is printed, in a model's own words: rows or a text, of how many, and how to go on."""

    rows: list[Any] | None = None
    text: str | None = None
    total: int | None = None
    page_size: int | None = None
    next: str | None = None
    pointer: str = ""
    uri: str | None = None


def at(value: Any, pointer: str) -> Any:
    for key in pointer.split("/")[1:]:
        value = value[int(key) if isinstance(value, list) else key]
    return value


def understood(shown: Shown) -> Understood:
    value = shown.value
    if isinstance(value, list):
        return Understood(value)
    text = value.get("_value", value) if isinstance(value, dict) else value
    if isinstance(text, str):
        return Understood(text=text, total=len(text))
    if "error" in value:
        raise RuntimeError(value["error"])
    if value.get("truncated"):
        return Understood(text=value["preview"], total=value["totalChars"], next=value["nextCursor"])
    page = value.get("_page", value)
    if "totalItems" in page:
        pointer = page.get("pointer", "")
        rows = value["items"] if "items" in value else at(value.get("_value", value), pointer)
        uri = value.get("uri", value.get("_uri"))
        return Understood(rows, None, page["totalItems"], page["pageSize"], page["nextCursor"], pointer, uri)
    for link in shown.links:
        reply = re.search(r"\d+ of (\d+) rows(?: of (\S+))? are shown", link.description or "")
        if reply is not None:
            pointer = reply[2] or ""
            return Understood(at(value, pointer), total=int(reply[1]), pointer=pointer, uri=str(link.uri))
    return Understood(next(inside for inside in value.values() if isinstance(inside, list)))


class Model:
    """A model that calls tools and is shown their results as ``host`` shows them."""

    def __init__(
        self,
        call: Callable[[str, dict[str, Any]], Awaitable[mt.CallToolResult]],
        host: Callable[[mt.CallToolResult], Shown],
    ) -> None:
        self._ask, self._host = call, host

    async def _call(self, name: str, arguments: dict[str, Any]) -> Understood:
        return understood(self._host(await self._ask(name, arguments)))

    async def counts(self, name: str) -> tuple[int, int | None]:
        """How many rows of a tool's list the first call shows, and how many there are."""
        shown = await self._call(name, {})
        assert shown.rows is not None
        return len(shown.rows), shown.total

    async def row(self, name: str, number: int) -> tuple[Any, str, str | None]:
        """The row of a number as its page shows it, its place, and the address of the whole."""
        tool, arguments = name, {}
        shown = await self._call(tool, arguments)
        pointer, uri = shown.pointer, shown.uri
        # Where nothing says how to go on but a link, that is the way.
        if shown.page_size is None and uri is not None:
            tool, arguments = "read_result", {"handle": uri, "pointer": pointer}
            shown = await self._call(tool, arguments)
        assert shown.page_size is not None
        page = number // shown.page_size + 1
        start = (page - 1) * shown.page_size
        if page > 1:
            shown = await self._call(tool, {**arguments, "page": page})
        while number >= start + len(shown.rows or []):
            start += len(shown.rows or [])
            shown = await self._call(tool, {**arguments, "cursor": shown.next})
        assert shown.rows is not None
        return shown.rows[number - start], f"{pointer}/{number}", uri

    async def text(self, name: str, number: int, member: str) -> str:
        """A text of a row to its end, whether its page shows a part of it or leaves the member out."""
        row, pointer, uri = await self.row(name, number)
        text = str(row.get(member, "…"))
        if not text.endswith("…") and not text.startswith("… of "):
            return text
        tool, arguments = name, {"fields": [f"{pointer}/{member}"]}
        if uri is not None:
            tool, arguments = "read_result", {"handle": uri, "pointer": f"{pointer}/{member}"}
        shown = await self._call(tool, arguments)
        text, total = str(shown.text), shown.total
        while total is not None and len(text) < total:
            shown = await self._call(tool, {**arguments, "cursor": shown.next})
            text += str(shown.text)
        return text
