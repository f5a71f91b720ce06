"""The tools of agents of the OpenAI Agents SDK: ``Runner.run(shape.agent(agent), ..., run_config=shape.config())``."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from agents import Agent, FunctionTool, RunConfig
from agents.mcp import MCPServer
from agents.run_config import CallModelData, ModelInputData

from .agents import Adapted, Harness, HarnessTool, Parts, member

__all__ = ["Toolshape"]

_OUTPUTS = ("text", "image", "file")


class Toolshape(Adapted):
    """Shapes the results of the tools of agents, those of MCP servers too, and adds the tool ``read_result``.

    Images and files pass.
    """

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """A copy of an agent whose tools are shaped. Agents that it hands off to are given here themselves."""
        # It may be a copy of one that has ours.
        others = [tool for tool in agent.tools if not self.harness.reads(tool.name)]
        tools = [self._tool(tool) if isinstance(tool, FunctionTool) else tool for tool in others]
        servers = [_server(server, self.harness) for server in agent.mcp_servers]
        return agent.clone(tools=[*tools, *map(_own, self.harness.tools)], mcp_servers=servers)

    def config(self, config: RunConfig | None = None) -> RunConfig:
        """The configuration of a run, in which results of one turn are within their sum."""
        return dataclasses.replace(config or RunConfig(), call_model_input_filter=self.fit)

    async def fit(self, data: CallModelData[Any]) -> ModelInputData:
        """The ``call_model_input_filter`` of ``config``."""
        if not data.agent.mcp_servers and not data.agent.handoffs:
            self.harness.check_names(tool.name for tool in data.agent.tools)
        given: list[Any] = data.model_data.input
        names = {item["call_id"]: item["name"] for item in given if item.get("type") == "function_call"}

        def result(item: Any) -> tuple[str | None, str | None] | None:
            if item.get("type") != "function_call_output":
                return None
            return names.get(item["call_id"]), item["output"] if isinstance(item["output"], str) else None

        items = await self.harness.fit_each(given, result, lambda item, text: {**item, "output": text})
        return ModelInputData(input=items, instructions=data.model_data.instructions)

    def _tool(self, tool: FunctionTool) -> FunctionTool:
        invoke = tool.on_invoke_tool

        async def shaped(context: Any, text: str) -> Any:
            result = await self.harness.call(tool.name, text, lambda _: invoke(context, text), _value)
            return result.original if result.is_unchanged else result.content

        return dataclasses.replace(tool, on_invoke_tool=shaped)


def _value(returned: Any) -> Any:
    """The parts of outputs of the SDK; any other value."""
    outputs = returned if isinstance(returned, list) else [returned]
    are_outputs = bool(outputs) and all(member(each, "type") in _OUTPUTS for each in outputs)
    return Parts.of(outputs) if are_outputs else returned


def _server(server: MCPServer, harness: Harness) -> MCPServer:
    """An MCP server whose results are shaped; all else is the server's."""

    async def call_tool(tool_name: str, arguments: dict[str, Any] | None, *args: Any, **named: Any) -> Any:
        def work(_: Any) -> Any:
            return server.call_tool(tool_name, arguments, *args, **named)

        def read(result: Any) -> Any:
            return result.model_dump(mode="json", by_alias=True, exclude_none=True)

        shaped = await harness.call(tool_name, arguments or {}, work, read)
        if (result := shaped.original) is None:
            raise RuntimeError(shaped.text)
        if shaped.is_unchanged:
            return result
        # The model reads the texts.
        return type(result).model_validate({"content": shaped.blocks, "isError": shaped.is_error})

    class Shaped(MCPServer):
        def __getattribute__(self, name: str) -> Any:
            return call_tool if name == "call_tool" else getattr(server, name)

        def __setattr__(self, name: str, value: Any) -> None:
            setattr(server, name, value)

    Shaped.__abstractmethods__ = frozenset()
    shaped: Any = Shaped
    return cast("MCPServer", object.__new__(shaped))


def _own(tool: HarnessTool) -> FunctionTool:
    async def read(_: Any, text: str) -> str:
        return (await tool.call(text)).text

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=read,
        strict_json_schema=False,
    )
