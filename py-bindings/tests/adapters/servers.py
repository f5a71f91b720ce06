"""The same tools on a server of each SDK: ``python -m adapters.servers <sdk> <stdio|http> <shaped|naive|bare>``."""

from __future__ import annotations

import socket
import sys
from typing import Any

import uvicorn

from adapters import tools
from adapters.sdks import FAST, PLAIN, Context, MCPServer, mt
from adapters.table import POLICY

if FAST is not None:
    import fastmcp
    from fastmcp.exceptions import ToolError
    from toolshape.fastmcp import ShapingMiddleware

    from adapters.sdks import RESULT_MAY_BE_ERROR, ToolResult
if PLAIN is not None:
    from toolshape.mcp import shape_server


def no_receipt(receipt: object) -> None:
    raise RuntimeError("nobody wants it")


# The options of the line in addition to the policy, by kind of server.
OPTIONS: dict[str, Any] = {
    "shaped": {"summarize": True, "authorize": tools.authorize},
    "bare": {"store": None, "on_receipt": no_receipt},
}


def plain_result(content: list[Any], meta: dict[str, Any] | None = None, is_error: bool = False) -> mt.CallToolResult:
    return mt.CallToolResult(content=content, isError=is_error, _meta=meta)


def fast_result(content: list[Any], meta: dict[str, Any] | None = None, is_error: bool = False) -> Any:
    if is_error and not RESULT_MAY_BE_ERROR:
        raise ToolError(content[0].text)
    return ToolResult(content=content, meta=meta, **({"is_error": True} if is_error else {}))


def plain(how: str) -> MCPServer[Any]:
    server = MCPServer("rows", log_level="CRITICAL")
    if how in OPTIONS:
        shape_server(server, POLICY, **OPTIONS[how])
    for promising in tools.PROMISING:
        server.tool()(promising)
    for name, tool in (tools.PLAIN | tools.made_of_blocks(plain_result) | tools.with_context(Context)).items():
        server.tool(name=name, structured_output=False)(tool)
    server.tool(**tools.DESCRIBED)(tools.json_text)
    return server


def fast(how: str) -> fastmcp.FastMCP[Any]:
    server = fastmcp.FastMCP("rows")
    if how in OPTIONS:
        server.add_middleware(ShapingMiddleware(POLICY, **OPTIONS[how]))
    for promising in tools.PROMISING:
        server.tool(promising)
    for name, tool in (tools.PLAIN | tools.made_of_blocks(fast_result) | tools.with_context(fastmcp.Context)).items():
        server.tool(tool, name=name, output_schema=None)
    server.tool(tools.json_text, **tools.DESCRIBED)
    return server


def serve(sdk: str, transport: str, how: str) -> None:
    is_plain = sdk == PLAIN
    server: Any = (plain if is_plain else fast)(how)
    if transport == "stdio":
        server.run("stdio", **({} if is_plain else {"show_banner": False}))
        return
    listening = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
    app = server.streamable_http_app() if is_plain else server.http_app()
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])


if __name__ == "__main__":
    serve(*sys.argv[1:])
