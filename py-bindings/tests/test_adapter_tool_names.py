"""The log warns once of an unknown tool in the policy's ``tools``, and of a field that no row has."""

from __future__ import annotations

import json
import logging
from typing import Any

import anyio
import pytest
from adapters.clients import in_process
from adapters.sdks import FAST, PLAIN, SDKS, MCPServer
from toolshape import ToolshapeError
from toolshape.adapter import Adapter, Caller

if FAST is not None:
    import fastmcp
    from toolshape.fastmcp import ShapingMiddleware
if PLAIN is not None:
    from toolshape.mcp import shape_server

POLICY: Any = {
    "tools": {
        "read_result": {"max_tokens": 500},
        "secrt": False,
        "LISTARTICLES": False,
        "list_articles": {"max_tokens": 500},
        "nothing_like_it": False,
    }
}
WARNINGS = [
    'the policy has options for a tool "secrt", which is not in the list of tools; did you mean "secret"?',
    'the policy has options for a tool "LISTARTICLES", which is not in the list of tools; did you mean "list_articles"?',
    'the policy has options for a tool "nothing_like_it", which is not in the list of tools',
]


def secret() -> str:
    return "a"


def list_articles() -> str:
    return "b"


async def listed(sdk: str, **options: Any) -> None:
    server: Any
    if sdk == PLAIN:
        server = shape_server(MCPServer("names"), POLICY, **options)
        for tool in (secret, list_articles):
            server.tool()(tool)
    else:
        server = fastmcp.FastMCP("names")
        server.add_middleware(ShapingMiddleware(POLICY, **options))
        for tool in (secret, list_articles):
            server.tool(tool)
    async with in_process(server) as client:
        for _ in range(2):
            await client.tools()
            await client.call("secret")


@pytest.mark.parametrize("sdk", SDKS)
def test_names_that_no_tool_has(sdk: str) -> None:
    warnings: list[str] = []

    async def run() -> None:
        await listed(sdk, on_warning=warnings.append)

    anyio.run(run)
    assert warnings == WARNINGS


def test_without_a_callback_the_logger_gets_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    records: list[logging.LogRecord] = []
    monkeypatch.setattr(logging.getLogger("toolshape"), "handle", records.append)

    async def run() -> None:
        await listed(SDKS[0])

    anyio.run(run)
    warned = [record.getMessage() for record in records if record.levelno == logging.WARNING]
    assert warned == [f"toolshape: {warning}" for warning in WARNINGS]


def test_a_callback_is_a_function() -> None:
    with pytest.raises(ToolshapeError) as raised:
        Adapter({}, on_warning="yes")  # type: ignore[arg-type]
    assert (raised.value.code, raised.value.path) == ("INVALID_CALL", "/on_warning")


def test_fields_that_no_row_has() -> None:
    warnings: list[str] = []
    adapter = Adapter({"max_tokens": 400, "fields": ["id", "nmae"]}, on_warning=warnings.append)

    async def work(_: dict[str, Any]) -> object:
        return {
            "content": [{"type": "text", "text": json.dumps([{"id": at, "name": f"row {at}"} for at in range(200)])}]
        }

    async def run() -> None:
        for _ in range(2):
            await adapter.run(adapter.plan({"name": "rows", "inputSchema": {}}), {}, Caller(None, None), work)

    anyio.run(run)
    assert warnings == ['no row of a result of "rows" has "nmae", which is one of the policy\'s fields']
