"""Every behaviour of the adapters, against the SDKs' own clients; a table of all at the end."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import fastmcp
import httpx
import mcp
import mcp_types as mt
import pytest
from fastmcp.tools.base import ToolResult
from jsonschema import Draft202012Validator
from mcp.server.mcpserver import MCPServer

from toolshape import MemoryStore, count_tokens
from toolshape.fastmcp import ShapingMiddleware
from toolshape.mcp import shape_server

BUDGET = 600
POLICY = {"max_tokens": BUDGET, "tools": {"alone": False, "kept": {"schema": "preserve"}}}
PICTURE = mt.ImageContent(type="image", data=base64.b64encode(b"pixels" * 7000).decode(), mime_type="image/png")
LINK = mt.ResourceLink(type="resource_link", uri="file:///report.pdf", name="report")


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": at, "name": f"the row of number {at}"} for at in range(count)]


def text(value: object) -> mt.TextContent:
    return mt.TextContent(type="text", text=value if isinstance(value, str) else json.dumps(value))


@dataclass
class Calls:
    """How often tools ran."""

    of: dict[str, int] = field(default_factory=dict)

    def count(self, name: str) -> None:
        self.of[name] = self.of.get(name, 0) + 1


def tools(calls: Calls, result: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The tools that both servers have; ``result`` makes an SDK's result."""

    def list_rows(count: int) -> list[dict[str, Any]]:
        calls.count("list_rows")
        return rows(count)

    def log() -> str:
        return "GET /index.html 200\n" * 2000

    def promised(count: int) -> dict[str, int | list[dict[str, Any]]]:
        return {"total": count, "rows": rows(count)}

    def kept(count: int) -> dict[str, int | list[dict[str, Any]]]:
        return {"total": count, "rows": rows(count)}

    def own_cursor(cursor: str = "none", page: int = 0) -> list[dict[str, Any]]:
        return [{**row, "cursor": cursor, "page": page} for row in rows(200)]

    def picture() -> Any:
        return result([PICTURE, text(rows(200)), LINK], meta={"example.com/theirs": [1, 2]})

    def error() -> Any:
        return result([text("Traceback\n" + "  at line 1\n" * 900)], is_error=True)

    def boom() -> str:
        request = httpx.Request("GET", "https://example.org")
        httpx.Response(429, headers={"retry-after": "30"}, request=request).raise_for_status()
        return "never"

    def fails() -> str:
        raise RuntimeError("no such article")

    def alone(count: int) -> list[dict[str, Any]]:
        return rows(count)

    return [list_rows, log, promised, kept, own_cursor, picture, error, boom, fails, alone]


def fast_result(content: list[Any], meta: dict[str, Any] | None = None, is_error: bool = False) -> ToolResult:
    return ToolResult(content=content, meta=meta, is_error=is_error)


def plain_result(content: list[Any], meta: dict[str, Any] | None = None, is_error: bool = False) -> mt.CallToolResult:
    return mt.CallToolResult(content=content, is_error=is_error, _meta=meta)


@dataclass
class Setting:
    """One server and one client, as a column of the table."""

    sdk: str
    era: str
    calls: Calls
    receipts: list[Any]
    list_tools: Callable[[], Any]
    call: Callable[..., Any]
    read: Callable[[str], Any]


@asynccontextmanager
async def setting(sdk: str, era: str, *, store: bool = False) -> AsyncIterator[Setting]:
    calls, receipts = Calls(), []
    options: dict[str, Any] = {"on_receipt": receipts.append}
    if store:
        options["store"] = MemoryStore()
    if sdk == "fastmcp":
        server = fastmcp.FastMCP("rows")
        server.add_middleware(ShapingMiddleware(POLICY, **options))
        for function in tools(calls, fast_result):
            server.tool(function)
        async with fastmcp.Client(server, mode=era) as client:

            async def call(name: str, **arguments: Any) -> mt.CallToolResult:
                return await client.call_tool_mcp(name, arguments)

            yield Setting(sdk, era, calls, receipts, client.list_tools, call, client.read_resource)
    else:
        plain = shape_server(MCPServer("rows"), POLICY, **options)
        for function in tools(calls, plain_result):
            plain.tool()(function)
        async with mcp.Client(plain, mode=era) as peer:

            async def listed() -> list[mt.Tool]:
                return (await peer.list_tools()).tools

            async def called(name: str, **arguments: Any) -> mt.CallToolResult:
                return await peer.call_tool(name, arguments)

            async def read(uri: str) -> Any:
                return (await peer.read_resource(uri)).contents

            yield Setting(sdk, era, calls, receipts, listed, called, read)


