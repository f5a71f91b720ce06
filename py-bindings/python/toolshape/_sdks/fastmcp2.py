"""Shapes the tools of a server of ``fastmcp`` 2.x."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import mcp.types as mt
from fastmcp.exceptions import NotFoundError
from fastmcp.server.middleware import MiddlewareContext
from fastmcp.server.server import MountedServer
from fastmcp.tools import tool as sdk
from fastmcp.tools.tool import Tool, ToolResult
from mcp.server.lowlevel.helper_types import ReadResourceContents

from ..adapter import AddedTool
from . import shaping_middleware
from .fastmcp_on_mcp1 import OnMcp1
from .returned import take
from .shaping_middleware import Server, unwrapped

take(sdk, "_convert_to_content", 0)


class Added(Tool):
    """A tool that toolshape adds. The middleware answers its calls."""


class Result(ToolResult):
    """A result that may be an error, which this SDK's own cannot be."""

    def __init__(self, made: mt.CallToolResult) -> None:
        super().__init__(made.content, made.structuredContent, made.meta)
        self.made = made

    def to_mcp_result(self) -> mt.CallToolResult:
        return self.made


class Generation2(OnMcp1):
    """``fastmcp`` with managers and mounted servers, on ``mcp`` 1.x. Tools are listed and called by their ``key``."""

    def added_tool(self, tool: Mapping[str, Any]) -> Added:
        return Added(
            name=tool["name"],
            title=tool.get("title"),
            description=tool["description"],
            parameters=tool["inputSchema"],
            annotations=mt.ToolAnnotations.model_validate(tool["annotations"]),
        )

    def is_added(self, tool: Tool, added: Mapping[str, AddedTool]) -> bool:
        return isinstance(tool, Added) and tool.name in added

    def server(self, context: MiddlewareContext[Any], layer: shaping_middleware.ShapingMiddleware) -> Server | None:
        outer = super().server(context, layer)
        if outer is None or layer in outer.middleware:
            return outer
        # In a call the context is that of the server that the client called.
        return next((inner for inner in self.mounted(outer) if layer in inner.middleware), outer)

    def prepare(self, server: Server, layer: shaping_middleware.ShapingMiddleware) -> None:
        super().prepare(server, layer)
        # A parent calls no tool of a mounted server that is not among its own.
        if server._is_mounted:
            for tool in layer.own:
                server._tool_manager._tools.setdefault(tool.key, tool)

    def described(self, tool: Tool) -> dict[str, Any]:
        return dict(tool.to_mcp_tool(name=tool.key).model_dump(mode="json", by_alias=True, exclude_none=True))

    async def tool(self, server: Server, name: str) -> Tool | None:
        try:
            return await server.get_tool(name)
        except NotFoundError:
            return None

    async def own_tool(self, server: Server, name: str) -> Tool | None:
        return await self.tool(server, name)

    async def origin(self, server: Server, tool: Tool) -> tuple[Server, str] | None:
        # As the SDK looks for it: the server that was mounted last goes first.
        for mounted in reversed(server._mounted_servers):
            name = _name_in(mounted, tool.key)
            if name is not None and await self.tool(mounted.server, name) is not None:
                return mounted.server, name
        return None

    async def tool_of(self, server: Server, name: str) -> Tool | None:
        return await self.tool(server, name)

    def mounted(self, server: Server) -> Iterator[Server]:
        for mounted in server._mounted_servers:
            yield mounted.server
            yield from self.mounted(mounted.server)

    def result(self, shaped: Mapping[str, Any]) -> Result:
        return Result(mt.CallToolResult.model_validate(unwrapped(shaped)))

    def resource(self, text: str, kind: str) -> list[ReadResourceContents]:
        return [ReadResourceContents(content=text, mime_type=kind)]


def _name_in(mounted: MountedServer, key: str) -> str | None:
    """The name that a tool has on a mounted server, if it can be one of its tools."""
    # The first versions of 2.14 have no such names.
    renamed: dict[str, str] = getattr(mounted, "tool_names", None) or {}
    names = {new: own for own, new in renamed.items()}
    if key in names:
        return names[key]
    prefix = f"{mounted.prefix}_" if mounted.prefix else ""
    return key[len(prefix) :] if key.startswith(prefix) else None


class ShapingMiddleware(shaping_middleware.ShapingMiddleware):
    __doc__ = shaping_middleware.ShapingMiddleware.__doc__
    _sdk = Generation2()
