"""The tools of agents of Google's ADK: ``App(name=name, root_agent=agent, plugins=[Toolshape()])``."""

from __future__ import annotations

import json
from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.genai import types

from .agents import Adapted, HarnessTool, Parts

__all__ = ["Toolshape"]

# What ADK can send as it is.
_WRITTEN = (str, dict, list, int, float, types.Part, types.Blob)


class Toolshape(Adapted, BasePlugin):
    """Shapes the results of all tools of agents, those of MCP servers too, and adds the tool ``read_result``.

    Media pass.
    """

    init = ("toolshape",)

    async def after_tool_callback(self, *, tool: BaseTool, tool_args: Any, tool_context: Any, result: Any) -> Any:
        if self.harness.reads(tool.name) or isinstance(result, (types.FunctionResponse, type(None))):
            return None
        members = result if isinstance(result, dict) else {}
        media = {name: value for name, value in members.items() if _has_media(value)}
        value = {name: value for name, value in members.items() if name not in media} if media else result
        if _has_media(result):
            value = Parts.of(result if isinstance(result, list) else [result])
        shaped = await self.harness.call(tool.name, tool_args, lambda _: value)
        if shaped.is_unchanged and isinstance(result, _WRITTEN):
            return None
        if isinstance(members.get("content"), list):
            return {"content": shaped.blocks, "isError": shaped.is_error}
        return {"result": shaped.text if shaped.has_only_text else list(shaped.parts), **media}

    async def on_tool_error_callback(self, *, tool: BaseTool, tool_args: Any, tool_context: Any, error: Any) -> Any:
        shaped = await self.harness.after(tool.name, tool_args, error)
        return shaped and {"error": shaped.text}

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        named = llm_request.tools_dict.items()
        self.harness.refuse_names(name for name, tool in named if not isinstance(tool, _Read))
        agent = callback_context._invocation_context.agent
        # The tools of other agents are in their own requests.
        if agent.parent_agent is None and not agent.sub_agents:
            self.harness.check_names(llm_request.tools_dict)
        llm_request.append_tools(
            [_Read(tool) for tool in self.harness.tools if tool.name not in llm_request.tools_dict]
        )
        for content in llm_request.contents:
            parts = [part for part in content.parts or [] if part.function_response]
            await self.harness.fit_each(parts, _result, _put)


def _has_media(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(isinstance(each, (types.Part, types.Blob)) for each in values)


def _result(part: Any) -> tuple[str | None, Any]:
    return part.function_response.name, _content(part.function_response.response)


def _content(response: dict[str, Any]) -> Any:
    """What a model reads of a response but for media: its text, its blocks, or its JSON."""
    members = {name: value for name, value in response.items() if not _has_media(value)}
    if isinstance(blocks := members.get("content"), list):
        return blocks
    if len(members) == 1 and isinstance(text := members.get("result", members.get("error")), str):
        return text
    return json.dumps(members, ensure_ascii=False, default=str) if members == response else None


def _put(part: Any, content: Any) -> Any:
    response = part.function_response.response
    if isinstance(content, list):
        new = {"content": content, "isError": bool(response.get("isError"))}
    else:
        media = {name: value for name, value in response.items() if _has_media(value)}
        new = {"error" if "error" in response else "result": content, **media}
    part.function_response.response = new
    return part


class _Read(BaseTool):
    def __init__(self, tool: HarnessTool) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._tool = tool

    def _get_declaration(self) -> types.FunctionDeclaration:
        parameters = self._tool.parameters
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=parameters
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
        answer = await self._tool.call(args)
        return {"error" if answer.is_error else "result": answer.text}
