"""Shapes the tools of a server of ``mcp``: ``shape_server(server, policy)``.

It takes an ``MCPServer`` of 2.x, a ``FastMCP`` of 1.x, and the low-level ``Server`` of either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ._error import ToolshapeError
from ._sdks.installed import generation
from ._toolshape import Shaper
from .adapter import Adapter, AdapterOptions
from .types import Policy

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["shape_server"]

# The mark of a server that is shaped: of two layers around one server, the outer would page the pages of the inner.
_SHAPED = "_toolshape_is_shaped"
_SDK = generation("mcp")

S = TypeVar("S")


def shape_server(server: S, policy: Shaper | Policy | None = None, **options: Unpack[AdapterOptions]) -> S:
    """Shapes the results of every tool of a server, whenever it is registered. Returns the server.

    ``policy`` is a ``Shaper``, or its options as a dict; ``options`` are those of ``AdapterOptions``.

    Raises ``ToolshapeError``: ``INVALID_POLICY``; ``INVALID_CALL`` for an option, for an unsupported server, for
    a server that is shaped already, and for a tool of the server with the name of one that is added, now or when it is
    registered.
    """
    name = server.name if isinstance(server, _SDK.SERVERS) else None
    adapter = Adapter(policy, name, **options)
    if not isinstance(server, _SDK.SERVERS):
        takes = " or ".join(f"{each.__module__}.{each.__name__}" for each in _SDK.SERVERS)
        given = server if isinstance(server, type) else type(server)
        is_class = ", not an instance of it" if isinstance(server, type) else ""
        message = f"the server is {given.__module__}.{given.__name__}{is_class}; shape_server takes {takes}"
        if given.__module__.partition(".")[0] == "fastmcp":
            message += ". For fastmcp use server.add_middleware(ShapingMiddleware(policy)) of toolshape.fastmcp"
        raise ToolshapeError(message, "INVALID_CALL", "/server")
    if getattr(server, _SHAPED, False):
        raise ToolshapeError("the server is shaped already: give one shape_server the whole policy", "INVALID_CALL")
    _SDK.shape(server, adapter)
    setattr(server, _SHAPED, True)
    return server
