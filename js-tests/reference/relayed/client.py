"""The Python SDK's own client, driven by lines: the first names the server, each other is a step; answers are lines too."""

import asyncio
import json
import sys
from typing import Any

import mcp
import mcp_types as mt
from mcp.client.stdio import StdioServerParameters

asked: list[Any] = []


def plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def elicit(context: Any, params: mt.ElicitRequestParams) -> mt.ElicitResult:
    asked.append(plain(params))
    return mt.ElicitResult(action="accept", content={"name": "Ada"})


async def sample(context: Any, params: mt.CreateMessageRequestParams) -> mt.CreateMessageResult:
    asked.append(plain(params))
    return mt.CreateMessageResult(role="assistant", content=mt.TextContent(type="text", text="as asked"), model="none")


async def take(client: mcp.Client, method: str, params: dict[str, Any]) -> dict[str, Any]:
    progress: list[Any] = []

    async def on_progress(*step: Any) -> None:
        progress.append(step)

    asked.clear()
    calls = {
        "tools/list": lambda: client.list_tools(cursor=params.get("cursor")),
        "tools/call": lambda: client.call_tool(params["name"], params.get("arguments"), progress_callback=on_progress),
        "resources/list": lambda: client.list_resources(cursor=params.get("cursor")),
        "resources/templates/list": lambda: client.list_resource_templates(cursor=params.get("cursor")),
        "resources/read": lambda: client.read_resource(params["uri"]),
        "prompts/list": lambda: client.list_prompts(cursor=params.get("cursor")),
        "prompts/get": lambda: client.get_prompt(params["name"], params.get("arguments")),
    }
    try:
        response = {"result": plain(await calls[method]())}
    except mcp.MCPError as error:
        response = {"error": plain(error.error)}
    except Exception as error:
        # A fault that the client finds, such as of a schema that does not hold.
        response = {"error": f"{type(error).__name__}: {error}"}
    return {"response": response, "asked": list(asked), "progress": progress}


async def main() -> None:
    lines = asyncio.StreamReader(limit=1 << 26)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    given = json.loads(await lines.readline())
    server = given.get("url") or StdioServerParameters(command=given["command"], args=given["args"], env=given["env"])

    async def roots(context: Any) -> mt.ListRootsResult:
        return mt.ListRootsResult(roots=[mt.Root(**root) for root in given["roots"]])

    answers = {"elicitation_callback": elicit, "sampling_callback": sample, "list_roots_callback": roots}
    async with mcp.Client(server, read_timeout_seconds=60, **answers) as client:
        info = {"server": plain(client.server_info), "capabilities": plain(client.server_capabilities)}
        info |= {"instructions": client.instructions, "revision": client.protocol_version}
        print(json.dumps(info), flush=True)
        async for line in lines:
            step = json.loads(line)
            print(json.dumps(await take(client, step["method"], step.get("params") or {})), flush=True)


asyncio.run(main())
