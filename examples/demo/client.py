"""FastMCP's own client in front of one server over stdio: a call a line comes in, its result a line goes out.

Usage: client.py <command of the server> <its arguments...>
"""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def main() -> None:
    command, *args = sys.argv[1:]
    async with Client(StdioTransport(command, args)) as client:
        while line := await asyncio.to_thread(sys.stdin.readline):
            call = json.loads(line)
            result = await client.call_tool_mcp(call["name"], call["arguments"])
            print(result.model_dump_json(by_alias=True, exclude_none=True), flush=True)


asyncio.run(main())
