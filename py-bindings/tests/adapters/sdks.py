"""The SDKs that are installed here: the newest two together, or an older one in an environment of its own; and what
their names are in each."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import metadata
from typing import Any

__all__ = ["FAST", "PLAIN", "RESULT_MAY_BE_ERROR", "SDKS", "Context", "MCPServer", "ToolResult", "mt", "result_of"]


def major(package: str) -> int | None:
    """The version of a package that is installed."""
    try:
        return int(metadata.version(package).split(".")[0])
    except metadata.PackageNotFoundError:
        return None


if major("mcp") == 1:
    import mcp.types as mt
    from mcp.server.fastmcp import Context
    from mcp.server.fastmcp import FastMCP as MCPServer
else:
    import mcp_types as mt
    from mcp.server.mcpserver import Context, MCPServer

FAST = {2: "fastmcp2", 3: "fastmcp3", 4: "py-fastmcp"}.get(major("fastmcp") or 0)
# Each older `fastmcp` needs an older `mcp`, which has an environment of its own.
PLAIN = None if FAST in ("fastmcp2", "fastmcp3") else {1: "mcp1", 2: "mcp"}[major("mcp") or 0]
if FAST == "fastmcp2":
    from fastmcp.tools.tool import ToolResult
elif FAST is not None:
    from fastmcp.tools import ToolResult
else:
    ToolResult = None
# Before 3.4 a tool of `fastmcp` has to raise what is an error.
RESULT_MAY_BE_ERROR = FAST is not None and "is_error" in inspect.signature(ToolResult).parameters
SDKS = [sdk for sdk in (PLAIN, FAST) if sdk is not None]


@dataclass
class Result:
    """A ``CallToolResult`` with the names that the newest SDKs give to its members."""

    content: list[Any]
    structured_content: Any
    is_error: bool
    meta: dict[str, Any] | None


def result_of(result: Any) -> Any:
    """A ``CallToolResult`` of any SDK."""
    if hasattr(result, "structured_content"):
        return result
    return Result(result.content, result.structuredContent, result.isError, result.meta)
