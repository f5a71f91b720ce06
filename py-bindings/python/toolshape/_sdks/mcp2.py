"""Shapes the tools of servers of ``mcp`` 2.x: of an ``MCPServer``, and of a low-level ``Server``.

The handlers of requests are wrapped, so that middleware stays around the shaping, whenever it is added, and the SDK makes the
envelope of each result for the client's protocol version.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any

import mcp_types as mt
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from pydantic import BaseModel

from .._error import ToolshapeError
from ..adapter import Adapter, Caller, PassThrough, RequestError, meta_of, on_the_wire, passes
from .conversation import conversation
from .returned import CALL, take

SERVERS = (MCPServer, Server)

take(FuncMetadata, "convert_result", 1, ToolError)

Handler = Callable[[ServerRequestContext[Any, Any], Any], Awaitable[Any]]

# The parameters of each method that is shaped.
TOOLS: dict[str, type[BaseModel]] = {
    "tools/list": mt.PaginatedRequestParams,
    "tools/call": mt.CallToolRequestParams,
}
RESOURCES: dict[str, type[BaseModel]] = {
    "resources/templates/list": mt.PaginatedRequestParams,
    "resources/read": mt.ReadResourceRequestParams,
}

RESULTS: dict[str, type[mt.Result]] = {
    "tools/list": mt.ListToolsResult,
    "tools/call": mt.CallToolResult,
    "resources/templates/list": mt.ListResourceTemplatesResult,
    "resources/read": mt.ReadResourceResult,
}

# The exceptions of tools in this request, because the SDK keeps nothing but their messages.
_raised: ContextVar[list[Exception] | None] = ContextVar("toolshape_raised", default=None)


def shape(server: MCPServer[Any] | Server[Any], adapter: Adapter) -> None:
    """Wraps the handlers of a server; ``ToolshapeError`` for a tool with the name of one that is added."""
    if isinstance(server, Server):
        _Shaping(server, adapter).install()
    else:
        _OfMCPServer(server, adapter).install()


class _Shaping:
    """The handlers of a server, with shaping around them."""

    def __init__(self, low: Server[Any], adapter: Adapter) -> None:
        self._low, self._adapter = low, adapter
        self._own: dict[str, Handler] = {}
        self._methods = TOOLS | RESOURCES if adapter.has_store else TOOLS

    def install(self) -> None:
        """Wraps the handlers that are there, and those that are added later."""
        low, add = self._low, self._low.add_request_handler

        def adding(method: str, params_type: type[BaseModel], handler: Handler) -> None:
            # One that replaces a wrapped handler may call it.
            if method in self._methods and self._own.get(method) in (None, *_NO_RESOURCES.values()):
                self._own[method], handler = handler, self._wrapped(method)
            add(method, params_type, handler)

        setattr(low, "add_request_handler", adding)  # noqa: B010
        for method in self._methods:
            entry = low.get_request_handler(method)
            if entry is not None:
                adding(method, entry.params_type, entry.handler)
        if self._adapter.has_store:
            # A server without resources has those of its stored results.
            for method, handler in _NO_RESOURCES.items():
                if low.get_request_handler(method) is None:
                    adding(method, RESOURCES.get(method, mt.PaginatedRequestParams), handler)

    def _wrapped(self, method: str) -> Handler:
        async def handle(context: ServerRequestContext[Any, Any], params: Any) -> Any:
            return await self._handle(method, context, params)

        return handle

    def prepare(self, context: ServerRequestContext[Any, Any]) -> object:
        """Prepares a request, and returns the context that the author's functions get."""
        return context

    async def _handle(self, method: str, context: ServerRequestContext[Any, Any], params: Any) -> Any:
        raised: list[Exception] = []
        flattened: list[mt.CallToolResult] = []

        async def ask(asked: str, changed: Mapping[str, Any]) -> Any:
            if asked == method:
                own = params.model_copy(update=changed) if changed != sent else params
            else:
                own = self._methods[asked].model_validate(changed)
            token = _raised.set(raised)
            try:
                result = await self._own[asked](context, own)
            finally:
                _raised.reset(token)
            # What controls a framework can control nothing once the SDK has made a result of it.
            if raised and _is_flattened(result, raised[-1]) and not passes(raised[-1]):
                flattened.append(result)
                raise raised[-1]
            if asked != "tools/call":
                return _wire(result)
            return on_the_wire(result) if isinstance(result, mt.CallToolResult) else PassThrough(result)

        members = ((name, getattr(params, name, None)) for name in ("name", "arguments", "cursor", "uri"))
        sent = {name: value for name, value in members if value is not None}
        caller = Caller(_client(context), self.prepare(context), meta_of(params), conversation(context))
        call = CALL.set((self._adapter, sent["name"]) if method == "tools/call" else None)
        try:
            result = await self._adapter.request(method, sent, ask, caller)
        except RequestError as error:
            raise MCPError(error.code, str(error)) from error
        except ToolshapeError as error:
            if method == "resources/read":
                raise MCPError(mt.INVALID_PARAMS, str(error), {"uri": sent["uri"]}) from error
            # Of other exceptions the SDK does not send the message.
            raise MCPError(mt.INTERNAL_ERROR, str(error)) from error
        except Exception as error:
            # The SDK's result for an exception stays.
            if flattened and raised[-1] is error:
                return flattened[-1]
            raise
        finally:
            CALL.reset(call)
        if isinstance(result, PassThrough):
            return result.result
        return RESULTS[method].model_validate(result)


