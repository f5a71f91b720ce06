"""Shapes the tools of a server of ``fastmcp`` 3.x."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp.types as mt
from fastmcp.resources import ResourceContent, ResourceResult
from fastmcp.tools import ToolResult
from fastmcp.tools.base import Tool
from pydantic import PrivateAttr

from . import shaping_middleware
from .fastmcp_on_mcp1 import OnMcp1
from .providers import WithProviders
from .returned import take
from .shaping_middleware import Server, unwrapped

take(Tool, "convert_result", 1)


class Result(ToolResult):
    """A result that may be an error, which this SDK's own cannot be before 3.4."""

    _made: mt.CallToolResult = PrivateAttr()

    def __init__(self, made: mt.CallToolResult) -> None:
        super().__init__(made.content, made.structuredContent, made.meta)
        self._made = made
        if "is_error" in type(self).model_fields:
            self.is_error = made.isError

    @property
    def made(self) -> mt.CallToolResult:
        return self._made

    def to_mcp_result(self) -> mt.CallToolResult:
        return self._made


class Generation3(OnMcp1, WithProviders):
    """``fastmcp`` with providers, on ``mcp`` 1.x."""

    def begin(self, server: Server, layer: shaping_middleware.ShapingMiddleware) -> None:
        # In older versions a parent calls no tool of a mounted server that is not among its own.
        if not hasattr(server, "_get_injected_tool"):
            for tool in layer.own:
                server.add_tool(tool)

    def result(self, shaped: Mapping[str, Any]) -> Result:
        return Result(mt.CallToolResult.model_validate(unwrapped(shaped)))

    def resource(self, text: str, kind: str) -> ResourceResult:
        return ResourceResult([ResourceContent(text, mime_type=kind)])


class ShapingMiddleware(shaping_middleware.ShapingMiddleware):
    __doc__ = shaping_middleware.ShapingMiddleware.__doc__
    _sdk = Generation3()
