"""Two servers in one process, as a host with two instances has them: a name for each tool, and each its own results."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from typing import Any

import anyio
import pytest
from adapters.clients import in_process
from adapters.sdks import FAST, PLAIN, SDKS, MCPServer
from toolshape import MemoryStore, expand

if FAST is not None:
    import fastmcp
    from toolshape.fastmcp import ShapingMiddleware
if PLAIN is not None:
    from toolshape.mcp import shape_server

NAMES = ["library", "archive"]


def rows_of(name: str) -> list[dict[str, object]]:
    """A list of a server's own, too large to show."""
    return [{"id": number, "title": f"Row {number} of the {name}, which nobody else has"} for number in range(900)]


def server_of(sdk: str, name: str, **options: Any) -> Any:
    def rows() -> str:
        return json.dumps(rows_of(name))

    server: Any
    if sdk == PLAIN:
        server = shape_server(MCPServer(name), **options)
        server.tool()(rows)
    else:
        server = fastmcp.FastMCP(name)
        server.add_middleware(ShapingMiddleware(**options))
        server.tool(rows)
    return server


def read(result: Any) -> Any:
    return json.loads(expand(result.content[0].text))


@pytest.mark.parametrize("sdk", SDKS)
def test_neither_server_reads_what_the_other_keeps(sdk: str) -> None:
    async def go() -> None:
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(in_process(server_of(sdk, name, store=MemoryStore()))) for name in NAMES
            ]
            shown = []
            for client, name in zip(clients, NAMES, strict=True):
                assert sorted(await client.tools()) == [f"read_result_{name}", "rows"]
                shown.append(read(await client.call("rows")))
            for client, name, own, other in zip(clients, NAMES, shown, reversed(shown), strict=True):
                tool = f"read_result_{name}"
                assert tool in own["note"]
                items = read(await client.call(tool, cursor=own["nextCursor"]))["items"]
                assert items and all(name in item["title"] for item in items)
                for asked in ({"handle": other["uri"]}, {"cursor": other["nextCursor"]}):
                    refused = await client.call(tool, **asked)
                    assert "nobody else has" not in refused.content[0].text
                    assert json.loads(refused.content[0].text)["error"]

    anyio.run(go)


@pytest.mark.parametrize("sdk", SDKS)
def test_without_a_store_of_their_own_they_share_the_memory_of_the_process(sdk: str) -> None:
    async def go() -> None:
        one, other = NAMES
        async with in_process(server_of(sdk, one)) as first, in_process(server_of(sdk, other)) as second:
            shown = read(await first.call("rows"))
            asked = {"handle": shown["uri"], "pointer": "/3/title"}
            result = await second.call(f"read_result_{other}", **asked)
            assert str(rows_of(one)[3]["title"]) in result.content[0].text

    anyio.run(go)
