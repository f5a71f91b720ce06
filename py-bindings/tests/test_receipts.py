"""What a receipt says of the caller, in a server of each SDK."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from adapters.sdks import FAST, PLAIN

SERVERS = [name for name, module in (("fastmcp", FAST), ("mcp", PLAIN)) if module is not None]


def list_rows() -> str:
    return json.dumps([{"id": at, "name": f"the row of number {at}"} for at in range(400)])


@pytest.mark.parametrize("sdk", SERVERS)
def test_a_receipt_names_the_client_and_the_request(sdk: str) -> None:
    receipts: list[Any] = []

    async def run() -> None:
        if sdk == "mcp":
            import mcp
            from adapters.sdks import MCPServer
            from toolshape.mcp import shape_server

            plain = MCPServer("server")
            shape_server(plain, {"max_tokens": 600}, on_receipt=receipts.append)
            plain.tool(structured_output=False)(list_rows)
            async with mcp.Client(plain) as client:
                await client.call_tool("list_rows", {})
        else:
            import fastmcp
            from toolshape.fastmcp import ShapingMiddleware

            fast: Any = fastmcp.FastMCP("server")
            fast.add_middleware(ShapingMiddleware({"max_tokens": 600}, on_receipt=receipts.append))
            fast.tool(output_schema=None)(list_rows)
            async with fastmcp.Client(fast) as client:
                await client.call_tool("list_rows", {})

    asyncio.run(run())
    (receipt,) = receipts
    assert receipt["tool"] == "list_rows" and receipt["client"]
    assert isinstance(receipt["request_id"], (str, int))
    assert receipt["rows"] == {"returned": 20, "total": 400}
    assert receipt["reason"].endswith("> budget 600")
