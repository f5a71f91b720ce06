"""The low-level ``Server`` of ``mcp`` 1.x, whose author answers requests: shaped all the same, and as far as it is small, or an
error of the protocol, as it was."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from adapters.clients import Peer, in_process
from adapters.results import told
from adapters.sdks import PLAIN, mt
from toolshape import MemoryStore, ToolshapeError, count_tokens
from toolshape.mcp import shape_server

if PLAIN != "mcp1":
    pytest.skip("this SDK is another one", allow_module_level=True)

from mcp import McpError
from mcp.server.lowlevel import Server

POLICY: dict[str, Any] = {"max_tokens": 600, "tools": {"alone": False}}
COUNT = {
    "type": "object",
    "properties": {"count": {"type": "integer"}},
    "required": ["count"],
    "additionalProperties": False,
}
OWN = {"type": "object", "properties": {"count": {"type": "integer"}, "cursor": {"type": "string"}}}
ROWS = {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "object"}}}, "required": ["rows"]}
TOOLS = [
    {"name": "list_rows", "inputSchema": COUNT},
    {"name": "promised", "inputSchema": COUNT, "outputSchema": ROWS},
    {"name": "broken", "inputSchema": COUNT, "outputSchema": ROWS},
    {"name": "alone", "inputSchema": COUNT},
    {"name": "boom", "inputSchema": {"type": "object"}},
    {"name": "fails", "inputSchema": COUNT},
    {"name": "pages_itself", "inputSchema": OWN, "outputSchema": ROWS},
]
PAGES = {None: (TOOLS[:3], "second"), "second": (TOOLS[3:], None)}
WHEN = ["before", "after"]


class TooMany(Exception):
    status = 429
    headers = {"retry-after": "30"}


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": at, "name": f"the row of number {at}"} for at in range(count)]


@dataclass
class Made:
    """A server, a client of it, and the arguments that its tools got."""

    server: Any
    peer: Peer
    seen: list[dict[str, Any]] = field(default_factory=list)


def register(server: Any, seen: list[dict[str, Any]]) -> None:
    @server.list_tools()
    async def listing(request: mt.ListToolsRequest) -> mt.ListToolsResult:
        cursor = request.params.cursor if request is not None and request.params else None
        tools, following = PAGES[cursor]
        return mt.ListToolsResult(tools=[mt.Tool.model_validate(tool) for tool in tools], nextCursor=following)

    @server.call_tool()
    async def calling(name: str, arguments: dict[str, Any]) -> Any:
        seen.append(arguments)
        if name == "boom":
            raise TooMany("Too Many Requests")
        if name == "fails":
            raise RuntimeError("no such article " * arguments["count"])
        if name == "broken":
            return {"rows": arguments["count"]}
        if name in ("promised", "pages_itself"):
            return {"rows": rows(arguments["count"])}
        return [mt.TextContent(type="text", text=json.dumps(rows(arguments["count"])))]


@asynccontextmanager
async def connected(when: str, **options: Any) -> AsyncIterator[Made]:
    """A server that is shaped before its handlers are registered, or after; or never."""
    server, seen = Server("low"), list[dict[str, Any]]()
    given = {"store": MemoryStore(), "on_receipt": lambda receipt: None, **options}
    if when == "before":
        shape_server(server, POLICY, **given)
    register(server, seen)
    if when == "after":
        shape_server(server, POLICY, **given)
    async with in_process(server) as peer:
        yield Made(server, peer, seen)


def each_time(test: Callable[..., Any]) -> Any:
    @pytest.mark.parametrize("when", WHEN)
    def run(when: str) -> None:
        anyio.run(test, when)

    return run


@each_time
async def test_tools_are_shaped_whether_they_were_listed_or_not(when: str) -> None:
    async with connected(when) as made:
        paged = await made.peer.call("list_rows", count=400, pageSize=5, fields=["id"])
        assert told(paged)["items"] == [{"id": at} for at in range(5)] and made.seen.pop() == {"count": 400}
        # One on a later page of the list, with an argument of its own.
        own = await made.peer.call("pages_itself", count=400, cursor="theirs", pageSize=4)
        assert len(own.structured_content["rows"]) == 4 and made.seen.pop() == {"count": 400, "cursor": "theirs"}
        # One that no list tells of.
        hidden = await made.peer.call("hidden", count=400, page=7, cursor="theirs")
        assert told(hidden)["totalItems"] == 400
        assert made.seen.pop() == {"count": 400, "page": 7, "cursor": "theirs"}


@each_time
async def test_every_page_of_the_list_is_shaped_and_the_reader_stands_on_the_first(when: str) -> None:
    async with connected(when) as made:
        client: Any = made.peer
        first = await client._client.list_tools()
        second = await client._client.list_tools(params=mt.PaginatedRequestParams(cursor="second"))
        assert [tool.name for tool in first.tools] == ["list_rows", "promised", "broken", "read_result"]
        assert first.nextCursor == "second" and "anyOf" in first.tools[1].outputSchema
        assert first.tools[0].inputSchema == COUNT
        assert [tool.name for tool in second.tools] == [tool["name"] for tool in TOOLS[3:]]


@each_time
async def test_what_is_small_and_what_is_left_alone_stays(when: str) -> None:
    async with connected(when) as made, connected("never") as naive:
        for name, count in (("list_rows", 3), ("promised", 3), ("alone", 400)):
            ours, plain = await made.peer.call(name, count=count), await naive.peer.call(name, count=count)
            assert (ours.content, ours.structured_content) == (plain.content, plain.structured_content)


@each_time
async def test_the_server_checks_arguments_and_results_first(when: str) -> None:
    async with connected(when) as made, connected("never") as naive:
        for name, arguments in (
            ("list_rows", {"colour": "red"}),
            ("list_rows", {"count": "x"}),
            ("broken", {"count": 3}),
        ):
            ours, plain = await made.peer.call(name, **arguments), await naive.peer.call(name, **arguments)
            assert ours.is_error and (ours.content, plain.is_error) == (plain.content, True)


@each_time
async def test_later_pages_and_parts_come_from_the_store(when: str) -> None:
    async with connected(when) as made:
        first = told(await made.peer.call("list_rows", count=300))
        calls = len(made.seen)
        assert told(await made.peer.call("list_rows", count=300, cursor=first["nextCursor"]))["source"] == "snapshot"
        assert told(await made.peer.call("read_result", handle=first["uri"], pointer="/299/id")) == 299
        assert await made.peer.templates() == ["toolshape://result/{id}"]
        assert json.loads((await made.peer.read(first["uri"]))[0].text)["totalItems"] == 300
        assert len(made.seen) == calls
        for wrong in ("toolshape://result/abcdefghijklmnop", "file:///nothing"):
            with pytest.raises(McpError) as raised:
                await made.peer.read(wrong)
            assert raised.value.error.code == -32002


@each_time
async def test_what_a_tool_raises(when: str) -> None:
    async with connected(when) as made, connected("never") as naive:
        limit = told(await made.peer.call("boom"))
        assert (limit["type"], limit["retryAfterSeconds"]) == ("rate_limited", 30)
        ours, plain = await made.peer.call("fails", count=2), await naive.peer.call("fails", count=2)
        assert ours.is_error and ours.content == plain.content
        long = await made.peer.call("fails", count=3000)
        assert long.is_error and count_tokens(long.content[0].text) <= POLICY["max_tokens"]


def test_a_tool_with_the_name_of_ours_is_refused() -> None:
    async def run() -> None:
        server = shape_server(Server("taken"), POLICY, store=MemoryStore())

        @server.list_tools()
        async def listing() -> list[mt.Tool]:
            return [mt.Tool(name="read_result", inputSchema=COUNT)]

        @server.call_tool()
        async def calling(name: str, arguments: dict[str, Any]) -> Any:
            return []

        async with in_process(server) as peer:
            with pytest.raises(McpError, match="toolshape adds one of that name"):
                await peer.tools()
            with pytest.raises(McpError, match="toolshape adds one of that name"):
                await peer.call("read_result")

    anyio.run(run)
    server = shape_server(Server("once"))
    with pytest.raises(ToolshapeError, match="shaped already"):
        shape_server(server)
    with pytest.raises(ToolshapeError, match="shape_server takes .*FastMCP or .*Server, not builtins.int"):
        shape_server(5)


def test_a_handler_that_is_put_around_is_asked_for_later_pages_and_for_no_more() -> None:
    async def run() -> None:
        asked: list[str] = []
        async with connected("after") as made:
            inner = made.server.request_handlers[mt.CallToolRequest]

            async def around(request: mt.CallToolRequest) -> Any:
                asked.append(request.params.name)
                return await inner(request)

            made.server.request_handlers[mt.CallToolRequest] = around
            first = told(await made.peer.call("list_rows", count=300))
            await made.peer.call("list_rows", count=300, cursor=first["nextCursor"])
            assert asked == ["list_rows", "list_rows"] and len(made.seen) == 1

    anyio.run(run)


def test_without_a_store_nothing_is_added() -> None:
    async def run() -> None:
        async with connected("before", store=None) as made:
            assert "read_result" not in await made.peer.tools()
            with pytest.raises(McpError):
                await made.peer.templates()
            page = told(await made.peer.call("list_rows", count=300))
            assert "uri" not in page
            again = told(await made.peer.call("list_rows", count=300, cursor=page["nextCursor"]))
            assert again["items"][0]["id"] == len(page["items"]) and len(made.seen) == 2

    anyio.run(run)
