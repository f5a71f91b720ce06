"""Serves one replica in Python: stateless, over HTTP on loopback, at a free port that it prints once it listens."""

import asyncio
import socket

import uvicorn
from fastmcp import FastMCP


def serve(mcp: FastMCP) -> None:
    asyncio.run(_serve(mcp))


async def _serve(mcp: FastMCP) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    app = mcp.http_app(stateless_http=True)
    await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listening])
