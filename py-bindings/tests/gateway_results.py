"""Reads what a gateway's hook kept, with the server of `examples/gateways` and the generation of `mcp` that is installed."""

from __future__ import annotations

import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

EXAMPLES = Path(__file__).parents[2] / "examples/gateways"


async def read(folder: Path, handle: str) -> str:
    """The last row of a result in a folder."""
    parameters = StdioServerParameters(command=sys.executable, args=[str(EXAMPLES / "read_result.py"), str(folder)])
    async with stdio_client(parameters) as (reads, writes), ClientSession(reads, writes) as session:
        await session.initialize()
        (tool,) = (await session.list_tools()).tools
        answer = await session.call_tool(tool.name, {"handle": handle, "pointer": "/399"})
        return str(answer.content[0].text)
