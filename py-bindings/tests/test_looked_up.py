"""Which tools a shaped server of fastmcp looks up and describes for a call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import fastmcp
import mcp_types as mt
import pytest
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import Middleware
from fastmcp.server.providers.aggregate import AggregateProvider
from fastmcp.tools.base import ToolResult
from toolshape.fastmcp import ShapingMiddleware

ROWS = [{"id": at, "note": "word " * 20} for at in range(300)]
RECEIPT = "toolshape/receipt"


def shaped(**policy: Any) -> fastmcp.FastMCP[Any]:
    server: fastmcp.FastMCP[Any] = fastmcp.FastMCP("orders")
    server.add_middleware(ShapingMiddleware({"max_tokens": 500, "receipt": "meta", **policy}))
    return server


def asked(server: fastmcp.FastMCP[Any], with_client: Callable[[fastmcp.Client[Any]], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with fastmcp.Client(server) as client:
            return await with_client(client)

    return asyncio.run(run())


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    get_tool = AggregateProvider.get_tool

    async def counted(self: Any, name: str, version: Any = None) -> Any:
        names.append(name)
        return await get_tool(self, name, version)

    monkeypatch.setattr(AggregateProvider, "get_tool", counted)
    return names


def test_a_call_looks_its_tool_up_once(lookups: list[str]) -> None:
    server = shaped()
    server.tool(lambda: ROWS, name="rows")

    async def calls(client: fastmcp.Client[Any]) -> list[Any]:
        return [await client.call_tool_mcp("rows", arguments) for arguments in ({}, {"page": 2})]

    first, second = asked(server, calls)
    assert first.meta[RECEIPT]["steps"] == ["columns", "paginate"]
    assert '"page":2' in second.content[0].text
    # Where an argument may be for shaping, the tool has to be known before it is called.
    assert lookups.count("rows") == 3


def test_a_call_describes_its_tool_once_until_its_schemas_change(monkeypatch: pytest.MonkeyPatch) -> None:
    described: list[str] = []
    dump = mt.Tool.model_dump

    def counted(self: mt.Tool, *given: Any, **named: Any) -> dict[str, Any]:
        described.append(self.name)
        return dump(self, *given, **named)

    server = shaped()

    def rows(limit: int = 300) -> list[dict[str, Any]]:
        return ROWS[:limit]

    server.tool(rows)
    tool = asyncio.run(server.get_tool("rows"))
    assert tool is not None

    async def calls(client: fastmcp.Client[Any]) -> list[int]:
        counts = []
        for at in range(4):
            if at == 2:
                # A change in place, which the same object does not show.
                tool.parameters["properties"]["page"] = {"type": "integer"}
            await client.call_tool_mcp("rows", {"limit": 3})
            counts.append(described.count("rows"))
        return counts

    monkeypatch.setattr(mt.Tool, "model_dump", counted)
    first, second, third, fourth = asked(server, calls)
    assert 0 < first == second < third == fourth


def test_a_tool_that_calls_another_is_shaped_as_itself() -> None:
    server = shaped()

    @server.tool
    def inner() -> list[int]:
        return list(range(2000))

    @server.tool
    async def outer(ctx: fastmcp.Context) -> str:
        found = await ctx.fastmcp.call_tool("inner")
        assert found.meta is not None
        return f"{found.meta[RECEIPT]['tool']}: {found.meta[RECEIPT]['steps']}"

    result = asked(server, lambda client: client.call_tool("outer"))
    assert (result.data, result.meta[RECEIPT]["tool"]) == ("inner: ['paginate']", "outer")


def test_what_answers_in_place_of_a_tool_is_shaped() -> None:
    class Answers(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> ToolResult:
            return ToolResult(content=[mt.TextContent(type="text", text="word " * 3000)])

    server = shaped()
    server.add_middleware(Answers())
    server.tool(lambda: "never", name="words")
    result = asked(server, lambda client: client.call_tool_mcp("words", {}))
    assert result.meta[RECEIPT]["tokensAfter"] <= 500 < result.meta[RECEIPT]["tokensBefore"]


def test_errors_are_those_of_the_tool() -> None:
    server = shaped()

    @server.tool
    def limited() -> str:
        raise RuntimeError("429 Too Many Requests")

    @server.tool
    def broken() -> str:
        raise ValueError("it broke")

    for name, message in [("limited", "rate_limited"), ("broken", "it broke"), ("missing", "Unknown tool")]:
        with pytest.raises(ToolError, match=message):
            asked(server, lambda client, name=name: client.call_tool(name))  # type: ignore[misc]


def test_a_tool_of_the_same_name_on_a_mounted_server_is_not_taken_for_the_parents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds: list[tuple[str, str]] = []
    planned = ShapingMiddleware.planned

    async def noted(self: Any, server: Any, tool: Any) -> Any:
        kinds.append((server.name, type(tool).__name__))
        return await planned(self, server, tool)

    monkeypatch.setattr(ShapingMiddleware, "planned", noted)
    child = shaped(tools={"rows": {"max_tokens": 300}})
    child.tool(lambda: ROWS, name="rows")
    parent = shaped(max_tokens=400)
    parent.mount(child)

    async def calls(client: fastmcp.Client[Any]) -> list[Any]:
        # From its first call on, the child notes what it looks up as well.
        return [await client.call_tool_mcp("rows", {}) for _ in range(3)]

    results = asked(parent, calls)
    for result in results:
        assert (result.meta[RECEIPT]["tool"], result.meta[RECEIPT]["budget"]) == ("rows", 400)
        assert result.meta[RECEIPT]["tokensAfter"] <= 400
        assert result.content[0].text == results[0].content[0].text
    assert kinds == kinds[:2] * 3 and len(set(kinds)) == 2
