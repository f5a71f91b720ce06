"""FastMCP's own client in front of one address: a call a line comes in, its result a line goes out.

Usage: client.py <address> <tenant>
"""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport


async def main() -> None:
    address, tenant = sys.argv[1:]
    async with Client(StreamableHttpTransport(address, headers={"x-tenant": tenant})) as client:
        while line := await asyncio.to_thread(sys.stdin.readline):
            call = json.loads(line)
            result = await client.call_tool_mcp(call["name"], call["arguments"])
            print(result.model_dump_json(by_alias=True, exclude_none=True), flush=True)


asyncio.run(main())