class _OfMCPServer(_Shaping):
    """The handlers of an ``MCPServer``."""

    def __init__(self, server: MCPServer[Any], adapter: Adapter) -> None:
        super().__init__(server._lowlevel_server, adapter)
        self._server = server
        self._is_sdks_list = getattr(server.list_tools, "__func__", None) is MCPServer.list_tools
        for tool in server._tool_manager.list_tools():
            adapter.check_name(tool.name)
        add_tool, remove_tool, call_tool = server.add_tool, server.remove_tool, server.call_tool

        def add(fn: Callable[..., Any], name: str | None = None, *rest: Any, **given: Any) -> None:
            adapter.check_name(name or str(getattr(fn, "__name__", "")))
            adapter.forget_tools()
            add_tool(fn, name, *rest, **given)

        def remove(name: str) -> None:
            adapter.forget_tools()
            remove_tool(name)

        async def called(*given: Any, **named: Any) -> Any:
            try:
                return await call_tool(*given, **named)
            except Exception as error:
                if (raised := _raised.get()) is not None:
                    raised.append(error)
                raise

        for method, shaping in {"add_tool": add, "remove_tool": remove, "call_tool": called}.items():
            setattr(server, method, shaping)

    def prepare(self, context: ServerRequestContext[Any, Any]) -> object:
        # A list that the author makes may differ from call to call.
        if not self._is_sdks_list:
            self._adapter.forget_tools()
        return Context[Any, Any](request_context=context, mcp_server=self._server)


def _wire(result: Any) -> Any:
    """A result with the keys of the wire format."""
    return result if isinstance(result, dict) else result.model_dump(mode="json", by_alias=True, exclude_none=True)


def _is_flattened(result: Any, error: Exception) -> bool:
    """Whether a result is what the SDK makes of an exception."""
    if not isinstance(result, mt.CallToolResult) or not result.is_error or len(result.content) != 1:
        return False
    return isinstance(result.content[0], mt.TextContent) and result.content[0].text == str(error)


def _client(context: ServerRequestContext[Any, Any]) -> str | None:
    """The client's name, if it sends one."""
    parameters = context.session.client_params
    return parameters.client_info.name if parameters else None


async def _no_resources(context: object, params: object) -> mt.ListResourcesResult:
    return mt.ListResourcesResult(resources=[])


async def _no_templates(context: object, params: object) -> mt.ListResourceTemplatesResult:
    return mt.ListResourceTemplatesResult(resource_templates=[])


async def _unknown_resource(context: object, params: mt.ReadResourceRequestParams) -> mt.ReadResourceResult:
    raise MCPError(mt.INVALID_PARAMS, f"Unknown resource: {params.uri}", {"uri": params.uri})


_NO_RESOURCES: dict[str, Handler] = {
    "resources/list": _no_resources,
    "resources/templates/list": _no_templates,
    "resources/read": _unknown_resource,
}
