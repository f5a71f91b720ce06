"""The tools of agents of ``pydantic-ai``: ``Agent(model, capabilities=[Toolshape()])``."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

from pydantic_ai import FunctionToolset, ModelRetry, Tool, ToolReturn, exceptions
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelRequest, ToolReturnPart, is_multi_modal_content

from .agents import Adapted, Parts

__all__ = ["Toolshape"]

# Older versions have only the error that counts as a retry.
_Failed: Any = getattr(exceptions, "ToolFailed", ModelRetry)


class Toolshape(Adapted, AbstractCapability[Any]):
    """Shapes the results of all tools of an agent, those of MCP servers too, and adds the tool ``read_result``.

    Media pass, and the metadata of a ``ToolReturn``. ``ModelRetry``, deferred calls and approvals keep their meaning.
    """

    def get_toolset(self) -> Any:
        return FunctionToolset(
            [
                Tool.from_schema(each.reader(_Failed), each.name, each.description, each.parameters)
                for each in self.harness.tools
            ]
        )

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        if self.harness.reads(tool_def.name):
            return await handler(args)
        media: list[Any] = []

        def read(returned: Any) -> Any:
            value = _value(returned)
            parts = value if isinstance(value, list) else [value]
            media.extend(filter(is_multi_modal_content, parts))
            rest = [part for part in parts if not is_multi_modal_content(part)]
            return value if not media else rest[0] if len(rest) == 1 else rest

        try:
            result = await self.harness.call(tool_def.name, args, handler, read)
        except ModelRetry as retry:
            # The model reads it too, and MCP's errors come so.
            shaped = await self.harness.after(tool_def.name, args, Parts([retry.message], is_error=True))
            raise (ModelRetry(shaped.text) if shaped else retry) from retry
        returned = result.original
        is_own = result.is_unchanged and _is_written(returned)
        value = _value(returned) if is_own else [result.text, *media] if media else result.text
        if not isinstance(returned, ToolReturn):
            return value
        whole = copy.copy(returned)
        whole.return_value = value
        if returned.content is not None:
            # The model reads it as a message of the user.
            content = await self.harness.after(tool_def.name, {}, Parts.of(returned.content))
            whole.content = content.parts if content else returned.content
        return whole

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        self.harness.check_names(tool.name for tool in request_context.model_request_parameters.function_tools)
        last = request_context.messages[-1]
        if isinstance(last, ModelRequest):
            parts = [part for part in last.parts if isinstance(part, ToolReturnPart)]
            await self.harness.fit_each(parts, lambda part: (part.tool_name, part.model_response_str()), _put)
        return request_context


def _value(returned: Any) -> Any:
    return returned.return_value if isinstance(returned, ToolReturn) else returned


def _is_written(returned: Any) -> bool:
    """Whether the framework can write a value for the model."""
    with suppress(Exception):
        ToolReturnPart("tool", _value(returned)).model_response_str()
        return True
    return False


def _put(part: ToolReturnPart, text: str) -> ToolReturnPart:
    content = part.content if isinstance(part.content, list) else [part.content]
    media = [each for each in content if is_multi_modal_content(each)]
    # In place, so that it stays in the history.
    part.content = [text, *media] if media else text
    return part