def said(result: mt.CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, mt.TextContent))


def told(result: mt.CallToolResult) -> Any:
    return json.loads(said(result))


def fits(result: mt.CallToolResult) -> None:
    assert count_tokens(said(result)) <= BUDGET
    if result.structured_content is not None:
        assert count_tokens(json.dumps(result.structured_content, separators=(",", ":"), ensure_ascii=False)) <= BUDGET


async def controls_are_offered(s: Setting) -> None:
    shown = {tool.name: tool for tool in await s.list_tools()}
    assert {"page", "pageSize", "cursor", "fields"} <= set(shown["list_rows"].input_schema["properties"])
    assert shown["list_rows"].input_schema["required"] == ["count"]
    assert set(shown["alone"].input_schema["properties"]) == {"count"}


async def a_list_is_paged(s: Setting) -> None:
    first = await s.call("list_rows", count=300)
    fits(first)
    assert told(first)["totalItems"] == 300
    seen, page = [], told(first)
    while True:
        seen += [row["id"] for row in page["items"]]
        if not page["hasMore"]:
            break
        page = told(await s.call("list_rows", count=300, cursor=page["nextCursor"]))
    assert seen == list(range(300))


async def both_channels_tell_the_same(s: Setting) -> None:
    for name in ("list_rows", "promised"):
        result = await s.call(name, count=300)
        fits(result)
        if result.structured_content is not None:
            structured = result.structured_content
            assert told(result) in (structured, structured.get("result"))


async def what_fits_passes(s: Setting) -> None:
    result = await s.call("list_rows", count=3)
    structured = result.structured_content or {}
    assert structured.get("result", rows(3)) == rows(3)
    assert not result.is_error


async def text_is_cut_and_read_on(s: Setting) -> None:
    first = await s.call("log")
    fits(first)
    assert told(first)["truncated"] is True
    second = await s.call("log", cursor=told(first)["nextCursor"])
    assert told(second)["preview"] != ""
    fits(second)


async def a_promised_schema_holds(s: Setting) -> None:
    shown = {tool.name: tool for tool in await s.list_tools()}
    for name in ("promised", "kept"):
        schema = shown[name].output_schema
        result = await s.call(name, count=300)
        fits(result)
        if schema is not None:
            Draft202012Validator(schema).validate(result.structured_content)


async def preserve_keeps_the_own_schema(s: Setting) -> None:
    shown = {tool.name: tool for tool in await s.list_tools()}
    assert "anyOf" not in (shown["kept"].output_schema or {})
    result = await s.call("kept", count=300)
    assert result.structured_content is not None
    assert result.structured_content["total"] == 300
    assert 0 < len(result.structured_content["rows"]) < 300


async def own_arguments_stay_own(s: Setting) -> None:
    shown = {tool.name: tool for tool in await s.list_tools()}
    properties = shown["own_cursor"].input_schema["properties"]
    assert properties["cursor"]["default"] == "none"
    result = told(await s.call("own_cursor", cursor="theirs", page=7))
    row = result["items"][0]
    assert (row["cursor"], row["page"]) == ("theirs", 7)


async def a_wrong_control_is_explained(s: Setting) -> None:
    result = await s.call("list_rows", count=300, pageSize=100_000)
    assert result.is_error and told(result)["error"] == "INVALID_CALL"


async def an_unknown_argument_is_theirs_to_refuse(s: Setting) -> None:
    result = await s.call("list_rows", count=3, bogus=1)
    if s.sdk == "fastmcp":
        assert result.is_error
    else:
        assert not result.is_error  # MCPServer ignores what a tool does not take.


