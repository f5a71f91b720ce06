"""Shapes the tools of servers of ``mcp`` 1.x: of a ``FastMCP``, and of a low-level ``Server``, whose author answers requests.

The handlers of requests are wrapped, so that the server checks arguments and results first. Those that the decorators of a
low-level ``Server`` register later are wrapped too; what is put into ``request_handlers`` later stands around the shaping.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any

import mcp.types as mt
from mcp import McpError
from mcp.server.fastmcp import FastMCP
from mcp.server.lowlevel import Server

from .._error import ToolshapeError
from ..adapter import ADDRESS, TEMPLATE, UNSHAPED, Adapter, Plan
from .tasks import Caller, Handler, Tasks, client_of, with_arguments

SERVERS = (FastMCP, Server)

# MCP's code for a resource that there is not.
RESOURCE_NOT_FOUND = -32002
# The most pages of a list that are read to find a tool.
MOST_PAGES = 100

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
        self._plans: dict[str, Plan] = {}
        self._list: Handler | None = None
        self._wrapped: set[type] = set()
        self._is_checked = False
        self._tasks = Tasks(adapter, self._caller)
        self._wraps: dict[type, Callable[..., Any]] = {
            mt.ListToolsRequest: self._listed,
            mt.CallToolRequest: self._called,
            mt.GetTaskPayloadRequest: self._tasks.finish,
        }
        if adapter.has_store:
            self._wraps |= {mt.ListResourceTemplatesRequest: self._templates, mt.ReadResourceRequest: self._read}

    def install(self) -> None:
        """Wraps the handlers that are there, and those that decorators register later."""
        low = self._low
        if self._adapter.has_store:
            # A server without resources has those of its stored results.
            for kind, nothing in _NO_RESOURCES.items():
                low.request_handlers.setdefault(kind, nothing)
        for kind in self._wraps:
            self._wrap(kind)
        for name, kind in _DECORATORS.items():
            setattr(low, name, self._registering(getattr(low, name), kind))
        make = low._make_error_result

        def made(message: str) -> mt.ServerResult:
            result, error, box = make(message), sys.exc_info()[1], _flattened.get()
            if box is not None and isinstance(error, Exception) and str(error) == message:
                box.append((result, error))
            return result

        # It is called where the exception is caught, and is told no more of it than the message.
        setattr(low, "_make_error_result", made)  # noqa: B010

    def adding(self, add_tool: Callable[..., Any]) -> Callable[..., Any]:
        """What registers a tool of a ``FastMCP``, if its name is its own."""

        @wraps(add_tool)
        def add(fn: Callable[..., Any], name: str | None = None, *rest: Any, **given: Any) -> Any:
            self._adapter.check_name(name or str(getattr(fn, "__name__", "")))
            self._plans.clear()
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
        if handler is None or kind not in self._wraps:
            return
        self._wrapped.add(kind)
        if kind is mt.ListToolsRequest:
            self._list, self._is_checked = handler, False
            self._plans.clear()
        self._low.request_handlers[kind] = partial(self._wraps[kind], handler)

    def _wrap_tasks(self) -> None:
        """The tasks of a server may be enabled after it is shaped."""
        if mt.GetTaskPayloadRequest not in self._wrapped:
            self._wrap(mt.GetTaskPayloadRequest)

    def _caller(self) -> Caller:
        try:
            context = self._context()
            return Caller(client_of(context), context)
        except (LookupError, ValueError):
            return Caller(None, None)

    async def _listed(self, handler: Handler, request: mt.ListToolsRequest | None) -> mt.ServerResult:
        self._wrap_tasks()
        answer = await handler(request)
        result = answer.root
        assert isinstance(result, mt.ListToolsResult)
        shown: list[dict[str, Any]] = []
        for tool in result.tools:
            self._adapter.check_name(tool.name)
            plan = self._adapter.plan(tool.model_dump(mode="json", by_alias=True, exclude_none=True))
            self._plans[tool.name] = plan
            shown.append(plan.tool)
        # Many hosts read one page: the added tools are at the end of the first.
        if request is None or request.params is None or request.params.cursor is None:
            shown += [added.tool for added in self._adapter.added.values()]
        tools = [mt.Tool.model_validate(tool) for tool in shown]
        return mt.ServerResult(result.model_copy(update={"tools": tools}))

    async def _read_list(self, name: str) -> None:
        """Reads the list up to a tool, or all of it."""
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            if self._list is None or name in self._plans:
                return
            params = mt.PaginatedRequestParams(cursor=cursor)
            listed = await self._listed(self._list, mt.ListToolsRequest(method="tools/list", params=params))
            cursor = getattr(listed.root, "nextCursor", None)
            if cursor is None:
                return

    async def _plan(self, name: str) -> Plan:
        """A client may call a tool that it has not listed; the tool is then looked up in the list, if there is one."""
        if name not in self._plans:
            # A failing list must not make the call fail.
            with suppress(Exception):
                await self._read_list(name)
        return self._plans.get(name) or self._adapter.plan_unlisted(name)

    async def _check(self, name: str) -> None:
        """Refuses an added tool if the server has one of its own with that name."""
        if self._is_checked:
            return
        try:
            await self._read_list(name)
        except ToolshapeError:
            raise
        except Exception:  # noqa: S110
            # A list that fails says so when it is asked for.
            pass
        self._is_checked = True

    async def _called(self, handler: Handler, request: mt.CallToolRequest) -> mt.ServerResult:
        name, given = request.params.name, request.params.arguments or {}
        caller = self._caller()
        if name in self._adapter.added:
            await self._check(name)
            answer = await self._adapter.added[name].answer(given, caller.context, caller.client)
            return mt.ServerResult(mt.CallToolResult.model_validate(answer))
        plan = await self._plan(name)
        if request.params.task is not None:
            self._wrap_tasks()
            return await self._tasks.start(handler, request, plan)
        passed: list[mt.ServerResult] = []
        flattened: _Flattened = []

        async def work(own: dict[str, Any]) -> object:
            token = _flattened.set(flattened)
            try:
                answer = await handler(with_arguments(request, own))
            finally:
                _flattened.reset(token)
            if flattened and flattened[-1][0] is answer:
                raise flattened[-1][1]
            result = answer.root
            if not isinstance(result, mt.CallToolResult):
                passed.append(answer)
                return UNSHAPED
            return {
                "content": result.content,
                "structuredContent": result.structuredContent,
                "isError": result.isError,
                "_meta": result.meta,
            }

        try:
            shaped = await self._adapter.run(plan, given, caller.client, caller.context, work, _origin)
        except Exception as error:
            # What the SDK made of it stays.
            if flattened and flattened[-1][1] is error:
                return flattened[-1][0]
            raise
        return passed[0] if passed else mt.ServerResult(mt.CallToolResult.model_validate(shaped))

    async def _templates(self, handler: Handler, request: mt.ListResourceTemplatesRequest) -> mt.ServerResult:
        answer = await handler(request)
        result = answer.root
        assert isinstance(result, mt.ListResourceTemplatesResult)
        if request.params is not None and request.params.cursor is not None:
            return answer
        templates = [*result.resourceTemplates, mt.ResourceTemplate.model_validate(TEMPLATE)]
        return mt.ServerResult(result.model_copy(update={"resourceTemplates": templates}))

    async def _read(self, handler: Handler, request: mt.ReadResourceRequest) -> mt.ServerResult:
        uri = str(request.params.uri)
        if not uri.startswith(ADDRESS):
            return await handler(request)
        try:
            resource = await self._adapter.resource(uri, self._caller().context)
        except ToolshapeError as error:
            raise McpError(mt.ErrorData(code=RESOURCE_NOT_FOUND, message=str(error))) from error
        text, kind = resource["text"], resource["mimeType"]
        contents = mt.TextResourceContents(uri=request.params.uri, text=text, mimeType=kind)
        return mt.ServerResult(mt.ReadResourceResult(contents=[contents]))


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


def _origin(error: Exception) -> BaseException:
    """The tool's original exception, if ``FastMCP`` wrapped it; the wrapper's message may mask it."""
    is_made = str(error).startswith("Error executing tool ")
    return error.__cause__ if is_made and error.__cause__ is not None else error
