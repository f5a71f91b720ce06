"""Shapes the tools of a server of ``fastmcp`` 4.x."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import mcp_types as mt
from fastmcp.resources import ResourceContent, ResourceResult
from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
from mcp import MCPError

from .._error import ToolshapeError
from ..adapter import on_the_wire
from . import shaping_middleware
from .looked_up import looked_up
from .providers import WithProviders
from .returned import take
from .shaping_middleware import Server, unwrapped

take(Tool, "convert_result", 1)


class Generation4(WithProviders):
    """``fastmcp`` on ``mcp`` 2.x."""

    def looked_up(self, server: Server) -> AbstractContextManager[dict[str, Tool]]:
        return looked_up(server)

    def on_the_wire(self, result: Any, tool: Tool) -> dict[str, Any] | None:
        if not isinstance(result, ToolResult) or isinstance(result, InputRequiredToolResult):
            return None
        return on_the_wire(result)

    def result(self, shaped: Mapping[str, Any]) -> ToolResult:
        return ToolResult.from_mcp_result(mt.CallToolResult.model_validate(unwrapped(shaped)))

    def resource(self, text: str, kind: str) -> ResourceResult:
        return ResourceResult([ResourceContent(text, mime_type=kind)])

    def refusal(self, error: ToolshapeError) -> Exception:
        # FastMCP sends no message of other errors.
        return MCPError(mt.INTERNAL_ERROR, str(error))

    def client(self, parameters: Any) -> str:
        return str(parameters.client_info.name)


class ShapingMiddleware(shaping_middleware.ShapingMiddleware):
    __doc__ = shaping_middleware.ShapingMiddleware.__doc__
    _sdk = Generation4()
