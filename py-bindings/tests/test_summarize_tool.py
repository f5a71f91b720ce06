"""The tool ``summarize`` of the adapters, against the SDKs' own clients."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from adapters.clients import in_process
from adapters.sdks import FAST, PLAIN, SDKS, MCPServer
from toolshape import MemoryStore, count_tokens

if PLAIN is not None:
    from toolshape.mcp import shape_server
if FAST is not None:
    import fastmcp
    from toolshape.fastmcp import ShapingMiddleware

BUDGET = 600
LOG = "INFO all is well\n" * 4000 + "ERROR disk full\n"
LINK = "file:///app.log"
Call = Callable[..., Any]


@asynccontextmanager
async def connected(sdk: str, **options: Any) -> AsyncIterator[Any]:
    """A client of a server with one tool, which writes a log."""
    options = {"on_receipt": lambda _: None, **options}

    def log() -> str:
        return LOG

    if sdk == FAST:
        server = fastmcp.FastMCP("server")
        server.add_middleware(ShapingMiddleware({"max_tokens": BUDGET, "receipt": "meta"}, **options))
        server.tool(log)
        async with in_process(server) as client:
            yield client
    else:
        plain = shape_server(MCPServer("server"), {"max_tokens": BUDGET, "receipt": "meta"}, **options)
        plain.tool()(log)
        async with in_process(plain) as peer:
            yield peer


async def names(client: Any) -> list[str]:
    return list(await client.tools())


async def call(client: Any, tool: str, **arguments: Any) -> Any:
    result = await client.call(tool, **arguments)
    text = "".join(block.text for block in result.content)
    assert count_tokens(text) <= BUDGET
    return result, text


def summaries(test: Callable[..., Any]) -> Any:
    """A test for each SDK."""

    @pytest.mark.parametrize("sdk", SDKS)
    def run(sdk: str) -> None:
        anyio.run(test, sdk)

    run.__doc__ = test.__doc__
    return run


@summaries
async def test_what_the_store_has_is_told_in_short(sdk: str) -> None:
    async with connected(sdk, store=MemoryStore(), summarize=True) as client:
        assert sorted(await names(client)) == ["log", "read_result", "summarize"]
        _, first = await call(client, "log")
        uri = json.loads(first)["uri"]
        result, text = await call(client, "summarize", handle=uri)
        reply = json.loads(text)
        assert (reply["by"], reply["uri"], reply["lines"][-1]["text"]) == ("toolshape", uri, "ERROR disk full")
        receipt = (result.meta or {})["toolshape/receipt"]
        assert (receipt["tool"], receipt["steps"]) == ("summarize", ["summarizeText"])
        wrong, text = await call(client, "summarize", handle="0" * 64)
        assert wrong.is_error and json.loads(text)["error"] == "NOT_FOUND"
        wrong, text = await call(client, "summarize", handle="../../etc/passwd")
        assert wrong.is_error and json.loads(text)["error"] == "INVALID_HANDLE"


@summaries
async def test_a_text_of_the_models_is_kept(sdk: str) -> None:
    async with connected(sdk, store=MemoryStore(), summarize=True) as client:
        assert (await call(client, "summarize", text="short"))[1] == "short"
        _, text = await call(client, "summarize", text=LOG)
        _, line = await call(client, "read_result", handle=json.loads(text)["uri"], lines="4001")
        assert json.loads(line)["text"] == "ERROR disk full\n"


class Full(MemoryStore):
    def set(self, key: str, value: str, ttl_seconds: float) -> None:
        raise OSError(28, "no space left on device")


@summaries
async def test_where_the_store_fails_the_text_is_read_on_to_its_end(sdk: str) -> None:
    text = "".join(f"{at} " for at in range(1500))
    async with connected(sdk, store=Full(), summarize=True) as client:
        read = ""
        cursor: dict[str, str] = {}
        while True:
            page = json.loads((await call(client, "summarize", text=text, **cursor))[1])
            read += page["preview"]
            if not page["nextCursor"]:
                break
            cursor = {"cursor": page["nextCursor"]}
        assert read == text


@summaries
async def test_what_is_stored_and_told_is_redacted(sdk: str) -> None:
    store = MemoryStore()
    options: Any = {"store": store, "summarize": True, "redact": lambda text: text.replace("disk", "****")}
    async with connected(sdk, **options) as client:
        _, text = await call(client, "summarize", text=LOG)
        assert json.loads(text)["lines"][-1]["text"] == "ERROR **** full"
        _, line = await call(client, "read_result", handle=json.loads(text)["uri"], lines="4001")
        assert json.loads(line)["text"] == "ERROR **** full\n"


@summaries
async def test_without_a_store_a_text_has_a_link(sdk: str) -> None:
    async with connected(sdk, store=None, summarize=True) as client:
        assert sorted(await names(client)) == ["log", "summarize"]
        _, text = await call(client, "summarize", text=LOG, uri=LINK)
        assert json.loads(text)["uri"] == LINK
        for arguments in ({"text": LOG}, {"handle": "0" * 64}, {}):
            wrong, text = await call(client, "summarize", **arguments)
            assert wrong.is_error and json.loads(text)["error"] in ("INVALID_CALL", "NOT_FOUND")


@summaries
async def test_a_server_that_does_not_ask_for_it_has_no_such_tool(sdk: str) -> None:
    async with connected(sdk, store=MemoryStore()) as client:
        assert sorted(await names(client)) == ["log", "read_result"]
