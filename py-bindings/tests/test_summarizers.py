"""The tool ``summarize`` of the adapters, against the SDKs' own clients: who writes the summary, and what if not."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from adapters.clients import in_process
from adapters.sdks import FAST, PLAIN, SDKS, MCPServer, mt
from toolshape import MemoryStore, ToolshapeError, count_tokens

if PLAIN is not None:
    from toolshape.mcp import Summarizer, shape_server
if FAST is not None:
    import fastmcp
    from toolshape.fastmcp import ShapingMiddleware, Summarizer  # noqa: F811

BUDGET = 600
LOG = "INFO all is well\n" * 4000 + "ERROR disk full\n"
LINK = "file:///app.log"
Call = Callable[..., Any]


@asynccontextmanager
async def connected(sdk: str, *, sampling: Any = None, **options: Any) -> AsyncIterator[Any]:
    """A client of a server with one tool, which writes a log."""
    options = {"on_receipt": lambda _: None, **options}

    def log() -> str:
        return LOG

    # A server asks the client's model by a request, as servers of 2025 do.
    mode = {"mode": "legacy"} if sampling is not None and sdk in ("mcp", "py-fastmcp") else {}
    if sdk == FAST:
        server = fastmcp.FastMCP("server")
        server.add_middleware(ShapingMiddleware({"max_tokens": BUDGET, "receipt": "meta"}, **options))
        server.tool(log)
        handler = {} if sampling is None else {"sampling_handler": sampling}
        async with in_process(server, **mode, **handler) as client:
            yield client
    else:
        plain = shape_server(MCPServer("server"), {"max_tokens": BUDGET, "receipt": "meta"}, **options)
        plain.tool()(log)
        async with in_process(plain, sampling_callback=sampling, **mode) as peer:
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


@summaries
async def test_the_clients_model_writes_the_summary(sdk: str) -> None:
    asked = []

    async def summarize(text: str, max_tokens: int, context: Any) -> str:
        message = mt.SamplingMessage(role="user", content=mt.TextContent(type="text", text=text))
        session = context.fastmcp_context.request_context.session if sdk == FAST else context.session
        answer = await session.create_message([message], max_tokens=max_tokens)
        return str(answer.content.text)

    async def sampling(_: Any, parameters: Any, *_more: Any) -> mt.CreateMessageResult:
        asked.append(parameters)
        content = mt.TextContent(type="text", text="All was well until the disk was full.")
        return mt.CreateMessageResult(role="assistant", model="theirs", content=content)

    summarizer = Summarizer("the client's model", summarize)
    async with connected(sdk, sampling=sampling, summarize=summarizer) as client:
        _, text = await call(client, "summarize", text=LOG, uri=LINK)
        reply = json.loads(text)
        assert (reply["by"], reply["summary"]) == ("the client's model", "All was well until the disk was full.")
        assert (await call(client, "summarize", text="it fits", uri=LINK))[1] == "it fits"
        assert len(asked) == 1


def fails(text: str, max_tokens: int, context: object) -> str:
    raise TypeError("in /etc/secret")


async def hangs(text: str, max_tokens: int, context: object) -> str:
    await asyncio.sleep(60)
    return "too late"


def blocks(text: str, max_tokens: int, context: object) -> str:
    time.sleep(0.6)
    return "too late"


def is_long(text: str, max_tokens: int, context: object) -> str:
    return "All went well. " * 500


def gives_nothing(text: str, max_tokens: int, context: object) -> Any:
    return None


@pytest.mark.parametrize("sdk", SDKS)
@pytest.mark.parametrize(
    ("summarize", "failure"),
    [
        (fails, "it failed: TypeError"),
        (hangs, "it took over 0.3 seconds"),
        (blocks, "it took over 0.3 seconds"),
        (is_long, "it is over the budget"),
        (gives_nothing, "it gave no text"),
    ],
)
def test_where_a_summarizer_fails_ours_says_so(sdk: str, summarize: Any, failure: str) -> None:
    async def run() -> None:
        async with connected(sdk, summarize=Summarizer("the house", summarize, timeout_seconds=0.3)) as client:
            reply = json.loads((await call(client, "summarize", text=LOG, uri=LINK))[1])
            assert reply["by"] == "toolshape"
            assert reply["note"].startswith(f"There is no summary by the house: {failure}. ")
            assert reply["lines"][-1]["text"] == "ERROR disk full"

    anyio.run(run)


@summaries
async def test_a_summary_of_the_size_that_was_asked_for_fits(sdk: str) -> None:
    def summarize(text: str, max_tokens: int, context: object) -> str:
        summary = ""
        while count_tokens(summary) < max_tokens:
            summary += 'All went well,\nsaid "the" log.\n'
        return summary[:-30]

    async with connected(sdk, store=MemoryStore(), summarize=Summarizer("the house", summarize)) as client:
        uri = json.loads((await call(client, "log"))[1])["uri"]
        reply = json.loads((await call(client, "summarize", handle=uri))[1])
        assert reply["by"] == "the house"


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(ToolshapeError) as raised:
        Summarizer("x", fails, timeout_seconds=0)
    assert raised.value.code == "INVALID_CALL"
