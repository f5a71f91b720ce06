"""The tools of agents of LangChain and LangGraph: ``create_agent(model, tools, middleware=[Toolshape()])``."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine
from itertools import takewhile
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import StructuredTool

from .agents import Harness, HarnessOptions, HarnessTool, Parts, noting
from .types import Policy

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Toolshape"]

T = TypeVar("T")


class Toolshape(AgentMiddleware[Any, Any]):
    """Shapes the results of all tools of an agent, those of MCP servers too, and adds the tool ``read_result``.

    Images and other blocks pass. Interrupts, commands and other control flow pass. The artifact of a message that was changed is its whole
    content, unless the tool has an artifact of its own. Raises ``ToolshapeError``: ``INVALID_POLICY``, ``INVALID_CALL``.
    """

    def __init__(self, policy: Policy | None = None, **options: Unpack[HarnessOptions]) -> None:
        super().__init__()
        self.harness = Harness(policy, **options)
        self.tools = [_tool(each) for each in self.harness.tools]

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        if self._is_ours(request):
            return await handler(request)
        held: dict[str, Any] = {}
        seen = request.override(tool=_noted(request.tool, held))
        return await self._shaped(request, held, lambda: handler(seen))

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        if self._is_ours(request):
            return handler(request)
        held: dict[str, Any] = {}
        try:
            # Outside of a loop, as the tool expects.
            message = handler(request.override(tool=_noted(request.tool, held)))
        except Exception as error:
            return _run(self._shaped(request, held, functools.partial(_raise, error)))
        return _run(self._shaped(request, held, lambda: message))

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        given = list(takewhile(_result, reversed(state["messages"])))[::-1]
        fitted = await self.harness.fit_each(
            given, _result, lambda message, text: message.model_copy(update={"content": text})
        )
        changed = [after for before, after in zip(given, fitted) if after is not before]
        # Messages are replaced by their ids.
        return {"messages": changed} if changed else None

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return _run(self.abefore_model(state, runtime))

    def _is_ours(self, request: Any) -> bool:
        return request.tool is None or self.harness.reads(request.tool_call["name"])

    async def _shaped(self, request: Any, held: dict[str, Any], run: Callable[[], Any]) -> Any:
        call = request.tool_call

        async def work(_: Any) -> Any:
            message = run()
            message = held["message"] = await message if isinstance(message, Awaitable) else message
            if not isinstance(message, ToolMessage):
                raise _PassError
            is_error = message.status == "error"
            value = held.get("value", message)
            # The value, before LangChain writes it as text.
            if not is_error and not isinstance(value, (str, ToolMessage)) and not _are_blocks(value):
                return value
            if isinstance(message.content, str):
                return Parts([message.content], is_error)
            return Parts.of(message.content, is_error)

        try:
            result = await self.harness.call(call["name"], call["args"], work)
        except _PassError:
            return held["message"]
        message = held.get("message")
        if message is None:
            return ToolMessage(result.text, tool_call_id=call["id"], name=call["name"], status="error")
        if result.is_unchanged:
            return message
        artifact = message.content if message.artifact is None else message.artifact
        content = result.text if result.has_only_text else result.blocks
        return message.model_copy(update={"content": content, "artifact": artifact})


class _PassError(Exception):
    """What a tool returned is not a message."""


def _result(message: Any) -> tuple[str | None, str | None] | None:
    if not isinstance(message, ToolMessage):
        return None
    return message.name, message.content if isinstance(message.content, str) else None


def _are_blocks(value: Any) -> bool:
    """Whether a value is content of a message."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, dict) and isinstance(each.get("type"), str) for each in value)
    )


def _noted(tool: Any, held: dict[str, Any]) -> Any:
    """The same tool, which notes what its function returns."""
    if not isinstance(tool, StructuredTool):
        return tool

    def note(returned: Any) -> None:
        is_pair = tool.response_format == "content_and_artifact" and isinstance(returned, tuple)
        held["value"] = returned[0] if is_pair else returned

    functions = {"coroutine": tool.coroutine, "func": tool.func}
    return tool.model_copy(update={name: noting(each, note) for name, each in functions.items() if each is not None})


def _tool(tool: HarnessTool) -> StructuredTool:
    def read_now(**arguments: Any) -> str:
        return _run(tool.read(**arguments))

    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.parameters, coroutine=tool.read, func=read_now
    )


def _raise(error: Exception) -> None:
    raise error


def _run(work: Coroutine[Any, Any, T]) -> T:
    """The result of asynchronous work in synchronous code, which may be called from a loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    result: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            result.append(asyncio.run(work))
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return result[0]
