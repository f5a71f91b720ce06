"""What ``fastmcp`` 2.x and 3.x share, because both use ``mcp`` 1.x: its tasks, and its check of results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import jsonschema  # type: ignore[import-untyped]
import mcp.types as mt
from fastmcp.server.context import Context
from fastmcp.server.middleware import MiddlewareContext
from mcp import McpError

from ..adapter import Caller, PassThrough, RequestError
from .mcp1 import Handler, client_of, wire, with_params
from .shaping_middleware import Generation, Server, ShapingMiddleware

if TYPE_CHECKING:
    from fastmcp.tools import Tool

# The servers whose handlers of tasks are wrapped.
_watched: WeakSet[Any] = WeakSet()


class OnMcp1(Generation):
    """What is the same on ``mcp`` 1.x."""

    def prepare(self, server: Server, layer: ShapingMiddleware) -> None:
        low = server._mcp_server
        if low not in _watched:
            _watched.add(low)
            _wrap(server, layer)
            self.begin(server, layer)

    def begin(self, server: Server, layer: ShapingMiddleware) -> None:
        """What a server needs once."""

    def on_the_wire(self, result: Any, tool: Tool) -> dict[str, Any] | None:
        """What a tool returned, or the error that ``mcp`` makes of a value that is not what the tool's output schema promises:
        it checks results without ``_meta``, by the schema that clients see, and so no longer those that are shaped."""
        if not hasattr(result, "to_mcp_result"):
            # It is a task.
            return None
        made = getattr(result, "made", result)
        returned = {
            "content": result.content,
            "structuredContent": result.structured_content,
            # In older versions a result cannot be an error.
            "isError": getattr(made, "isError", getattr(made, "is_error", False)),
            "_meta": result.meta,
        }
        structured, schema = returned["structuredContent"], tool.output_schema
        if schema is None or returned["isError"] or returned["_meta"] is not None:
            return returned
        if structured is None:
            return _wrong("outputSchema defined but no structured output returned")
        try:
            jsonschema.validate(instance=structured, schema=schema)
        except jsonschema.ValidationError as error:
            return _wrong(error.message)
        return returned


def _wrong(why: str) -> dict[str, Any]:
    return {"content": [mt.TextContent(type="text", text=f"Output validation error: {why}")], "isError": True}


def _wrap(server: Server, layer: ShapingMiddleware) -> None:
    """Wraps the handlers of calls that run as tasks: ``fastmcp`` does not pass their results through middleware."""
    handlers = server._mcp_server.request_handlers

    def caller() -> Caller:
        context = Context(fastmcp=server)
        request = context.request_context
        called = MiddlewareContext(message=None, method="tools/call", fastmcp_context=context)
        return Caller(client_of(request), called, session=request and request.session)

    adapter = layer.adapter

    async def called(handler: Handler, request: mt.CallToolRequest) -> mt.ServerResult:
        name, given = request.params.name, request.params.arguments or {}
        if request.params.task is None or name in adapter.added:
            return await handler(request)
        async with Context(fastmcp=server):
            tool = await layer._sdk.tool(server, name)
            plan = await layer.planned(server, tool) if tool else adapter.plan_unlisted(name)

        async def work(own: dict[str, Any]) -> Any:
            return wire("tools/call", await handler(with_params(request, {"arguments": own})))

        try:
            result = await adapter.start_task(plan, given, caller(), work)
        except RequestError as error:
            raise McpError(mt.ErrorData(code=error.code, message=str(error))) from error
        return _answer(mt.CallToolResult, result)

    async def finished(handler: Handler, request: mt.GetTaskPayloadRequest) -> mt.ServerResult:
        result = wire("tasks/result", await handler(request))
        return _answer(mt.GetTaskPayloadResult, await adapter.finish_task(request.params.taskId, result, caller()))

    wrappings: dict[type, Callable[..., Any]] = {mt.CallToolRequest: called, mt.GetTaskPayloadRequest: finished}
    for kind, wrapping in wrappings.items():
        if kind in handlers:
            handlers[kind] = partial(wrapping, handlers[kind])


def _answer(kind: Any, result: Any) -> mt.ServerResult:
    return result.result if isinstance(result, PassThrough) else mt.ServerResult(kind.model_validate(result))
