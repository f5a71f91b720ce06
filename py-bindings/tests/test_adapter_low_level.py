"""The low-level ``Server`` of ``mcp``, whose author answers requests. Small results and protocol errors are unchanged."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from adapters.clients import Peer, in_process
from adapters.results import reply
from adapters.sdks import PLAIN, mt
from toolshape import MemoryStore, ToolshapeError, count_tokens
from toolshape.mcp import shape_server

if PLAIN is None:
    pytest.skip("this environment has a fastmcp alone", allow_module_level=True)

from mcp.server.lowlevel import Server

if PLAIN == "mcp1":
    from mcp import McpError as Refusal
else:
    from mcp import MCPError as Refusal

# The code of a resource that does not exist.
NOT_FOUND = -32002 if PLAIN == "mcp1" else -32602

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


def listed(cursor: str | None) -> mt.ListToolsResult:
    tools, following = PAGES[cursor]
    return mt.ListToolsResult.model_validate({"tools": tools, "nextCursor": following})


def register(server: Any, seen: list[dict[str, Any]]) -> None:
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

    answer(server, listed, calling)


def answer(server: Any, listing: Callable[[str | None], Any], calling: Callable[..., Any]) -> None:
    """Registers what answers ``tools/list`` and ``tools/call``, in the SDK's way."""
    if PLAIN == "mcp1":

        @server.list_tools()
        async def listing_1(request: mt.ListToolsRequest) -> mt.ListToolsResult:
            return listing(request.params.cursor if request is not None and request.params else None)

        server.call_tool()(calling)
        return

    async def listing_2(context: Any, params: mt.PaginatedRequestParams) -> mt.ListToolsResult:
        return listing(params.cursor)

    async def calling_2(context: Any, params: mt.CallToolRequestParams) -> mt.CallToolResult:
        try:
            result = await calling(params.name, params.arguments or {})
        except RuntimeError as error:
            return mt.CallToolResult(content=[mt.TextContent(type="text", text=str(error))], is_error=True)
        if isinstance(result, list):
            return mt.CallToolResult(content=result)
        text = mt.TextContent(type="text", text=json.dumps(result))
        return mt.CallToolResult(content=[text], structured_content=result)

    server.add_request_handler("tools/list", mt.PaginatedRequestParams, listing_2)
    server.add_request_handler("tools/call", mt.CallToolRequestParams, calling_2)


async def page_of(client: Any, cursor: str | None) -> dict[str, Any]:
    if PLAIN == "mcp1":
        answer = await client.list_tools(params=mt.PaginatedRequestParams(cursor=cursor))
    else:
        answer = await client.list_tools(cursor=cursor)
    return dict(answer.model_dump(mode="json", by_alias=True, exclude_none=True))


@asynccontextmanager
async def connected(when: str, **options: Any) -> AsyncIterator[Made]:
    """A server that is shaped before its handlers are registered, or after; or never."""
    server, seen = Server("server"), list[dict[str, Any]]()
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
        assert reply(paged)["items"] == [{"id": at} for at in range(5)] and made.seen.pop() == {"count": 400}
        # One on a later page of the list, with an argument of its own.
        own = await made.peer.call("pages_itself", count=400, cursor="theirs", pageSize=4)
        assert len(own.structured_content["rows"]) == 4 and made.seen.pop() == {"count": 400, "cursor": "theirs"}
        # One that is in no list.
        hidden = await made.peer.call("hidden", count=400, page=7, cursor="theirs")
        assert reply(hidden)["totalItems"] == 400
        assert made.seen.pop() == {"count": 400, "page": 7, "cursor": "theirs"}


@each_time
async def test_every_page_of_the_list_is_shaped_and_the_reader_stands_on_the_first(when: str) -> None:
    async with connected(when) as made:
        peer: Any = made.peer
        first, second = await page_of(peer._client, None), await page_of(peer._client, "second")
        assert [tool["name"] for tool in first["tools"]] == ["list_rows", "promised", "broken", "read_result"]
        assert first["nextCursor"] == "second" and "anyOf" in first["tools"][1]["outputSchema"]
        assert first["tools"][0]["inputSchema"] == COUNT
        assert [tool["name"] for tool in second["tools"]] == [tool["name"] for tool in TOOLS[3:]]


@each_time
async def test_what_is_small_and_what_is_left_alone_stays(when: str) -> None:
    async with connected(when) as made, connected("never") as naive:
        for name, count in (("list_rows", 3), ("promised", 3), ("alone", 400)):
            ours, plain = await made.peer.call(name, count=count), await naive.peer.call(name, count=count)
            assert (ours.content, ours.structured_content) == (plain.content, plain.structured_content)


