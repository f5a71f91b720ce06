"""Shapes the tools of servers of ``mcp`` 1.x: of a ``FastMCP``, and of a low-level ``Server``, whose author answers requests.

The handlers of requests are wrapped, so that the server checks arguments and results first. Those that the decorators of a
low-level ``Server`` register later are wrapped too; handlers that are put into ``request_handlers`` later wrap the shaping.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any

import mcp.types as mt
from mcp import McpError
from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.utilities.func_metadata import FuncMetadata
from mcp.server.lowlevel import Server

from .._error import ToolshapeError
from ..adapter import Adapter, Caller, PassThrough, RequestError, meta_of, passes
from .returned import CALL, take

SERVERS = (FastMCP, Server)

take(FuncMetadata, "convert_result", 1)

Handler = Callable[[Any], Awaitable[mt.ServerResult]]

# MCP's code for a resource that does not exist.
RESOURCE_NOT_FOUND = -32002

# The method of each request that is shaped.
TOOLS: dict[type, str] = {
    mt.ListToolsRequest: "tools/list",
    mt.CallToolRequest: "tools/call",
    mt.GetTaskPayloadRequest: "tasks/result",
}
RESOURCES: dict[type, str] = {
    mt.ListResourceTemplatesRequest: "resources/templates/list",
    mt.ReadResourceRequest: "resources/read",
}

# The result that the SDK made of an exception of a tool, with the exception.
_Flattened = list[tuple[mt.ServerResult, Exception]]
_flattened: ContextVar[_Flattened | None] = ContextVar("toolshape_flattened", default=None)


def shape(server: FastMCP[Any] | Server[Any, Any], adapter: Adapter) -> None:
    """Puts shaping around the handlers of a server; ``ToolshapeError`` for a tool with the name of one that is added."""
    if isinstance(server, FastMCP):
        low = server._mcp_server
        for tool in server._tool_manager.list_tools():
            adapter.check_name(tool.name)
        shaping = _Shaping(low, adapter, server.get_context)
        server.add_tool = shaping.adding(server.add_tool)  # type: ignore[method-assign]
    else:
        low = server
        shaping = _Shaping(low, adapter, lambda: low.request_context)
    shaping.install()


class _Shaping:
    """The handlers of a server, with shaping around them."""

    def __init__(self, low: Server[Any, Any], adapter: Adapter, context: Callable[[], Any]) -> None:
        self._low, self._adapter, self._context = low, adapter, context
        self._own: dict[type, Handler] = {}
        self._methods = TOOLS | RESOURCES if adapter.has_store else TOOLS

    def install(self) -> None:
        """Wraps the handlers that are there, and those that decorators register later."""
        low = self._low
        if self._adapter.has_store:
            # A server without resources has those of its stored results.
            for kind, nothing in _NO_RESOURCES.items():
                low.request_handlers.setdefault(kind, nothing)
        for kind in self._methods:
            self._wrap(kind)
        for name, kind in _DECORATORS.items():
            setattr(low, name, self._registering(getattr(low, name), kind))
        make = low._make_error_result

        def made(message: str) -> mt.ServerResult:
            result, error, box = make(message), sys.exc_info()[1], _flattened.get()
            if box is not None and isinstance(error, Exception) and str(error) == message:
                box.append((result, error))
            return result

        # It is called where the exception is caught, and gets only the message.
        setattr(low, "_make_error_result", made)  # noqa: B010

    def adding(self, add_tool: Callable[..., Any]) -> Callable[..., Any]:
        """What registers a tool of a ``FastMCP``, if its name is its own."""

        @wraps(add_tool)
        def add(fn: Callable[..., Any], name: str | None = None, *rest: Any, **given: Any) -> Any:
            self._adapter.check_name(name or str(getattr(fn, "__name__", "")))
            self._adapter.forget_tools()
            return add_tool(fn, name, *rest, **given)

        return add

    def _registering(self, decorator: Callable[..., Any], kind: type) -> Callable[..., Any]:
        @wraps(decorator)
        def register(*given: Any, **named: Any) -> Callable[..., Any]:
            registered = decorator(*given, **named)

            def of(function: Any) -> Any:
                returned = registered(function)
                self._wrap(kind)
                return returned

            return of

        return register

    def _wrap(self, kind: type) -> None:
        handler = self._low.request_handlers.get(kind)
        if handler is None or kind not in self._methods:
            return
        if kind is mt.ListToolsRequest:
            self._adapter.forget_tools()
        self._own[kind] = handler
        self._low.request_handlers[kind] = partial(self._handle, kind)

    async def _handle(self, kind: type, request: Any) -> mt.ServerResult:
        # The tasks of a server may be enabled after it is shaped.
        if mt.GetTaskPayloadRequest not in self._own:
            self._wrap(mt.GetTaskPayloadRequest)
        flattened: _Flattened = []

        async def ask(method: str, changed: Mapping[str, Any]) -> Any:
            if changed is sent:
                handler, own = self._own[kind], request
            elif method == self._methods[kind]:
                handler, own = self._own[kind], with_params(request, changed)
            else:
                handler = self._own[mt.ListToolsRequest]
                own = mt.ListToolsRequest(method="tools/list", params=mt.PaginatedRequestParams.model_validate(changed))
            token = _flattened.set(flattened)
            try:
                answer = await handler(own)
            finally:
                _flattened.reset(token)
            # What controls a framework can control nothing once the SDK has made a result of it.
            if flattened and flattened[-1][0] is answer and not passes(flattened[-1][1]):
                raise flattened[-1][1]
            return wire(method, answer)

        # The SDK itself asks for the list without a request.
        params = request.params if request is not None else None
        members = (
            (name, getattr(params, name, None)) for name in ("name", "arguments", "cursor", "uri", "task", "taskId")
        )
        sent = {name: value for name, value in members if value is not None}
        if "uri" in sent:
            sent["uri"] = str(sent["uri"])
        call = CALL.set((self._adapter, sent["name"]) if kind is mt.CallToolRequest else None)
        try:
            result = await self._adapter.request(self._methods[kind], sent, ask, self._caller())
        except RequestError as error:
            raise McpError(mt.ErrorData(code=error.code, message=str(error))) from error
        except ToolshapeError as error:
            if kind is not mt.ReadResourceRequest:
                raise
            raise McpError(mt.ErrorData(code=RESOURCE_NOT_FOUND, message=str(error))) from error
        except Exception as error:
            # The SDK's result for an exception stays.
            if flattened and flattened[-1][1] is error:
                return flattened[-1][0]
            raise
        finally:
            CALL.reset(call)
        return (
            result.result if isinstance(result, PassThrough) else mt.ServerResult(_RESULTS[kind].model_validate(result))
        )

    def _caller(self) -> Caller:
        try:
            context = self._context()
            return Caller(client_of(context), context, meta_of(context), context.session)
        except (LookupError, ValueError):
            return Caller(None, None)


def with_params(request: Any, changed: Mapping[str, Any]) -> Any:
    """A request with other parameters."""
    return request.model_copy(update={"params": request.params.model_copy(update=changed)})


def wire(method: str, answer: mt.ServerResult) -> Any:
    """A result with the keys of the wire format, or what is not shaped."""
    result: Any = answer.root
    if method == "tools/call" and (task := _task_of(result)) is not None:
        return PassThrough(answer, task)
    if method != "tools/call":
        shown = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        return PassThrough(answer) if method == "tasks/result" and "content" not in shown else shown
    if not isinstance(result, mt.CallToolResult):
        return PassThrough(answer)
    return {
        "content": result.content,
        "structuredContent": result.structuredContent,
        "isError": result.isError,
        "_meta": result.meta,
    }


def _task_of(created: Any) -> str | None:
    """The id of the task that answers a call, if a task does."""
    if isinstance(created, mt.CreateTaskResult):
        return created.task.taskId
    # The form of ``fastmcp`` 2.x.
    stub: dict[str, str] = (getattr(created, "meta", None) or {}).get("modelcontextprotocol.io/task", {})
    return stub.get("taskId")


def client_of(context: Any) -> str | None:
    """The client's name, if it sends one, from a context with a session of ``mcp`` 1.x."""
    parameters = context.session.client_params if context is not None else None
    return parameters.clientInfo.name if parameters else None


