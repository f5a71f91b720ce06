"""One replica of the server, in Python's FastMCP: stateless, over HTTP on loopback, its results in Redis.

What its tools return names the replica and counts its runs, so that nobody else ever returns the same.
Prints its port once it listens. Usage: replica.py <name> <address of Redis>
"""

import itertools
import json
import sys
from pathlib import Path
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.dependencies import get_http_headers
from fastmcp.tools import Tool, ToolResult
from redis.asyncio import Redis
from serving import serve
from toolshape import Archive, Shaped, Shaper, read_result_tool
from toolshape.stores.redis import RedisStore

name, url = sys.argv[1:]
policy = json.loads(Path(__file__).with_name("policy.json").read_text())
tools = {tool: {"overflow": "offload", "offload_over": given["offloadOver"]} for tool, given in policy["tools"].items()}
shaper = Shaper(max_tokens=policy["maxTokens"], cursor_key=policy["cursorKey"], tools=tools)
archive = Archive(shaper, RedisStore(Redis.from_url(url, decode_responses=True)))
runs = itertools.count(1)
mcp = FastMCP("replica")


def events(topic: str, run: int) -> list[dict[str, Any]]:
    about = f"{topic} as {name} saw it"
    return [
        {"id": id, "madeBy": name, "run": run, "text": f"event {id} of {about}, in its run {run}"} for id in range(300)
    ]


def scope() -> str | None:
    return get_http_headers(include={"x-tenant"}).get("x-tenant")


def answer(shaped: Shaped) -> ToolResult:
    return ToolResult(shaped.text, meta={"tests/replica": name}, is_error=shaped.is_error)


async def shaped(tool: str, run: Any, arguments: dict[str, Any]) -> ToolResult:
    call: dict[str, Any] = {"tool": tool, "arguments": arguments, "scope": scope()}
    return answer(await archive.snapshot(**call) or await archive.shape(run(), **call))


@mcp.tool
async def list_events(topic: str, pageSize: int | None = None, cursor: str | None = None) -> ToolResult:
    arguments = {"topic": topic, "pageSize": pageSize, "cursor": cursor}
    return await shaped("list_events", lambda: events(topic, next(runs)), arguments)


@mcp.tool
async def report(topic: str, pageSize: int | None = None, cursor: str | None = None) -> ToolResult:
    arguments = {"topic": topic, "pageSize": pageSize, "cursor": cursor}
    return await shaped(
        "report", lambda: {"topic": topic, "madeBy": name, "events": events(topic, next(runs))}, arguments
    )


@mcp.tool
async def log(topic: str, pageSize: int | None = None, cursor: str | None = None) -> ToolResult:
    arguments = {"topic": topic, "pageSize": pageSize, "cursor": cursor}
    return await shaped("log", lambda: "".join(f"{event['text']}\n" for event in events(topic, next(runs))), arguments)


class ReadResult(Tool):
    """The tool ``read_result`` as toolshape describes it."""

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        return answer(await archive.read_result(arguments, scope=scope()))


tool = read_result_tool()
mcp.add_tool(ReadResult(name=tool["name"], description=tool["description"], parameters=tool["inputSchema"]))


serve(mcp)
