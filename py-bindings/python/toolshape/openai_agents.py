"""The tools of agents of the OpenAI Agents SDK: ``Runner.run(shape.agent(agent), ..., run_config=shape.config())``."""

from __future__ import annotations

import dataclasses
from typing import Any

from agents import Agent, FunctionTool, RunConfig, SpanError, Tool, default_tool_error_function, get_current_span
from agents.run_config import CallModelData, ModelInputData

from .agents import Adapted, HarnessTool, Parts, member

__all__ = ["Toolshape"]

_OUTPUTS = ("text", "image", "file")


class Toolshape(Adapted):
    """Shapes the results of the tools of agents, those of MCP servers too, and adds the tool ``read_result``.

    Images and files pass.
    """

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """A copy of an agent whose tools are shaped. Agents that it hands off to are given here themselves."""
        # It may be a copy of one that has ours.
        others = [tool for tool in agent.tools if not isinstance(tool, _Read)]
        self.harness.refuse_names(tool.name for tool in others)
        tools = [*map(self._tool, others), *map(_own, self.harness.tools)]
        copy = agent.clone(
            tools=tools, mcp_config={"failure_error_function": self.failure_error_function, **agent.mcp_config}
        )
        copy.__class__ = self._class_of(agent)
        return copy

    async def failure_error_function(self, context: Any, error: Exception) -> str:
        """The option of ``function_tool`` by which rate limits become results; other errors are written as by default."""
        result = await self.harness.after("", {}, error)
        return result.text if result else default_tool_error_function(context, error)

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

    def _tool(self, tool: Tool) -> Tool:
        if not isinstance(tool, FunctionTool):
            return tool
        invoke = tool.on_invoke_tool

        async def shaped(context: Any, text: str) -> Any:
            result = await self.harness.call(tool.name, text, lambda _: invoke(context, text), _value)
            return result.original if result.is_unchanged else result.content

        return dataclasses.replace(tool, on_invoke_tool=shaped)

    def _class_of(self, agent: Agent[Any]) -> Any:
        """The class of an agent, which also shapes the tools of MCP servers, made by the SDK for each run."""
        base = type(agent)

        async def get_mcp_tools(agent: Agent[Any], run_context: Any) -> list[Tool]:
            return [*map(self._tool, await base.get_mcp_tools(agent, run_context))]

        return type(base.__name__, (base,), {"get_mcp_tools": get_mcp_tools})


def _value(returned: Any) -> Any:
    """The parts of outputs of the SDK; any other value."""
    outputs = returned if isinstance(returned, list) else [returned]
    are_outputs = bool(outputs) and all(member(each, "type") in _OUTPUTS for each in outputs)
    return Parts.of(outputs) if are_outputs else returned


class _Read(FunctionTool):
    """A tool of ours."""


def _own(tool: HarnessTool) -> FunctionTool:
    async def read(_: Any, text: str) -> str:
        result = await tool.call(text)
        if result.is_error and (span := get_current_span()):
            span.set_error(SpanError(message=result.text, data=None))
        return result.text

    return _Read(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=read,
        strict_json_schema=False,
    )
