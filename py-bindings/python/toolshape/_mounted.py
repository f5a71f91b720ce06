"""Servers that are mounted on a FastMCP server, as far as a shaping parent has to know them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.providers.fastmcp_provider import FastMCPProvider, FastMCPProviderTool
from fastmcp.tools.base import Tool
from fastmcp.tools.tool_transform import TransformedTool


def origin(tool: Tool) -> tuple[FastMCP[Any], str] | None:
    """The mounted server that a tool comes from, and the tool's name there; ``None`` for a tool of the server's own."""
    while isinstance(tool, TransformedTool):
        tool = tool.parent_tool
    if isinstance(tool, FastMCPProviderTool) and tool._original_name is not None:
        return tool._server, tool._original_name
    return None


def mounted(server: FastMCP[Any]) -> Iterator[FastMCP[Any]]:
    """The servers that are mounted on a server, and those that are mounted on them."""
    for provider in server.providers:
        # What is mounted under a namespace, or with other names, is wrapped.
        while (inner := getattr(provider, "_inner", None)) is not None:
            provider = inner
        if isinstance(provider, FastMCPProvider):
            yield provider.server
            yield from mounted(provider.server)
