"""Shapes the tools of a server of ``fastmcp`` 4.x: ``server.add_middleware(ShapingMiddleware(policy))``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._error import ToolshapeError
from ._sdk import unsupported

try:
    import mcp_types as mt
    from fastmcp import FastMCP
    from fastmcp.exceptions import ResourceError, ToolError
    from fastmcp.resources import ResourceContent, ResourceResult
    from fastmcp.resources.template import ResourceTemplate
    from fastmcp.server.context import Context
    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from fastmcp.server.middleware.tool_injection import ToolInjectionMiddleware
    from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
    from mcp import MCPError
except ImportError as error:
    raise unsupported("fastmcp", "4.x") from error

from ._mounted import mounted, origin
from ._summarizer import Summarizer
from ._toolshape import Shaper
from .adapter import ADDRESS, TEMPLATE, UNSHAPED, AddedTool, Adapter, AdapterOptions, Plan, on_the_wire

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["ShapingMiddleware", "Summarizer"]


class ShapingMiddleware(ToolInjectionMiddleware):
    """Shapes the results of every tool.

    ``policy`` is a ``Shaper``, or its options as a dict; ``options`` are those of ``AdapterOptions``. Add it inside
    middleware that handles errors, and outside middleware that caches, so that the tool's own result is cached. A server
    with a tool of its own that has the name of one that is added, or with this middleware twice, is refused (``MCPError``),
    as soon as its tools are listed or called.

    A server that is mounted may have this middleware too: what it shaped passes if it fits, its arguments stay those of its
    tools, and the parent's ``read_result`` reads what it stored.
    """

    def __init__(self, policy: Shaper | Mapping[str, Any] | None = None, **options: Unpack[AdapterOptions]) -> None:
        self._adapter = Adapter(policy, **options)
        super().__init__([_added(added) for added in self._adapter.added.values()])

    async def on_list_tools(
        self, context: MiddlewareContext[mt.ListToolsRequest], call_next: CallNext[mt.ListToolsRequest, Sequence[Tool]]
    ) -> Sequence[Tool]:
        server = context.fastmcp_context.fastmcp if context.fastmcp_context else None
        added = self._adapter.added
        if server:
            await self._check(server)
        listed = await call_next(context)
        tools = [tool for tool in listed if not isinstance(tool, _AddedTool) and not _repeats(tool, added)]
        # Many hosts read one page of a list: the added tools are on the first.
        return [*self.injected_tools, *(_shown(tool, self._adapter.plan(_described(tool))) for tool in tools)]

    async def on_call_tool(
        self,
        context: MiddlewareContext[mt.CallToolRequestParams],
        call_next: CallNext[mt.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        name, given = context.message.name, context.message.arguments or {}
        server = context.fastmcp_context.fastmcp if context.fastmcp_context else None
        if server:
            await self._check(server, name)
        if name in self._adapter.added:
            return _result(await self._answer(name, given, context, server))
        tool = await server.get_tool(name) if server else None
        if tool is None:
            return await call_next(context)
        # Results that toolshape must not shape: a request to the client, or an extension's answer to the call.
        passed: list[ToolResult] = []

        async def work(own: dict[str, Any]) -> object:
            message = context.message.model_copy(update={"arguments": own})
            result = await call_next(context.copy(message=message))
            if not isinstance(result, ToolResult) or isinstance(result, InputRequiredToolResult):
                passed.append(result)
                return UNSHAPED
            return on_the_wire(result)

        plan = self._adapter.plan(_described(await _as_listed(tool)))
        shaped = await self._adapter.run(plan, given, _client(context), context, work, _origin)
        return passed[0] if passed else _result(shaped)

    async def _check(self, server: FastMCP[Any], *names: str) -> None:
        """Refuses a server that is shaped twice, and a tool of its own that has the name of one that is added."""
        try:
            await self._check_layers(server, names)
        except ToolshapeError as error:
            # Of other errors FastMCP tells clients nothing.
            raise MCPError(mt.INTERNAL_ERROR, str(error)) from error

    async def _check_layers(self, server: FastMCP[Any], names: Sequence[str]) -> None:
        if len(_layers(server)) > 1:
            message = "the server is shaped twice: add one ShapingMiddleware with the whole policy"
            raise ToolshapeError(message, "INVALID_CALL")
        for name in self._adapter.added.keys() & (names or self._adapter.added.keys()):
            # What the server itself returns for the name is the tool that is added.
            own = await super(FastMCP, server).get_tool(name)
            if own is not None and not _repeats(own, self._adapter.added):
                self._adapter.check_name(name)

    async def _answer(
        self, name: str, given: Mapping[str, Any], context: MiddlewareContext[Any], server: FastMCP[Any] | None
    ) -> dict[str, Any]:
        """The answer of a tool that is added: about what is stored here, or else by a server that is mounted."""
        client = _client(context)
        answer = await self._adapter.added[name].answer(given, context, client)
        if server is None or not _is_missing(answer):
            return answer
        for inner in _shaping(server):
            if name in inner._adapter.added:
                found = await inner._adapter.added[name].answer(given, context, client)
                if not _is_missing(found):
                    return self._adapter.reshape(name, found)
        return answer

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
        server = context.fastmcp_context.fastmcp if context.fastmcp_context else None
        adapters = [self._adapter, *(inner._adapter for inner in (_shaping(server) if server else ()))]
        for adapter in adapters:
            try:
                resource = await adapter.resource(uri, context)
                break
            except ToolshapeError as error:
                if error.code != "NOT_FOUND" or adapter is adapters[-1]:
                    raise ResourceError(str(error)) from error
        return ResourceResult([ResourceContent(resource["text"], mime_type=resource["mimeType"])])


class _AddedTool(Tool):
    """A tool that toolshape adds, as FastMCP lists it. The middleware answers its calls."""


def _added(added: AddedTool) -> _AddedTool:
    tool = added.tool
    return _AddedTool(
        name=tool["name"],
        title=tool.get("title"),
        description=tool["description"],
        parameters=tool["inputSchema"],
        annotations=mt.ToolAnnotations.model_validate(tool["annotations"]),
    )


def _described(tool: Tool) -> dict[str, Any]:
    return tool.to_mcp_tool().model_dump(mode="json", by_alias=True, exclude_none=True)


def _shown(tool: Tool, plan: Plan) -> Tool:
    return tool.model_copy(
        update={"parameters": plan.tool["inputSchema"], "output_schema": plan.tool.get("outputSchema")}
    )


def _taking(tool: Tool, plan: Plan) -> Tool:
    """The tool as a plan shows it, with the arguments that the plan takes, whether it shows them or not."""
    shown = _shown(tool, plan)
    properties = {**dict.fromkeys(sorted(plan.controls), {}), **shown.parameters.get("properties", {})}
    return shown.model_copy(update={"parameters": {**shown.parameters, "properties": properties}})


def _layers(server: FastMCP[Any]) -> list[ShapingMiddleware]:
    return [middleware for middleware in server.middleware if isinstance(middleware, ShapingMiddleware)]


def _shaping(server: FastMCP[Any]) -> Iterator[ShapingMiddleware]:
    """The middleware that shapes what is mounted on a server, if it stores results."""
    for inner in mounted(server):
        yield from (layer for layer in _layers(inner) if layer._adapter.has_store)


def _repeats(tool: Tool, added: Mapping[str, AddedTool]) -> bool:
    """Whether a tool is one that a mounted server's middleware added, and the server has one like it."""
    place = origin(tool)
    return place is not None and place[1] in added and any(place[1] in layer._adapter.added for layer in _layers(place[0]))


async def _as_listed(tool: Tool) -> Tool:
    """The tool with the arguments that its own server takes, and the schema that it lists, if that shapes its tools."""
    place = origin(tool)
    if place is None:
        return tool
    server, name = place
    async with Context(fastmcp=server):
        inner = await server.get_tool(name)
    if inner is None:
        return tool
    inner = await _as_listed(inner)
    for layer in _layers(server):
        if name not in layer._adapter.added:
            inner = _taking(inner, layer._adapter.plan(_described(inner)))
    return tool.model_copy(update={"parameters": inner.parameters, "output_schema": inner.output_schema})


def _is_missing(answer: Mapping[str, Any]) -> bool:
    """Whether an answer says that there is no such stored result, or that the cursor is another server's."""
    missing = ('{"error":"NOT_FOUND"', '{"error":"INVALID_CURSOR"')
    return bool(answer.get("isError")) and answer["content"][0]["text"].startswith(missing)


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
