"""The tools of agents of LangChain and LangGraph: ``create_agent(model, tools, middleware=[Toolshape()])``."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import StructuredTool

from .agents import Harness, HarnessOptions, HarnessResult, HarnessTool, Parts
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
        seen = request.override(tool=_noting(request.tool, held))
        return await self._shaped(request, held, lambda: handler(seen))

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        if self._is_ours(request):
            return handler(request)
        held: dict[str, Any] = {}
        try:
            # Outside of a loop, as the tool expects.
            message = handler(request.override(tool=_noting(request.tool, held)))
        except Exception as error:
            return _run(self._shaped(request, held, functools.partial(_raise, error)))
        return _run(self._shaped(request, held, lambda: message))

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        tail: list[ToolMessage] = []
        for message in reversed(state["messages"]):
            if not isinstance(message, ToolMessage):
                break
            tail.insert(0, message)
        texts = [message for message in tail if isinstance(message.content, str)]
        fitted = await self.harness.fit((message.name, str(message.content)) for message in texts)
        pairs = [(message, text) for message, text in zip(texts, fitted) if message.content != text]
        changed = [message.model_copy(update={"content": text}) for message, text in pairs]
        # Messages are replaced by their ids.
        return {"messages": changed} if changed else None

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return _run(self.abefore_model(state, runtime))

    def _is_ours(self, request: Any) -> bool:
        return request.tool is None or any(tool.name == request.tool_call["name"] for tool in self.harness.tools)

    async def _shaped(self, request: Any, held: dict[str, Any], run: Callable[[], Any]) -> Any:
        call = request.tool_call

        async def work(_: Any) -> Any:
            message = run()
            message = held["message"] = await message if isinstance(message, Awaitable) else message
            if not isinstance(message, ToolMessage):
                raise _PassError
            is_error = message.status == "error"
            # The value, before LangChain writes it as text.
            if "value" in held and not is_error and not isinstance(held["value"], (str, list, ToolMessage)):
                return held["value"]
            if "value" in held and not is_error and isinstance(held["value"], list) and not _are_blocks(held["value"]):
                return held["value"]
            blocks = [message.content] if isinstance(message.content, str) else message.content
            return Parts([_text(each) for each in blocks], is_error)

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
        return message.model_copy(update={"content": _content(result), "artifact": artifact})


class _PassError(Exception):
    """What a tool returned is not a message."""


def _content(result: HarnessResult) -> Any:
    if result.has_only_text:
        return result.text
    return [{"type": "text", "text": part} if isinstance(part, str) else part for part in result.parts]


def _text(block: Any) -> Any:
    return block["text"] if isinstance(block, dict) and block.get("type") == "text" else block


def _are_blocks(value: list[Any]) -> bool:
    """Whether a list is content of a message."""
    return bool(value) and all(isinstance(each, dict) and isinstance(each.get("type"), str) for each in value)


def _noting(tool: Any, held: dict[str, Any]) -> Any:
    """The same tool, which notes what its function returns: LangChain makes text of it before any hook."""
    if not isinstance(tool, StructuredTool):
        return tool

    def noted(returned: Any) -> Any:
        is_pair = tool.response_format == "content_and_artifact" and isinstance(returned, tuple)
        held["value"] = returned[0] if is_pair else returned
        return returned

    update: dict[str, Any] = {}
    if (given := tool.coroutine) is not None:

        @functools.wraps(given)
        async def coroutine(*args: Any, **named: Any) -> Any:
            return noted(await given(*args, **named))

        update["coroutine"] = coroutine
    if (own := tool.func) is not None:

        @functools.wraps(own)
        def func(*args: Any, **named: Any) -> Any:
            return noted(own(*args, **named))

        update["func"] = func
    return tool.model_copy(update=update)


def _tool(tool: HarnessTool) -> StructuredTool:
    async def read(**arguments: Any) -> str:
        return (await tool.call(arguments)).text

    def read_now(**arguments: Any) -> str:
        return _run(read(**arguments))

    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.parameters, coroutine=read, func=read_now
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
