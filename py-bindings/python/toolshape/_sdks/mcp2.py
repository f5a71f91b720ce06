"""Shapes the tools of an ``MCPServer`` of ``mcp`` 2.x, whose protocol handlers call its public methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import mcp_types as mt
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.server.mcpserver.tools import ToolManager

from .._error import ToolshapeError
from ..adapter import ADDRESS, TEMPLATE, UNSHAPED, Adapter, Plan, on_the_wire

SERVERS = (MCPServer,)


def shape(server: MCPServer[Any], adapter: Adapter) -> None:
    """Puts shaping around the methods of a server; ``ToolshapeError`` for a tool with the name of one that is added."""
    for tool in server._tool_manager.list_tools():
        adapter.check_name(tool.name)
    add_tool = server.add_tool

    def add(fn: Callable[..., Any], name: str | None = None, *rest: Any, **given: Any) -> None:
        adapter.check_name(name or str(getattr(fn, "__name__", "")))
        add_tool(fn, name, *rest, **given)

    list_tools, call_tool = server.list_tools, server.call_tool
    list_templates, read_resource = server.list_resource_templates, server.read_resource

    def described(tool: mt.Tool) -> dict[str, Any]:
        return tool.model_dump(mode="json", by_alias=True, exclude_none=True)

    def planned(tool: mt.Tool) -> Plan:
        adapter.check_name(tool.name)
        return adapter.plan_call(tool.name, (tool.input_schema, tool.output_schema), lambda: described(tool))

    # The SDK's own list has what its manager keeps, but it makes all tools anew.
    is_sdks_list = getattr(list_tools, "__func__", None) is MCPServer.list_tools

    async def plan_of(name: str) -> Plan | None:
        """The plan of a tool, if the server lists it."""
        manager = server._tool_manager
        if is_sdks_list and type(manager) is ToolManager:
            kept = manager.get_tool(name)
            plan = adapter.known_plan(name, (kept.parameters, kept.output_schema)) if kept else None
            if kept is None or plan is not None:
                return plan
        # Another list may differ from call to call, so it is read for each; no other tool of it is described.
        tool = next((tool for tool in await list_tools() if tool.name == name), None)
        return planned(tool) if tool else None

    async def listed() -> list[mt.Tool]:
        tools = await list_tools()
        for tool in tools:
            adapter.check_name(tool.name)
        shown = [adapter.plan(described(tool)).tool for tool in tools]
        shown += [added.tool for added in adapter.added.values()]
        return [mt.Tool.model_validate(tool) for tool in shown]

    async def called(
        name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> mt.CallToolResult | mt.InputRequiredResult:
        plan = await plan_of(name)
        if plan is None:
            if name in adapter.added:
                answer = await adapter.added[name].answer(arguments, context, _client(context))
                return mt.CallToolResult.model_validate(answer)
            return await call_tool(name, arguments, context)
        asked: list[mt.InputRequiredResult] = []

        async def work(own: dict[str, Any]) -> object:
            result = await call_tool(name, own, context)
            if isinstance(result, mt.InputRequiredResult):
                asked.append(result)
                return UNSHAPED
            return on_the_wire(result)

        shaped = await adapter.run(plan, arguments, _client(context), context, work, _origin)
        return asked[0] if asked else mt.CallToolResult.model_validate(shaped)

    async def templates() -> list[mt.ResourceTemplate]:
        own = await list_templates()
        return [*own, mt.ResourceTemplate.model_validate(TEMPLATE)] if adapter.has_store else own

    async def read(
        uri: Any, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | mt.InputRequiredResult:
        if not adapter.has_store or not str(uri).startswith(ADDRESS):
            return await read_resource(uri, context)
        try:
            resource = await adapter.resource(str(uri), context)
        except ToolshapeError as error:
            raise ResourceNotFoundError(str(error)) from error
        return [ReadResourceContents(content=resource["text"], mime_type=resource["mimeType"])]

    for method, shaping in [
        ("add_tool", add),
        ("list_tools", listed),
        ("call_tool", called),
        ("list_resource_templates", templates),
        ("read_resource", read),
    ]:
        setattr(server, method, shaping)


def _origin(error: Exception) -> BaseException:
    """The tool's original exception, if the SDK wrapped it; the wrapper's message may mask it."""
    is_made = str(error).startswith("Error executing tool ")
    return error.__cause__ if is_made and error.__cause__ is not None else error


def _client(context: Context[Any, Any] | None) -> str | None:
    """The client's name, if it sends one."""
    parameters = context.session.client_params if context is not None else None
    return parameters.client_info.name if parameters else None
