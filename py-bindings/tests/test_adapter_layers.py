"""Shaped inside shaped: a server that is mounted on another, both shaped; and one server that is shaped twice."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from adapters.sdks import FAST, PLAIN, MCPServer, ToolResult, mt
from toolshape import Archive, MemoryStore, Shaper, ToolshapeError, expand

if FAST is None:
    pytest.skip("this SDK mounts no servers", allow_module_level=True)

import fastmcp
from toolshape.fastmcp import ShapingMiddleware

if PLAIN is not None:
    from toolshape.mcp import shape_server

COUNT = 200
QUIET: dict[str, Any] = {"on_receipt": lambda _: None}


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": at, "name": f"the row of number {at}"} for at in range(count)]


def server(name: str, tokens: int | None, **options: Any) -> fastmcp.FastMCP[Any]:
    made: fastmcp.FastMCP[Any] = fastmcp.FastMCP(name)
    if tokens is not None:
        made.add_middleware(ShapingMiddleware({"max_tokens": tokens, "receipt": "meta"}, **QUIET, **options))
    return made


def child(tokens: int | None = 1000, **options: Any) -> fastmcp.FastMCP[Any]:
    made = server("child", tokens, **options)

    @made.tool(output_schema=None)
    def list_rows(count: int) -> list[dict[str, Any]]:
        return rows(count)

    return made


def parent(
    inner: fastmcp.FastMCP[Any], tokens: int | None, namespace: str | None, **options: Any
) -> fastmcp.FastMCP[Any]:
    made = server("parent", tokens, **options)
    made.mount(inner, **{"prefix" if FAST == "fastmcp2" else "namespace": namespace})
    return made


def reply(result: Any) -> Any:
    return json.loads(expand(result.content[0].text))


async def reached(client: fastmcp.Client[Any], tool: str) -> list[int]:
    """The ids of all rows that cursors lead to, of whichever layer they are."""
    ids, waiting = list[int](), [dict[str, Any]()]
    while waiting:
        result = await client.call_tool(tool, {"count": COUNT, **waiting.pop()})
        page = reply(result)
        place = page.get("_page", page)
        ids += [row["id"] for row in page["items"]]
        # The cursor of the parent continues in the page of the child, the child's to its next page.
        if page.get("nextCursor") is not None and place is page:
            waiting.append({"cursor": page["nextCursor"]})
    return ids


@pytest.mark.parametrize("namespace", [None, "inner"])
@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("tokens", [None, 1000, 4000])
def test_every_row_is_reached_through_a_parent(namespace: str | None, stores: bool, tokens: int | None) -> None:
    async def run() -> None:
        inner = child(store=MemoryStore() if stores else None)
        options: dict[str, Any] = {} if tokens is None else {"store": MemoryStore() if stores else None}
        outer = parent(inner, tokens, namespace, **options)
        async with fastmcp.Client(outer) as client:
            name = f"{namespace}_list_rows" if namespace else "list_rows"
            assert await reached(client, name) == list(range(COUNT))
            listed = {tool.name: tool.model_dump(by_alias=True) for tool in await client.list_tools()}
            controls = {"page", "pageSize", "cursor", "fields"} & set(listed[name]["inputSchema"]["properties"])
            assert len(controls) == (0 if stores else 4)
            page = reply(await client.call_tool(name, {"count": COUNT, "page": "3", "pageSize": 7, "fields": "id"}))
            assert page["items"] == [{"id": at} for at in range(14, 21)]
            if not stores:
                assert len(listed) == 1
                return
            # What the child stored is read by the one tool that is listed for it.
            reader = "read_result_child" if tokens is None else "read_result_parent"
            reader = f"{namespace}_{reader}" if tokens is None and namespace else reader
            assert set(listed) == {name, reader}
            handle = reply(await client.call_tool(name, {"count": COUNT}))["uri"]
            assert reply(await client.call_tool(reader, {"handle": handle, "pointer": "/199"})) == rows(COUNT)[199]
            first = reply(await client.call_tool(name, {"count": COUNT}))
            following = reply(await client.call_tool(reader, {"cursor": first["nextCursor"]}))
            assert following["source"] == "snapshot" and following["items"][0]["id"] == len(first["items"])
            if tokens is not None:
                resource = await client.read_resource(handle)
                assert json.loads(resource[0].text)["totalItems"] == COUNT
            none = await client.call_tool(reader, {"handle": "a" * 16}, raise_on_error=False)
            assert none.is_error and reply(none)["error"] == "NOT_FOUND"

    asyncio.run(run())


def test_a_parent_with_a_smaller_budget_keeps_it() -> None:
    async def run() -> None:
        outer = parent(child(2000), 400, "inner", store=MemoryStore())
        async with fastmcp.Client(outer) as client:
            result = await client.call_tool("inner_list_rows", {"count": COUNT, "pageSize": 40})
            assert result.meta["toolshape/receipt"]["tokensAfter"] <= 400
            page = reply(result)
            assert page["totalItems"] == COUNT and 0 < page["returned"] == len(page["items"]) < 40
            # The child's cursor goes on after the rows that the parent shows.
            more = {"count": COUNT, "pageSize": 40, "cursor": page["nextCursor"]}
            rest = reply(await client.call_tool("inner_list_rows", more))
            assert rest["items"][0]["id"] == len(page["items"])

    asyncio.run(run())


def test_what_is_stored_by_a_parent_is_read_by_it() -> None:
    async def run() -> None:
        outer = parent(child(None), 1000, "inner", store=MemoryStore())
        async with fastmcp.Client(outer) as client:
            handle = reply(await client.call_tool("inner_list_rows", {"count": COUNT}))["uri"]
            assert (
                reply(await client.call_tool("read_result_parent", {"handle": handle, "pointer": "/199"}))
                == rows(COUNT)[199]
            )

    asyncio.run(run())


def test_a_receipt_that_a_tool_forges_does_not_pass_the_budget() -> None:
    async def run() -> None:
        outer = server("forging", 400)

        @outer.tool(output_schema=None)
        def forge() -> Any:
            meta = {"toolshape/receipt": {"tool": "forge", "steps": ["paginate"]}}
            return ToolResult(content=[mt.TextContent(type="text", text=json.dumps(rows(COUNT)))], meta=meta)

        async with fastmcp.Client(outer) as client:
            result = await client.call_tool("forge")
            receipt = result.meta["toolshape/receipt"]
            assert reply(result)["totalItems"] == COUNT and receipt["tokensAfter"] <= 400

    asyncio.run(run())


def test_a_server_that_is_shaped_twice_is_refused() -> None:
    async def run() -> None:
        twice = child()
        twice.add_middleware(ShapingMiddleware(**QUIET))
        async with fastmcp.Client(twice) as client:
            with pytest.raises(Exception, match="shaped twice"):
                await client.list_tools()
            with pytest.raises(Exception, match="shaped twice"):
                await client.call_tool("list_rows", {"count": 1})

    asyncio.run(run())
    if PLAIN is not None:
        once = shape_server(MCPServer("once"))
        with pytest.raises(ToolshapeError, match="shaped already"):
            shape_server(once)


def test_a_tool_with_the_name_of_ours_is_refused_though_ours_is_added_first() -> None:
    async def run() -> None:
        taken = child(1000, store=MemoryStore())

        @taken.tool
        def read_result_child() -> str:
            return "mine"

        async with fastmcp.Client(taken) as client:
            with pytest.raises(Exception, match="toolshape adds one of that name"):
                await client.list_tools()
            with pytest.raises(Exception, match="toolshape adds one of that name"):
                await client.call_tool("read_result_child", {})

    asyncio.run(run())


class Kept:
    """A store, if it is an instance."""

    def get(self, key: str) -> None: ...
    def set(self, key: str, value: str, ttl_seconds: float) -> None: ...
    def delete(self, key: str) -> None: ...


def test_servers_of_a_process_share_the_store_that_is_there_by_default() -> None:
    """What a server that is made for one request stores is read by the server of the next."""

    async def run() -> None:
        async with fastmcp.Client(child()) as client:
            page = reply(await client.call_tool("list_rows", {"count": COUNT}))
        async with fastmcp.Client(child()) as client:
            assert (
                reply(await client.call_tool("read_result_child", {"handle": page["uri"], "pointer": "/7"}))
                == rows(8)[7]
            )
            following = reply(await client.call_tool("read_result_child", {"cursor": page["nextCursor"]}))
            assert following["items"][0]["id"] == len(page["items"])
        async with fastmcp.Client(child(store=MemoryStore())) as client:
            gone = await client.call_tool("read_result_child", {"handle": page["uri"]}, raise_on_error=False)
            assert reply(gone)["error"] == "NOT_FOUND"
        async with fastmcp.Client(child(store=None)) as client:
            assert [tool.name for tool in await client.list_tools()] == ["list_rows"]
            assert "uri" not in reply(await client.call_tool("list_rows", {"count": COUNT}))

    asyncio.run(run())


@pytest.mark.skipif(FAST == "fastmcp2", reason="this SDK lists all tools on one page")
def test_read_result_is_on_the_first_page_of_the_list() -> None:
    async def run() -> None:
        paged: fastmcp.FastMCP[Any] = fastmcp.FastMCP("paged", list_page_size=2)
        paged.add_middleware(ShapingMiddleware(**QUIET))
        for name in "abcde":
            paged.tool(rows, name=name, output_schema=None)
        async with fastmcp.Client(paged) as client:
            first = (await client.list_tools_mcp()).model_dump(by_alias=True)
            assert first["nextCursor"] is not None and "read_result_paged" in [tool["name"] for tool in first["tools"]]

    asyncio.run(run())


def test_a_store_that_is_none_and_options_that_are_misspelt_are_refused_where_the_line_stands() -> None:
    adapters: list[Any] = [lambda **options: ShapingMiddleware({}, **options)]
    if PLAIN is not None:
        adapters.append(lambda **options: shape_server(MCPServer("x"), {}, **options))
    for adapter in adapters:
        for options, path in [
            ({"store": {}}, "/store"),
            ({"store": Kept}, "/store"),
            ({"store": []}, "/store"),
            ({"store": "memory"}, "/store"),
            ({"stroe": Kept()}, "/stroe"),
            ({"on_recipt": print}, "/on_recipt"),
            ({"on_receipt": True}, "/on_receipt"),
            ({"store": Kept(), "ttl_seconds": "1"}, "/ttl_seconds"),
            ({"summarize": {}}, "/summarize"),
            ({"store": None, "authorize": lambda context, tool: True}, "/authorize"),
            ({"store": None, "redact": str}, "/redact"),
        ]:
            with pytest.raises(ToolshapeError) as raised:
                adapter(**options)
            assert (raised.value.code, raised.value.path) == ("INVALID_CALL", path), options
    none: Any
    for none in [None, {}, Kept, "memory"]:
        with pytest.raises(ToolshapeError) as raised:
            Archive(Shaper(), none)
        assert (raised.value.code, raised.value.path) == ("INVALID_CALL", "/store")
