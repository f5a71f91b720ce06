"""Shapes the tools of a server of ``fastmcp`` 4.x: ``server.add_middleware(ShapingMiddleware(policy))``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._error import ToolshapeError
from ._sdk import unsupported

try:
    import mcp_types as mt
    from fastmcp.exceptions import ResourceError, ToolError
    from fastmcp.resources import ResourceContent, ResourceResult
    from fastmcp.resources.template import ResourceTemplate
    from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
    from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
except ImportError as error:
    raise unsupported("fastmcp", "4.x") from error

from ._summarizer import Summarizer
from ._toolshape import Shaper
from .adapter import ADDRESS, TEMPLATE, UNSHAPED, Adapter, AdapterOptions, Plan, on_the_wire

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["ShapingMiddleware", "Summarizer"]


class ShapingMiddleware(Middleware):
    """Shapes the results of every tool.

    ``policy`` is a ``Shaper``, or its options as a dict; ``options`` are those of ``AdapterOptions``. Add it inside
    middleware that handles errors, and outside middleware that caches, so that the tool's own result is cached. A server
    with a tool of its own that has the name of one that is added is refused, ``ToolshapeError``: ``INVALID_CALL``, as soon
    as its tools are listed or that tool is called.
    """

    def __init__(self, policy: Shaper | Mapping[str, Any] | None = None, **options: Unpack[AdapterOptions]) -> None:
        self._adapter = Adapter(policy, **options)

    async def on_list_tools(
        self, context: MiddlewareContext[mt.ListToolsRequest], call_next: CallNext[mt.ListToolsRequest, Sequence[Tool]]
    ) -> Sequence[Tool]:
        tools = [self._shown(tool) for tool in await call_next(context)]
        for tool in tools:
            self._adapter.check_name(tool.name)
        return tools + [_listed(added.tool) for added in self._adapter.added.values()]

    async def on_call_tool(
        self,
        context: MiddlewareContext[mt.CallToolRequestParams],
        call_next: CallNext[mt.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        name, given = context.message.name, context.message.arguments or {}
        server = context.fastmcp_context and context.fastmcp_context.fastmcp
        tool = await server.get_tool(name) if server else None
        if tool is None:
            if name in self._adapter.added:
                return _result(await self._adapter.added[name].answer(given, context))
            return await call_next(context)
        self._adapter.check_name(name)
        # Results that toolshape must not shape: a request to the client, or an extension's answer to the call.
        passed: list[ToolResult] = []

        async def work(own: dict[str, Any]) -> object:
            message = context.message.model_copy(update={"arguments": own})
            result = await call_next(context.copy(message=message))
            if not isinstance(result, ToolResult) or isinstance(result, InputRequiredToolResult):
                passed.append(result)
                return UNSHAPED
            return on_the_wire(result)

        shaped = await self._adapter.run(self._plan(tool), given, _client(context), context, work, _origin)
        return passed[0] if passed else _result(shaped)

    async def on_list_resource_templates(
        self,
        context: MiddlewareContext[mt.ListResourceTemplatesRequest],
        call_next: CallNext[mt.ListResourceTemplatesRequest, Sequence[ResourceTemplate]],
    ) -> Sequence[ResourceTemplate]:
        templates = list(await call_next(context))
        if self._adapter.has_store:
            templates.append(
                ResourceTemplate(
                    uri_template=TEMPLATE["uriTemplate"],
                    name=TEMPLATE["name"],
                    title=TEMPLATE["title"],
                    description=TEMPLATE["description"],
                    mime_type=TEMPLATE["mimeType"],
                    parameters={"type": "object", "properties": {"id": {"type": "string"}}},
                )
            )
        return templates

    async def on_read_resource(
        self,
        context: MiddlewareContext[mt.ReadResourceRequestParams],
        call_next: CallNext[mt.ReadResourceRequestParams, ResourceResult],
    ) -> ResourceResult:
        uri = str(context.message.uri)
        if not self._adapter.has_store or not uri.startswith(ADDRESS):
            return await call_next(context)
        try:
            resource = await self._adapter.resource(uri, context)
        except ToolshapeError as error:
            raise ResourceError(str(error)) from error
        return ResourceResult([ResourceContent(resource["text"], mime_type=resource["mimeType"])])

    def _plan(self, tool: Tool) -> Plan:
        return self._adapter.plan(tool.to_mcp_tool().model_dump(mode="json", by_alias=True, exclude_none=True))

    def _shown(self, tool: Tool) -> Tool:
        shown = self._plan(tool).tool
        return tool.model_copy(
            update={"parameters": shown["inputSchema"], "output_schema": shown.get("outputSchema")}
        )


def _listed(tool: dict[str, Any]) -> Tool:
    """A tool that toolshape adds, as FastMCP lists it."""
    return Tool(
        name=tool["name"],
        title=tool["title"],
        description=tool["description"],
        parameters=tool["inputSchema"],
        annotations=mt.ToolAnnotations.model_validate(tool["annotations"]),
    )


def _result(shaped: dict[str, Any]) -> ToolResult:
    meta = shaped.get("_meta") or {}
    mark = meta.get("fastmcp")
    if isinstance(mark, dict) and "wrap_result" in mark and set(shaped.get("structuredContent") or ()) != {"result"}:
        # FastMCP wrapped the tool's value; what stands in its place is not wrapped, and clients would look inside.
        rest = {name: value for name, value in mark.items() if name != "wrap_result"}
        others = {name: value for name, value in meta.items() if name != "fastmcp"}
        shaped = {**shaped, "_meta": {**others, "fastmcp": rest} if rest else others}
    return ToolResult.from_mcp_result(mt.CallToolResult.model_validate(shaped))


def _origin(error: Exception) -> BaseException:
    """The tool's original exception, if FastMCP wrapped it; the wrapper's message contains both."""
    is_made = isinstance(error, ToolError) and str(error).startswith("Error calling tool ")
    return error.__cause__ if is_made and error.__cause__ is not None else error


def _client(context: MiddlewareContext[Any]) -> str | None:
    """The client's name, if it sends one."""
    request = context.fastmcp_context and context.fastmcp_context.request_context
    parameters = request and request.session.client_params
    return parameters.client_info.name if parameters else None
