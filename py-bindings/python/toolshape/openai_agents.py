"""The tools of agents of the OpenAI Agents SDK: ``Runner.run(shape.agent(agent), ..., run_config=shape.config())``."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from agents import Agent, FunctionTool, RunConfig, ToolOutputText
from agents.mcp import MCPServer
from agents.run_config import CallModelData, ModelInputData

from .agents import Harness, HarnessOptions, HarnessTool, Parts
from .types import Policy

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Toolshape"]

_OUTPUTS = ("text", "image", "file")


class Toolshape:
    """Shapes the results of the tools of agents, those of MCP servers too, and adds the tool ``read_result``.

    Images and files pass. Raises ``ToolshapeError``: ``INVALID_POLICY``, ``INVALID_CALL``.
    """

    def __init__(self, policy: Policy | None = None, **options: Unpack[HarnessOptions]) -> None:
        self.harness = Harness(policy, **options)

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """A copy of an agent whose tools are shaped. Agents that it hands off to are given here themselves."""
        tools = [self._tool(tool) if isinstance(tool, FunctionTool) else tool for tool in agent.tools]
        servers = [_Shaped(server, self.harness) for server in agent.mcp_servers]
        return agent.clone(tools=[*tools, *map(_own, self.harness.tools)], mcp_servers=servers)

    def config(self, config: RunConfig | None = None) -> RunConfig:
        """The configuration of a run, in which results of one turn are within their sum."""
        return dataclasses.replace(config or RunConfig(), call_model_input_filter=self.fit)

    async def fit(self, data: CallModelData[Any]) -> ModelInputData:
        """The ``call_model_input_filter`` of ``config``."""
        items: list[Any] = list(data.model_data.input)
        turn: list[int] = []
        for at, item in enumerate([*items, {}]):
            if item.get("type") == "function_call_output":
                if isinstance(item["output"], str):
                    turn.append(at)
                continue
            for place, text in zip(turn, await self.harness.fit((None, items[place]["output"]) for place in turn)):
                if items[place]["output"] != text:
                    items[place] = {**items[place], "output": text}
            turn = []
        return ModelInputData(input=items, instructions=data.model_data.instructions)

    def _tool(self, tool: FunctionTool) -> FunctionTool:
        invoke = tool.on_invoke_tool

        async def shaped(context: Any, text: str) -> Any:
            returned: Any = None

            async def work(_: Any) -> Any:
                nonlocal returned
                returned = await invoke(context, text)
                outputs = returned if isinstance(returned, list) else [returned]
                are_outputs = bool(outputs) and all(_kind(each) in _OUTPUTS for each in outputs)
                return Parts([_text(each) for each in outputs]) if are_outputs else returned

            result = await self.harness.call(tool.name, _arguments(text), work)
            if result.is_unchanged:
                return returned
            if result.has_only_text:
                return result.text
            return [ToolOutputText(text=part) if isinstance(part, str) else part for part in result.parts]

        return dataclasses.replace(tool, on_invoke_tool=shaped)


class _Shaped(MCPServer):
    """An MCP server whose results are shaped; all else is the server's."""

    def __init__(self, inner: MCPServer, harness: Harness) -> None:
        self.__dict__.update(inner.__dict__)
        self._inner: Any = inner
        self._harness = harness

    @property
    def name(self) -> str:
        return str(self._inner.name)

    async def connect(self) -> None:
        await self._inner.connect()

    async def cleanup(self) -> None:
        await self._inner.cleanup()

    async def list_tools(self, *args: Any, **named: Any) -> Any:
        return await self._inner.list_tools(*args, **named)

    async def list_prompts(self) -> Any:
        return await self._inner.list_prompts()

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        return await self._inner.get_prompt(name, arguments)

    async def call_tool(self, tool_name: str, arguments: dict[str, Any] | None, *args: Any, **named: Any) -> Any:
        result: Any = None

        async def work(_: Any) -> Any:
            nonlocal result
            result = await self._inner.call_tool(tool_name, arguments, *args, **named)
            return result.model_dump(mode="json", by_alias=True, exclude_none=True)

        shaped = await self._harness.call(tool_name, arguments or {}, work)
        if result is None:
            raise RuntimeError(shaped.text)
        if shaped.is_unchanged:
            return result
        # The model reads the texts.
        content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in shaped.parts]
        return type(result).model_validate({"content": content, "isError": shaped.is_error})


def _kind(output: Any) -> Any:
    return output.get("type") if isinstance(output, dict) else getattr(output, "type", None)


def _text(output: Any) -> Any:
    if _kind(output) != "text":
        return output
    return output["text"] if isinstance(output, dict) else output.text


def _arguments(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text or "{}")
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


def _own(tool: HarnessTool) -> FunctionTool:
    async def read(_: Any, text: str) -> str:
        return (await tool.call(_arguments(text))).text

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=read,
        strict_json_schema=False,
    )
