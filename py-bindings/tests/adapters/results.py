"""How results are read here: what the content says, and pages one after the other."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from toolshape import expand

from adapters.clients import Peer
from adapters.sdks import mt


def output_text(result: mt.CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, mt.TextContent))


def reply(result: mt.CallToolResult) -> Any:
    return json.loads(expand(output_text(result)))


def structured(result: mt.CallToolResult) -> Any:
    """The structured content, without what an SDK puts around what is not an object for clients of 2025."""
    value = result.structured_content or {}
    return value.get("result", value) if isinstance(value, dict) else value


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def receipt(result: mt.CallToolResult) -> dict[str, Any]:
    return dict((result.meta or {})["toolshape/receipt"])


def on_the_wire(model: Any) -> dict[str, Any]:
    return dict(model.model_dump(mode="json", by_alias=True, exclude_none=True))


def plain(value: Any) -> Any:
    """A value out of the dense form."""
    return json.loads(expand(json.dumps(value)))


def rows_of(value: Any) -> list[Any]:
    """The rows of a page, wherever it has them, in either form."""
    value = plain(value)
    if isinstance(value, list):
        return value
    for way in (("items",), ("rows",), ("_value", "rows"), ("result",), ("_value",)):
        found = value
        for key in way:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, list):
            return found
    raise AssertionError(f"no rows in {compact(value)[:200]}")


def next_of(value: Any) -> str | None:
    if isinstance(value, list):
        return None
    cursor = value.get("_page", value).get("nextCursor")
    return None if cursor is None else str(cursor)


async def every_row(peer: Peer, name: str, count: int, read: Callable[[mt.CallToolResult], Any] = reply) -> list[int]:
    """The ids of all rows, page by page, as one channel shows them."""
    ids: list[int] = []
    cursor: dict[str, Any] = {}
    while True:
        value = read(await peer.call(name, count=count, **cursor))
        ids += [row["id"] for row in rows_of(value)]
        assert len(ids) <= count, "pages go in a circle"
        following = next_of(value)
        if following is None:
            return ids
        cursor = {"cursor": following}
