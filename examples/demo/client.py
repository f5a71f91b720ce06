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
        names = [tool.name for tool in await client.list_tools()]
        while line := await asyncio.to_thread(sys.stdin.readline):
            call = json.loads(line)
            # The name of the tool that reads stored results carries the server's.
            name = next((name for name in names if name.startswith(call["name"])), call["name"])
            result = await client.call_tool_mcp(name, call["arguments"])
            print(result.model_dump_json(by_alias=True, exclude_none=True), flush=True)


asyncio.run(main())