@pytest.mark.skipif(PLAIN != "mcp1", reason="the author checks arguments and results")
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
        first = reply(await made.peer.call("list_rows", count=300))
        calls = len(made.seen)
        assert reply(await made.peer.call("list_rows", count=300, cursor=first["nextCursor"]))["source"] == "snapshot"
        assert reply(await made.peer.call("read_result", handle=first["uri"], pointer="/299/id")) == 299
        assert await made.peer.templates() == ["toolshape://result/{id}"]
        assert json.loads((await made.peer.read(first["uri"]))[0].text)["totalItems"] == 300
        assert len(made.seen) == calls
        for wrong in ("toolshape://result/abcdefghijklmnop", "file:///nothing"):
            with pytest.raises(Refusal) as raised:
                await made.peer.read(wrong)
            assert raised.value.error.code == NOT_FOUND


@each_time
async def test_what_a_tool_raises(when: str) -> None:
    async with connected(when) as made, connected("never") as naive:
        limit = reply(await made.peer.call("boom"))
        assert (limit["type"], limit["retryAfterSeconds"]) == ("rate_limited", 30)
        ours, plain = await made.peer.call("fails", count=2), await naive.peer.call("fails", count=2)
        assert ours.is_error and ours.content == plain.content
        long = await made.peer.call("fails", count=3000)
        assert long.is_error and count_tokens(long.content[0].text) <= POLICY["max_tokens"]


def test_a_tool_with_the_name_of_ours_is_refused() -> None:
    async def run() -> None:
        server = shape_server(Server("server"), POLICY, store=MemoryStore())

        async def calling(name: str, arguments: dict[str, Any]) -> Any:
            return []

        tools = [{"name": "read_result", "inputSchema": COUNT}]
        answer(server, lambda cursor: mt.ListToolsResult.model_validate({"tools": tools}), calling)
        async with in_process(server) as peer:
            with pytest.raises(Refusal, match="toolshape adds one of that name"):
                await peer.tools()
            with pytest.raises(Refusal, match="toolshape adds one of that name"):
                await peer.call("read_result")

    anyio.run(run)
    server = shape_server(Server("once"))
    with pytest.raises(ToolshapeError, match="shaped already"):
        shape_server(server)
    with pytest.raises(
        ToolshapeError, match="the server is builtins.int; shape_server takes .*(FastMCP|MCPServer) or .*Server"
    ):
        shape_server(5)


def put_around(server: Any, check: Callable[[str], None]) -> None:
    """Puts a handler around that of ``tools/call``."""
    if PLAIN == "mcp1":
        inner_1 = server.request_handlers[mt.CallToolRequest]

        async def around_1(request: mt.CallToolRequest) -> Any:
            check(request.params.name)
            return await inner_1(request)

        server.request_handlers[mt.CallToolRequest] = around_1
        return
    inner_2 = server.get_request_handler("tools/call").handler

    async def around_2(context: Any, params: mt.CallToolRequestParams) -> Any:
        check(params.name)
        return await inner_2(context, params)

    server.add_request_handler("tools/call", mt.CallToolRequestParams, around_2)


@each_time
async def test_a_handler_that_is_put_around_is_asked_for_later_pages_and_read_result(when: str) -> None:
    asked: list[str] = []
    async with connected(when) as made:
        put_around(made.server, asked.append)
        first = reply(await made.peer.call("list_rows", count=300))
        await made.peer.call("list_rows", count=300, cursor=first["nextCursor"])
        assert reply(await made.peer.call("read_result", handle=first["uri"], pointer="/299/id")) == 299
        assert asked == ["list_rows", "list_rows", "read_result"] and len(made.seen) == 1


@pytest.mark.skipif(PLAIN == "mcp1", reason="this SDK has no middleware")
@each_time
async def test_middleware_is_asked_for_later_pages_and_read_result(when: str) -> None:
    asked: list[str] = []

    async def middleware(context: Any, call_next: Any) -> Any:
        if context.method == "tools/call":
            asked.append(context.params["name"])
        return await call_next(context)

    async with connected(when) as made:
        made.server.middleware.append(middleware)
        first = reply(await made.peer.call("list_rows", count=300))
        await made.peer.call("list_rows", count=300, cursor=first["nextCursor"])
        assert reply(await made.peer.call("read_result", handle=first["uri"], pointer="/299/id")) == 299
        assert asked == ["list_rows", "list_rows", "read_result"] and len(made.seen) == 1


def test_without_a_store_nothing_is_added() -> None:
    async def run() -> None:
        async with connected("before", store=None) as made:
            assert "read_result" not in await made.peer.tools()
            with pytest.raises(Refusal):
                await made.peer.templates()
            page = reply(await made.peer.call("list_rows", count=300))
            assert "uri" not in page
            again = reply(await made.peer.call("list_rows", count=300, cursor=page["nextCursor"]))
            assert again["items"][0]["id"] == len(page["items"]) and len(made.seen) == 2

    anyio.run(run)
