"""The cases of ``vectors/shared/redaction.json`` through every door by which something of a tool leaves an adapter. With
``TOOLSHAPE_DOORS`` the table goes into a file of that folder, for ``cargo xtask doors``.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from adapters.clients import in_process
from adapters.sdks import FAST, PLAIN, RESULT_MAY_BE_ERROR, SDKS, MCPServer, ToolResult, mt
from toolshape import MemoryStore
from toolshape.agents import Harness

from vectors import FOLDER

if FAST is not None:
    import fastmcp
    from toolshape.fastmcp import ShapingMiddleware
if PLAIN is not None:
    from toolshape.mcp import shape_server

CASES = json.loads((FOLDER / "shared/redaction.json").read_text("utf-8"))["cases"]
POLICY: Any = {"max_tokens": 600}
AGENTS = "agents"
# A result that a tool returns, as JSON, or its exception.
Returned = Callable[[], dict[str, Any]]


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """SDKs log each error with all its frames."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


class Kept(MemoryStore):
    """A store that records what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[str] = []

    def set(self, key: str, value: str, *given: Any, **named: Any) -> None:
        self.written.append(value)
        super().set(key, value, *given, **named)


class Adapter:
    """A server or agent with one tool, which returns what is set."""

    def __init__(self, call: Callable[[Returned], Awaitable[Any]], ask: Callable[..., Awaitable[Any]]) -> None:
        self.call, self.ask = call, ask
        self.receipts: list[Any] = []
        self.store = Kept()

    async def doors(self, case: dict[str, Any]) -> dict[str, str]:
        """What leaves through each door."""
        text, secrets = case["text"], case["secrets"]
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        rows = [{"n": -1, "text": text}, *({"n": at, "text": f"row {at} of many rows"} for at in range(400))]

        def block(text: str, **beside: Any) -> Returned:
            return lambda: {"content": [{"type": "text", "text": text}], **beside}

        def raises() -> dict[str, Any]:
            raise ValueError(text)

        left = {
            "result": await self.call(block(text)),
            "structured": await self.call(lambda: {"content": [], "structuredContent": {"value": value}}),
            "is error": await self.call(block(text, isError=True)),
            "_meta": await self.call(lambda: {"content": [], "_meta": {"note": text}}),
            "thrown": await self.call(raises),
            "page, note": await self.call(block(json.dumps(rows))),
        }
        found = re.search("toolshape://result/([a-z]{16})", left["page, note"])
        assert found, left["page, note"]
        sought = secrets[0] if secrets else "row"
        for door, asked in {
            "read": {"pointer": "/0"},
            "search": {"search": sought},
            "SQL": {"sql": "SELECT text FROM result LIMIT 1"},
            "resource": {},
            "summary": {},
        }.items():
            left[door] = await self.ask(door, found[1], **asked)
        # A search names what was sought.
        left["search"] = left["search"].replace(sought, "", 1)
        left["store"] = "\n".join(self.store.written)
        left["receipts"] = json.dumps(self.receipts, default=str)
        return {door: one.replace('\\"', '"').replace("\\\\", "\\") for door, one in left.items() if one is not None}


def written(result: Any) -> str:
    """A result as it came over the wire."""
    if isinstance(result, list):
        return "\n".join(map(written, result))
    return result if isinstance(result, str) else str(result.model_dump_json(by_alias=True))


@asynccontextmanager
async def of_sdk(sdk: str, secret: dict[str, Any]) -> AsyncIterator[Adapter]:
    following: list[Returned] = []

    def x() -> Any:
        given = following.pop()()
        if sdk == PLAIN:
            return mt.CallToolResult.model_validate(given)
        content = [mt.TextContent(**one) for one in given["content"]]
        is_error = {"is_error": True} if given.get("isError") and RESULT_MAY_BE_ERROR else {}
        return ToolResult(
            content=content, structured_content=given.get("structuredContent"), meta=given.get("_meta"), **is_error
        )

    server: Any
    adapter = Adapter(lambda work: call(work), lambda *given, **asked: ask(*given, **asked))
    options = {**secret, "store": adapter.store, "summarize": True, "on_receipt": adapter.receipts.append}
    if sdk == PLAIN:
        server = MCPServer[Any]("server", log_level="CRITICAL")
        shape_server(server, POLICY, **options)
        server.tool(structured_output=False)(x)
    else:
        server = fastmcp.FastMCP[Any]("server")
        server.add_middleware(ShapingMiddleware(POLICY, **options))
        server.tool(x, output_schema=None)

    async with in_process(server) as peer:

        async def call(work: Returned) -> str:
            following.append(work)
            return await called("x")

        async def called(name: str, **arguments: Any) -> str:
            try:
                result = await peer.call(name, **arguments)
            except Exception as error:
                return str(error)
            return "\n".join([*map(written, result.content), str(result.structured_content), str(result.meta)])

        async def ask(door: str, handle: str, **asked: Any) -> str:
            if door == "resource":
                return written(await peer.read(f"toolshape://result/{handle}"))
            if door == "summary":
                return await called("summarize", uri=handle)
            return await called("read_result_server", handle=handle, **asked)

        yield adapter


@asynccontextmanager
async def of_agents(secret: dict[str, Any]) -> AsyncIterator[Adapter]:
    async def call(work: Returned) -> str:
        return "\n".join(map(str, (await harness.call("x", {}, lambda _: work())).parts))

    async def ask(door: str, handle: str, **asked: Any) -> str | None:
        if door in ("resource", "summary"):
            return None
        return "\n".join(map(str, (await harness.tools[0].call({"handle": handle, **asked})).parts))

    adapter = Adapter(call, ask)
    harness = Harness(POLICY, **secret, store=adapter.store, on_receipt=adapter.receipts.append)
    yield adapter


@pytest.mark.parametrize("name", [*SDKS, AGENTS])
def test_no_door_lets_a_secret_out(name: str) -> None:
    groups: dict[str, list[Any]] = {}
    for case in CASES:
        secret = {"redact_fields": case.get("fields", []), "redact_texts": case.get("texts", [])}
        groups.setdefault(json.dumps(secret), []).append(case)
    table: dict[str, Any] = {"name": f"{name} (Python)", "doors": [], "rows": {}}

    async def fill() -> None:
        for secret, cases in groups.items():
            given = json.loads(secret)
            async with of_agents(given) if name == AGENTS else of_sdk(name, given) as adapter:
                for case in cases:
                    left = await adapter.doors(case)
                    table["doors"] = [*left]
                    is_out = [any(secret in text for secret in case["secrets"]) for text in left.values()]
                    table["rows"][case["name"]] = is_out

    asyncio.run(fill())
    if folder := os.environ.get("TOOLSHAPE_DOORS"):
        (Path(folder) / f"{table['name']}.json").write_text(json.dumps(table), "utf-8")
    out = [
        f"{case}: {door}" for case, row in table["rows"].items() for door, is_out in zip(table["doors"], row) if is_out
    ]
    assert out == []
