"""Servers that are mounted on a server of ``fastmcp`` 3.x or 4.x, as far as a shaping parent has to know them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.context import Context
from fastmcp.server.providers.fastmcp_provider import FastMCPProvider, FastMCPProviderTool
from fastmcp.tools import Tool
from fastmcp.tools.tool_transform import TransformedTool

from ..adapter import AddedTool
from .shaping_middleware import Generation, Server, layers


class Added(Tool):
    """A tool that toolshape adds. The middleware answers its calls."""


class WithProviders(Generation):
    """What is the same where tools come from providers."""

    def added_tool(self, tool: Mapping[str, Any]) -> Added:
        return Added.model_validate(
            {
                "name": tool["name"],
                "title": tool.get("title"),
                "description": tool["description"],
                "parameters": tool["inputSchema"],
                "annotations": tool["annotations"],
            }
        )

    def is_added(self, tool: Tool, added: Mapping[str, AddedTool]) -> bool:
        """The server lists those that are added here; one that is added to a mounted server repeats one of these."""
        if isinstance(tool, Added):
            return True
        place = _origin(tool)
        return (
            place is not None
            and place[1] in added
            and any(place[1] in layer.adapter.added for layer in layers(place[0]))
        )

    async def own_tool(self, server: Server, name: str) -> Tool | None:
        return await super(FastMCP, server).get_tool(name)

    async def origin(self, server: Server, tool: Tool) -> tuple[Server, str] | None:
        return _origin(tool)

    async def tool_of(self, server: Server, name: str) -> Tool | None:
        async with Context(fastmcp=server):
            return await server.get_tool(name)

    def mounted(self, server: Server) -> Iterator[Server]:
        for provider in server.providers:
            # What is mounted under a namespace, or with other names, is wrapped.
            while (inner := getattr(provider, "_inner", None)) is not None:
                provider = inner
            if isinstance(provider, FastMCPProvider):
                yield provider.server
                yield from self.mounted(provider.server)


def _origin(tool: Tool) -> tuple[Server, str] | None:
    while isinstance(tool, TransformedTool):
        tool = tool.parent_tool
    if isinstance(tool, FastMCPProviderTool) and tool._original_name is not None:
        return tool._server, tool._original_name
    return None
