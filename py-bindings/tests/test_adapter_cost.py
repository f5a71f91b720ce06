"""Tokens of a server's tool list, without toolshape and with it: the rows of Python in ``docs/measurements/tool_list.json``,
which ``UPDATE_TABLE=1`` writes; and which tools a call describes.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import fastmcp
import mcp
import mcp_types as mt
import pytest
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool, ToolManager
from pydantic import BaseModel, Field
from toolshape import count_tokens
from toolshape.fastmcp import ShapingMiddleware
from toolshape.mcp import shape_server

RECORDED = Path(__file__).parents[2] / "docs/measurements/tool_list.json"
SIZES = (5, 50, 90)
MOST_ADDED = 700
MOST_PER_TOOL = 45
TITLES = {"mcp": "Python mcp", "fastmcp": "Python fastmcp"}


class Thing(BaseModel):
    id: int
    name: str


class Things(BaseModel):
    total: int
    things: list[Thing]


def list_things(
    query: Annotated[str, Field(description="Words to look for")],
    limit: Annotated[int | None, Field(description="The most things")] = None,
) -> Things:
    return Things(total=0, things=[])


def server(sdk: str, count: int, promises: bool, options: dict[str, Any] | None) -> Any:
    """A server with this many tools, which are those of the tests in TypeScript; ``None`` for options means no shaping."""
    names = [f"list_things_{at}" for at in range(count)]
    if sdk == "mcp":
        plain: MCPServer[Any] = MCPServer("server")
        for name in names:
            plain.tool(name=name, description=name, structured_output=promises)(list_things)
        return plain if options is None else shape_server(plain, **options)
    fast: fastmcp.FastMCP[Any] = fastmcp.FastMCP("server")
    if options is not None:
        fast.add_middleware(ShapingMiddleware(**options))
    for name in names:
        fast.tool(list_things, name=name, description=name, **({} if promises else {"output_schema": None}))
    return fast


async def weighed(sdk: str, *made: Any) -> tuple[int, list[str]]:
    opened: Callable[[Any], Any] = mcp.Client if sdk == "mcp" else fastmcp.Client
    async with opened(server(sdk, *made)) as client:
        listed = await client.list_tools()
    tools = [
        tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in getattr(listed, "tools", listed)
    ]
    text = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
    return count_tokens(text), [tool["name"] for tool in tools]


def line(sdk: str, promises: bool, options: dict[str, Any]) -> list[tuple[int, int]]:
    """The tokens without the line, and what the line adds, for each size."""

    async def run() -> list[tuple[int, int]]:
        cells = []
        for size in SIZES:
            naive, _ = await weighed(sdk, size, promises, None)
            shaped, names = await weighed(sdk, size, promises, options)
            assert ("read_result" in names) == ("store" not in options)
            cells.append((naive, shaped - naive))
        return cells

    return asyncio.run(run())


@pytest.mark.parametrize("sdk", TITLES)
def test_a_call_describes_no_tool_but_its_own(sdk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    described: list[str] = []
    dump = mt.Tool.model_dump

    def counted(self: mt.Tool, *given: Any, **named: Any) -> dict[str, Any]:
        described.append(self.name)
        return dump(self, *given, **named)

    async def run() -> None:
        opened: Callable[[Any], Any] = mcp.Client if sdk == "mcp" else fastmcp.Client
        async with opened(server(sdk, 50, False, {})) as client:
            await client.list_tools()
            monkeypatch.setattr(mt.Tool, "model_dump", counted)
            await client.call_tool("list_things_7", {"query": "a"})

    asyncio.run(run())
    assert set(described) <= {"list_things_7"}


class Listing(MCPServer[Any]):
    """A server that makes its own list, which may differ from call to call."""

    async def list_tools(self) -> list[mt.Tool]:
        return await super().list_tools()


@pytest.mark.parametrize("kind", [MCPServer, Listing])
def test_a_call_makes_no_list_but_one_of_the_authors(
    kind: type[MCPServer[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    keep = ToolManager.list_tools

    def counted(self: ToolManager) -> list[Tool]:
        made.append(1)
        return keep(self)

    async def run() -> list[int]:
        plain = kind("things")
        for name in ("list_things", "list_more"):
            plain.tool(name=name, structured_output=False)(list_things)
        async with mcp.Client(shape_server(plain, {"receipt": "meta"})) as client:
            await client.list_tools()
            monkeypatch.setattr(ToolManager, "list_tools", counted)
            each = []
            for arguments in ({"query": "a"}, {"query": "a"}, {"query": "b", "limit": 3}):
                before = len(made)
                result = await client.call_tool("list_things", arguments)
                assert "toolshape/receipt" in (result.meta or {}), result
                each.append(len(made) - before)
            # The tool that reads stored results is not in the list.
            result = await client.call_tool("read_result", {"handle": "none"})
            assert result.is_error
            # A tool that replaces another is planned again.
            plain.remove_tool("list_things")
            plain.tool(name="list_things", structured_output=False)(lambda words: "[1]" + words)
            result = await client.call_tool("list_things", {"words": " a"})
            assert result.content[0].text == "[1] a"
            return each

    assert asyncio.run(run()) == ([0, 0, 0] if kind is MCPServer else [1, 1, 1])


def per_tool(cells: list[tuple[int, int]]) -> float:
    return (cells[-1][1] - cells[0][1]) / (SIZES[-1] - SIZES[0])


@pytest.fixture(scope="module")
def lines() -> dict[str, dict[str, list[tuple[int, int]]]]:
    ways: dict[str, tuple[bool, dict[str, Any]]] = {
        "": (False, {}),
        ", output schemas": (True, {}),
        ", `store=None`": (False, {"store": None}),
    }
    return {sdk: {what: line(sdk, *way) for what, way in ways.items()} for sdk in TITLES}


@pytest.mark.parametrize("sdk", TITLES)
def test_a_server_of_90_tools_grows_by_under_700_tokens(sdk: str, lines: Any) -> None:
    assert all(0 < added < MOST_ADDED for _, added in lines[sdk][""])


@pytest.mark.parametrize("sdk", TITLES)
def test_an_output_schema_is_widened_and_controls_stand_on_tools_in_few_tokens(sdk: str, lines: Any) -> None:
    assert per_tool(lines[sdk][", output schemas"]) <= MOST_PER_TOOL
    assert per_tool(lines[sdk][", `store=None`"]) <= MOST_PER_TOOL


def test_the_recorded_rows_of_python_are_these(lines: Any) -> None:
    recorded = json.loads(RECORDED.read_text("utf-8"))
    table = recorded["tables"][0]
    rows = [
        [TITLES[sdk] + what, *(count for cell in cells for count in cell)]
        for sdk, of in lines.items()
        for what, cells in of.items()
    ]
    if os.environ.get("UPDATE_TABLE"):
        table["rows"] = [row for row in table["rows"] if not row[0].startswith("Python")] + rows
        RECORDED.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", "utf-8")
    else:
        assert [row for row in table["rows"] if row[0].startswith("Python")] == rows, "run again with UPDATE_TABLE=1"
