"""What real HTTP clients raise on a 429, raised by a tool of each SDK: the shared cases, and the clients themselves."""

from __future__ import annotations

import email.utils
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http.server import ThreadingHTTPServer
from typing import Any

import anyio
import fastmcp
import http_clients
import mcp
import mcp_types as mt
import pytest
import vectors
from fastmcp.exceptions import ToolError
from fastmcp.tools.base import ToolResult
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel
from test_http_clients import TooMany

from toolshape import Shaper
from toolshape.fastmcp import ShapingMiddleware
from toolshape.mcp import shape_server

SECRET = http_clients.SECRET


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """SDKs log each error with all its frames, which takes longer than all else here."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


class Articles(BaseModel):
    articles: list[str]


@dataclass
class Thrower:
    """What the tools raise next, called in a thread as tools are that block."""

    work: Callable[[], Any]

    async def plain(self) -> str:
        return str(await anyio.to_thread.run_sync(self.work))

    async def promised(self) -> Articles:
        return Articles(articles=[str(await anyio.to_thread.run_sync(self.work))])

    def message(self) -> list[mt.TextContent]:
        try:
            self.work()
        except Exception as error:
            return [mt.TextContent(type="text", text=f"Error executing tool list: {error}")]
        raise AssertionError("nothing was raised")


Ask = Callable[[str], Any]


@asynccontextmanager
async def asked(
    sdk: str, policy: dict[str, Any], names: set[str], thrower: Thrower, masks: bool = False
) -> AsyncIterator[Ask]:
    """Calls tools of these names, which raise; ``<name>_promised`` has an output schema, ``flattened`` says what an SDK
    keeps of an error."""
    told: dict[str, Any] = {"on_receipt": lambda receipt: None}
    if sdk == "mcp":
        plain = shape_server(MCPServer("rates", log_level="CRITICAL"), policy, **told)
        for name in names:
            plain.tool(name=name, structured_output=False)(thrower.plain)
            plain.tool(name=f"{name}_promised")(thrower.promised)

        async def flat() -> mt.CallToolResult:
            return mt.CallToolResult(content=list(await anyio.to_thread.run_sync(thrower.message)), is_error=True)

        plain.tool(name="flattened", structured_output=False)(flat)
        async with mcp.Client(plain) as client:
            yield lambda name: client.call_tool(name, {})
    else:
        server = fastmcp.FastMCP("rates", mask_error_details=masks)
        server.add_middleware(ShapingMiddleware(policy, **told))
        for name in names:
            server.tool(thrower.plain, name=name, output_schema=None)
            server.tool(thrower.promised, name=f"{name}_promised")

        async def flattened() -> ToolResult:
            return ToolResult(content=await anyio.to_thread.run_sync(thrower.message), is_error=True)

        server.tool(flattened, output_schema=None)
        async with fastmcp.Client(server) as fast:
            yield lambda name: fast.call_tool_mcp(name, {})


def limit_of(result: mt.CallToolResult) -> Any:
    """The rate limit that a result tells of, if it does; in the content alone, so that every host shows it."""
    assert result.is_error and result.structured_content is None
    (block,) = result.content
    assert isinstance(block, mt.TextContent)
    return json.loads(block.text) if block.text.startswith('{"type":"rate_limited"') else None


class Recorded(Exception):
    """An exception with the members that were recorded of one, and those that led to it."""

    def __init__(self, error: dict[str, Any]) -> None:
        message = error.get("message")
        super().__init__(message if isinstance(message, str) else "")
        for name, value in error.items():
            if name in ("__cause__", "__context__") and isinstance(value, dict):
                setattr(self, name, Recorded(value))
            elif not name.startswith("__") or isinstance(value, bool):
                setattr(self, name, value)


# Whatever is no object cannot be raised.
CASES = [case for case in vectors.cases_of("rate_limit") if isinstance(case["error"], dict)]


@pytest.mark.parametrize("sdk", ["mcp", "fastmcp"])
def test_recorded_errors(sdk: str) -> None:
    thrower = Thrower(lambda: None)
    wrong: list[str] = []

    async def run(options: dict[str, Any], cases: list[dict[str, Any]]) -> None:
        shaper = Shaper(**options)
        names = {case["call"].get("tool", "fetch") for case in cases}
        async with asked(sdk, options, names, thrower) as ask:
            for case in cases:

                def raise_it(error: dict[str, Any] = case["error"]) -> None:
                    raise Recorded(error)

                thrower.work = raise_it
                then = shaper.rate_limit(Recorded(case["error"]), **vectors.keywords(case["call"]), now=case.get("now"))
                if (then and {"text": then.text}) != case["expect"]:
                    wrong.append(f"{case['name']}: {then and then.text} is not what was recorded")
                tool = case["call"].get("tool", "fetch")
                for name in (tool, f"{tool}_promised"):
                    # The same, but for dates, which have passed by now.
                    today = shaper.rate_limit(Recorded(case["error"]), tool=name)
                    limit = limit_of(await ask(name))
                    # The SDK may show less than the exception says, and no more of it is told.
                    masks = (f"Error executing tool {name}", f"Error calling tool {name!r}")
                    if limit and today and limit["message"].startswith(masks):
                        limit["message"] = today.value["message"]
                    if limit != (today and today.value):
                        wrong.append(f"{case['name']} {name}: {limit} is not {today and today.value}")

    by_policy: dict[str, list[dict[str, Any]]] = {}
    for case in CASES:
        by_policy.setdefault(json.dumps(case.get("policy", {})), []).append(case)
    for policy, cases in by_policy.items():
        anyio.run(run, vectors.options(json.loads(policy)), cases)
    assert not wrong, "\n".join(wrong)
    assert len(CASES) > 170


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), TooMany) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


# Those that raise by themselves; what the others return is a value as any other.
RAISING = {
    name: ask
    for name, ask in http_clients.CLIENTS.items()
    if name not in ("requests without raising", "httpx without raising", "urllib3", "httplib2")
}
# Those whose messages alone tell of status 429; those of the others say what any error may say.
TELLING = (
    "requests httpx httpx2 aiohttp tornado urllib openai anthropic boto3 PyGithub google.api_core googleapiclient"
).split()


def raise_wrapped(client: Ask, address: str, wrap: Callable[[Exception], Exception]) -> None:
    try:
        client(address)
    except Exception as error:
        caught = error
    raise wrap(caught)


def test_a_mask_stays_on(upstream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """FastMCP that masks errors shows nothing of them, and neither does toolshape; but a ``ToolError`` is shown."""
    monkeypatch.setattr(TooMany, "retry_after", "30")
    thrower = Thrower(lambda: None)
    told: dict[str, list[str]] = {}

    def busy(client: Ask, address: str) -> None:
        try:
            client(address)
        except Exception as error:
            raise ToolError("busy") from error

    async def run() -> None:
        async with asked("fastmcp", {}, {"list"}, thrower, masks=True) as ask:
            for name, client in RAISING.items():
                address = http_clients.address_for(name, upstream)
                for how in (
                    partial(client, address),
                    partial(raise_wrapped, client, address, http_clients.chained),
                    partial(raise_wrapped, client, address, http_clients.grouped),
                    partial(busy, client, address),
                ):
                    thrower.work = how
                    limit = limit_of(await ask("list"))
                    assert limit is not None and limit["retryAfterSeconds"] == 30, name
                    told.setdefault(name, []).append(limit["message"])

    anyio.run(run)
    masks = {"Too Many Requests", "Rate limited by upstream API, please retry later", "Error calling tool 'list'"}
    for messages in told.values():
        assert set(messages[:3]) <= masks
        assert messages[3] == "busy"


@pytest.mark.parametrize("sdk", ["mcp", "fastmcp"])
def test_clients(sdk: str, upstream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    thrower = Thrower(lambda: None)
    wrong: list[str] = []

    async def run() -> None:
        async with asked(sdk, {}, {"list"}, thrower) as ask:
            for name, client in RAISING.items():
                address = http_clients.address_for(name, upstream)
                thrower.work = lambda client=client, address=address: client(address)
                monkeypatch.setattr(TooMany, "retry_after", "30")
                for tool in ("list", "list_promised"):
                    limit = limit_of(await ask(tool))
                    if limit is None or (limit["retryAfterSeconds"], limit["upstream"]) != (30, tool):
                        wrong.append(f"{name} {tool}: {limit}")
                    if SECRET in str(limit):
                        wrong.append(f"{name} {tool} tells a secret: {limit}")
                for wrap in (http_clients.chained, http_clients.grouped):
                    thrower.work = partial(raise_wrapped, client, address, wrap)
                    limit = limit_of(await ask("list"))
                    if limit is None or limit["retryAfterSeconds"] != 30 or SECRET in str(limit):
                        wrong.append(f"{name} {wrap.__name__}: {limit}")
                thrower.work = lambda client=client, address=address: client(address)
                flat = limit_of(await ask("flattened"))
                if (flat is not None) != (name in TELLING) or (flat and flat["retryAfterSeconds"] is not None):
                    wrong.append(f"{name} flattened: {flat}")
                in_a_minute = email.utils.formatdate(time.time() + 60, usegmt=True)
                monkeypatch.setattr(TooMany, "retry_after", in_a_minute)
                limit = limit_of(await ask("list"))
                if limit is None or not 50 < limit["retryAfterSeconds"] <= 60:
                    wrong.append(f"{name} by a date: {limit}")

    anyio.run(run)
    assert not wrong, "\n".join(wrong)