async def _no_resources(_: mt.ListResourcesRequest) -> mt.ServerResult:
    return mt.ServerResult(mt.ListResourcesResult(resources=[]))


async def _no_templates(_: mt.ListResourceTemplatesRequest) -> mt.ServerResult:
    return mt.ServerResult(mt.ListResourceTemplatesResult(resourceTemplates=[]))


async def _unknown_resource(request: mt.ReadResourceRequest) -> mt.ServerResult:
    raise McpError(mt.ErrorData(code=RESOURCE_NOT_FOUND, message=f"Unknown resource: {request.params.uri}"))


_NO_RESOURCES: dict[type, Callable[[Any], Any]] = {
    mt.ListResourcesRequest: _no_resources,
    mt.ListResourceTemplatesRequest: _no_templates,
    mt.ReadResourceRequest: _unknown_resource,
}
# What registers the handlers that are wrapped.
_DECORATORS: dict[str, type] = {
    "list_tools": mt.ListToolsRequest,
    "call_tool": mt.CallToolRequest,
    "list_resource_templates": mt.ListResourceTemplatesRequest,
    "read_resource": mt.ReadResourceRequest,
}
# Each is one of those that ``ServerResult`` takes, which no type says.
_RESULTS: dict[type, Any] = {
    mt.ListToolsRequest: mt.ListToolsResult,
    mt.CallToolRequest: mt.CallToolResult,
    mt.GetTaskPayloadRequest: mt.GetTaskPayloadResult,
    mt.ListResourceTemplatesRequest: mt.ListResourceTemplatesResult,
    mt.ReadResourceRequest: mt.ReadResourceResult,
}
