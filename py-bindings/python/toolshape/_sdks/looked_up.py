"""Notes which tools a server of ``fastmcp`` looks up for a call: to look one up takes a good part of a small call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from fastmcp import FastMCP

if TYPE_CHECKING:
    from fastmcp.tools import Tool

# The server whose look-ups are noted in this call, and what it found, by name.
_noting: ContextVar[tuple[FastMCP[Any], dict[str, Tool]] | None] = ContextVar("toolshape_noting", default=None)
_wrapped: WeakSet[FastMCP[Any]] = WeakSet()


@contextmanager
def looked_up(server: FastMCP[Any]) -> Iterator[dict[str, Tool]]:
    """The tools that a server has looked up since, by name, in this call and no other."""
    if server not in _wrapped:
        _wrap(server)
        _wrapped.add(server)
    found: dict[str, Tool] = {}
    token = _noting.set((server, found))
    try:
        yield found
    finally:
        _noting.reset(token)


def _wrap(server: FastMCP[Any]) -> None:
    get_tool = server.get_tool

    async def noted(name: str, *version: Any, **named: Any) -> Tool | None:
        tool = await get_tool(name, *version, **named)
        noting = _noting.get()
        # A server that is mounted is asked in the same call.
        if tool is not None and noting is not None and noting[0] is server:
            noting[1].setdefault(name, tool)
        return tool

    server.get_tool = noted  # type: ignore[method-assign]
