"""The tools of agents of Strands: ``Agent(model, tools=tools, plugins=[Toolshape()])``."""

from __future__ import annotations

import copy
import json
from typing import Any

from strands.hooks import AfterToolCallEvent, BeforeModelCallEvent, BeforeToolCallEvent
from strands.plugins import Plugin
from strands.tools.decorator import DecoratedFunctionTool
from strands.tools.tools import PythonAgentTool

from .agents import Adapted, HarnessTool, Parts, noting

__all__ = ["Toolshape"]


class Toolshape(Adapted, Plugin):
    """Shapes the results of all tools of an agent, those of MCP servers too, and adds the tool ``read_result``.

    Images and documents pass. Interrupts and cancellations pass.
    """

    name = "toolshape"

    def init_agent(self, agent: Any) -> None:
        # What tools returned, before Strands writes it as text, by the id of the call.
        self._values: dict[str, Any] = {}
        self.harness.refuse_names(agent.tool_registry.registry)
        agent.tool_registry.process_tools([_tool(each) for each in self.harness.tools])
        agent.add_hook(self._before_tool, BeforeToolCallEvent)
        agent.add_hook(self._after_tool, AfterToolCallEvent)
        agent.add_hook(self._before_model, BeforeModelCallEvent)

    async def _before_tool(self, event: BeforeToolCallEvent) -> None:
        tool: Any = event.selected_tool
        if isinstance(tool, DecoratedFunctionTool):
            key = event.tool_use["toolUseId"]
            noted: Any = copy.copy(tool)
            noted._tool_func = noting(noted._tool_func, lambda value: self._values.update({key: value}))
            event.selected_tool = noted

    async def _after_tool(self, event: AfterToolCallEvent) -> None:
        use, result = event.tool_use, event.result
        value = self._values.pop(use["toolUseId"], None)
        if value is None or isinstance(value, str) or (isinstance(value, dict) and "content" in value):
            value = Parts.of(map(_block, result["content"]), result["status"] == "error")
        # An error that stays is in the result already.
        shaped = await self.harness.after(use["name"], use["input"], event.exception or value)
        if shaped and not event.cancel_message:
            content: Any = [{"text": part} if isinstance(part, str) else part for part in shaped.parts]
            event.result = {**result, "content": content}

    async def _before_model(self, event: BeforeModelCallEvent) -> None:
        self.harness.check_names(event.agent.tool_registry.registry)
        messages: Any = event.agent.messages[-2:]
        calls = [block["toolUse"] for message in messages for block in message["content"] if "toolUse" in block]
        names = {call["toolUseId"]: call["name"] for call in calls}
        results = [block["toolResult"] for block in messages[-1]["content"] if "toolResult" in block]
        texts = [(result, block) for result in results for block in result["content"] if "text" in block]
        await self.harness.fit_each(texts, lambda each: (names.get(each[0]["toolUseId"]), each[1]["text"]), _put)


def _put(each: Any, text: str) -> Any:
    # In place, so that it stays in the history.
    each[1]["text"] = text
    return each


def _block(block: Any) -> Any:
    return {"text": json.dumps(block["json"], ensure_ascii=False, default=str)} if "json" in block else block


def _tool(tool: HarnessTool) -> PythonAgentTool:
    async def read(tool_use: Any, **_: Any) -> Any:
        result = await tool.call(tool_use["input"])
        status = "error" if result.is_error else "success"
        return {"toolUseId": tool_use["toolUseId"], "status": status, "content": [{"text": result.text}]}

    spec: Any = {"name": tool.name, "description": tool.description, "inputSchema": {"json": tool.parameters}}
    return PythonAgentTool(tool.name, spec, read)