async def pictures_and_links_pass(s: Setting) -> None:
    result = await s.call("picture")
    dumped = [block.model_dump(mode="json", by_alias=True) for block in result.content]
    assert PICTURE.model_dump(mode="json", by_alias=True) in dumped
    assert LINK.model_dump(mode="json", by_alias=True) in dumped
    assert result.meta is not None and result.meta["example.com/theirs"] == [1, 2]
    fits(result)


async def errors_keep_their_meaning(s: Setting) -> None:
    result = await s.call("error")
    assert result.is_error and result.structured_content is None
    fits(result)
    failed = await s.call("fails")
    assert failed.is_error


async def a_rate_limit_is_told(s: Setting) -> None:
    result = await s.call("boom")
    assert told(result)["type"] == "rate_limited"
    assert told(result)["retryAfterSeconds"] == 30
    assert result.is_error


async def a_tool_is_left_alone(s: Setting) -> None:
    result = await s.call("alone", count=300)
    assert len(said(result)) > 10_000 and "toolshape/receipt" not in (result.meta or {})


async def receipts_are_given(s: Setting) -> None:
    s.receipts.clear()
    result = await s.call("list_rows", count=300)
    assert result.meta is not None
    receipt = result.meta["toolshape/receipt"]
    assert receipt["tool"] == "list_rows" and receipt["tokensAfter"] <= BUDGET
    assert len(s.receipts) == 1


async def what_is_left_out_is_read_back(s: Setting) -> None:
    async with setting(s.sdk, s.era, store=True) as stored:
        assert "read_result" in {tool.name for tool in await stored.list_tools()}
        first = told(await stored.call("list_rows", count=300))
        handle = first["uri"]
        read = await stored.call("read_result", handle=handle, jsonPath="$[?@.id==217]")
        assert "the row of number 217" in said(read)
        fits(read)
        contents = await stored.read(handle)
        assert count_tokens(contents[0].text) <= BUDGET
        missing = await stored.call("read_result", handle="0" * 64)
        assert missing.is_error and told(missing)["error"] == "NOT_FOUND"


async def pages_come_from_the_snapshot(s: Setting) -> None:
    async with setting(s.sdk, s.era, store=True) as stored:
        first = told(await stored.call("list_rows", count=300))
        assert first["source"] == "live"
        second = told(await stored.call("list_rows", count=300, cursor=first["nextCursor"]))
        assert second["source"] == "snapshot"
        assert stored.calls.of == {"list_rows": 1}


BEHAVIOURS = [
    controls_are_offered,
    a_list_is_paged,
    both_channels_tell_the_same,
    what_fits_passes,
    text_is_cut_and_read_on,
    a_promised_schema_holds,
    preserve_keeps_the_own_schema,
    own_arguments_stay_own,
    a_wrong_control_is_explained,
    an_unknown_argument_is_theirs_to_refuse,
    pictures_and_links_pass,
    errors_keep_their_meaning,
    a_rate_limit_is_told,
    a_tool_is_left_alone,
    receipts_are_given,
    what_is_left_out_is_read_back,
    pages_come_from_the_snapshot,
]
COLUMNS = [(sdk, era) for sdk in ("mcp", "fastmcp") for era in ("legacy", "auto")]


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[dict[tuple[str, str, str], str]]:
    cells: dict[tuple[str, str, str], str] = {}
    yield cells
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print("\n" + " " * 42 + "".join(f"{sdk} {era}".rjust(16) for sdk, era in COLUMNS))
        for behaviour in BEHAVIOURS:
            name = behaviour.__name__
            print(name.replace("_", " ").ljust(42) + "".join(cells.get((name, *column), "").rjust(16) for column in COLUMNS))


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.__name__)
@pytest.mark.parametrize(("sdk", "era"), COLUMNS)
def test_behaviour(behaviour: Callable[[Setting], Any], sdk: str, era: str, table: dict[tuple[str, str, str], str]) -> None:
    cell = (behaviour.__name__, sdk, era)
    table[cell] = "FAILS"

    async def run() -> None:
        async with setting(sdk, era) as one:
            await behaviour(one)

    anyio.run(run)
    table[cell] = "yes"
