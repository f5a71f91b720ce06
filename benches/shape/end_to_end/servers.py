"""A server of each SDK with one tool, as in servers.mjs: ``python -m end_to_end.servers <sdk> <stdio | http> <how>``.

Only what such a server needs is loaded, because its start is measured.
"""

import json
import socket
import sys
from functools import cache

from end_to_end.rows import rows_of, version_of

BUDGET = 2000
NAME = "list_orders"
OPTIONS = {"shaped": {}, "shaped, no store": {"store": None}}
# What fastmcp's middleware counts: four bytes a token.
LIMIT = BUDGET * 4


def tool_of(how):
    list_of = cache(rows_of)
    if how == "careful handler":
        text_of = handled()
    else:
        text_of = lambda rows: json.dumps(rows, separators=(",", ":"), ensure_ascii=False)

    def list_orders(count: int, version: int) -> str:
        return text_of(version_of(list_of(count), version))

    return list_orders


def handled():
    """The careful handler of handlers.py, which gives a page that is JSON within the budget, and keeps nothing."""
    import orjson
    from handlers import careful
    from works import Work, page_of

    handle = careful(Work(None, rows=page_of), lambda value: orjson.dumps(value).decode(), orjson.loads)
    return lambda rows: handle(rows, 1)


def plain(how):
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("orders", log_level="CRITICAL")
    if how in OPTIONS:
        from toolshape.mcp import shape_server

        shape_server(server, {"max_tokens": BUDGET}, **OPTIONS[how])
    server.tool(name=NAME, structured_output=False)(tool_of(how))
    return server


def fast(how):
    from fastmcp import FastMCP

    server = FastMCP("orders")
    if how in OPTIONS:
        from toolshape.fastmcp import ShapingMiddleware

        server.add_middleware(ShapingMiddleware({"max_tokens": BUDGET}, **OPTIONS[how]))
    if how == "ResponseLimiting":
        from fastmcp.server.middleware.response_limiting import ResponseLimitingMiddleware

        server.add_middleware(ResponseLimitingMiddleware(max_size=LIMIT))
    server.tool(tool_of(how), name=NAME, output_schema=None)
    return server


def serve(sdk, transport, how):
    is_plain = sdk == "Python mcp"
    server = plain(how) if is_plain else fast(how)
    if transport == "stdio":
        server.run("stdio", **({} if is_plain else {"show_banner": False}))
        return
    import uvicorn

    # Only of a socket that says that it is TCP, asyncio sends at once what is written: else a call that soon follows another
    # waits 40 milliseconds for the client's delayed acknowledgement.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
    app = server.streamable_http_app() if is_plain else server.http_app()
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])


if __name__ == "__main__":
    serve(*sys.argv[1:])
