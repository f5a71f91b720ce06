"""Servers of each SDK with tools that raise what they are given."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
from pydantic import BaseModel

from adapters.clients import in_process
from adapters.sdks import FAST, PLAIN, MCPServer, mt

if FAST is not None:
    import fastmcp
    from fastmcp.exceptions import ToolError
    from toolshape.fastmcp import ShapingMiddleware

    from adapters.sdks import RESULT_MAY_BE_ERROR, ToolResult
if PLAIN is not None:
    from toolshape.mcp import shape_server


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
    reply: dict[str, Any] = {"on_receipt": lambda receipt: None}
    if sdk == PLAIN:
        plain = shape_server(MCPServer("rates", log_level="CRITICAL"), policy, **reply)
        for name in names:
            plain.tool(name=name, structured_output=False)(thrower.plain)
            plain.tool(name=f"{name}_promised")(thrower.promised)

        async def flat() -> mt.CallToolResult:
            return mt.CallToolResult(content=list(await anyio.to_thread.run_sync(thrower.message)), isError=True)

        plain.tool(name="flattened", structured_output=False)(flat)
        async with in_process(plain) as client:
            yield client.call
    else:
        server = fastmcp.FastMCP("rates", mask_error_details=masks)
        server.add_middleware(ShapingMiddleware(policy, **reply))
        for name in names:
            server.tool(thrower.plain, name=name, output_schema=None)
            server.tool(thrower.promised, name=f"{name}_promised")

        async def flattened() -> ToolResult:
            content = await anyio.to_thread.run_sync(thrower.message)
            if not RESULT_MAY_BE_ERROR:
                raise ToolError(content[0].text)
            return ToolResult(content=content, is_error=True)

        server.tool(flattened, output_schema=None)
        async with in_process(server) as fast:
            yield fast.call


def limit_of(result: mt.CallToolResult) -> Any:
    """The rate limit in a result, if there is one; in the content alone, so that every host shows it."""
    assert result.is_error and result.structured_content is None
    (block,) = result.content
    assert isinstance(block, mt.TextContent)
    return json.loads(block.text) if block.text.startswith('{"type":"rate_limited"') else None
