"""The tools of agents of LangChain and LangGraph: ``create_agent(model, tools, middleware=[Toolshape()])``."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
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
        held: dict[str, Any] = {}
        try:
            outcome = await handler(_noted(request, held))
        except Exception as error:
            outcome = error
        return await self._shaped(request, held, outcome)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        held: dict[str, Any] = {}
        try:
            # Outside of a loop, as the tool expects.
            outcome = handler(_noted(request, held))
        except Exception as error:
            outcome = error
        return _run(self._shaped(request, held, outcome))

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

    async def _shaped(self, request: Any, held: dict[str, Any], outcome: Any) -> Any:
        """The message in place of one, or of an exception."""
        call = request.tool_call

        def work(_: Any) -> Any:
            if isinstance(outcome, Exception):
                raise outcome
            content = outcome.content
            # The value, before LangChain writes it as text; unless other middleware has changed the text.
            value = held["value"] if content == held.get("content") and "value" in held else content
            if not isinstance(value, str) and not _are_blocks(value):
                return value
            return Parts.of(_blocks(content), outcome.status == "error")

        if self.harness.reads(call["name"]) and isinstance(outcome, Exception):
            raise outcome
        if self.harness.reads(call["name"]) or not isinstance(outcome, (ToolMessage, Exception)):
            return outcome
        result = await self.harness.call(call["name"], call["args"], work)
        if isinstance(outcome, Exception):
            return ToolMessage(result.text, tool_call_id=call["id"], name=call["name"], status="error")
        if result.is_unchanged:
            return outcome
        artifact = outcome.content if outcome.artifact is None else outcome.artifact
        return outcome.model_copy(update={"content": result.content, "artifact": artifact})


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


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _noted(request: Any, held: dict[str, Any]) -> Any:
    """The same request, whose tool notes what its function returns."""
    tool = request.tool
    if not isinstance(tool, StructuredTool):
        return request

    def note(returned: Any) -> None:
        is_pair = tool.response_format == "content_and_artifact" and isinstance(returned, tuple)
        held["value"] = returned[0] if is_pair else returned

    functions = {"coroutine": tool.coroutine, "func": tool.func}
    copy = tool.model_copy(update={name: noting(each, note) for name, each in functions.items() if each is not None})
    for name in ("invoke", "ainvoke"):
        made = noting(getattr(copy, name), lambda message: held.update(content=getattr(message, "content", None)))
        object.__setattr__(copy, name, made)
    return request.override(tool=copy)


def _tool(tool: HarnessTool) -> StructuredTool:
    def read_now(**arguments: Any) -> str:
        return _run(tool.read(**arguments))

    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.parameters, coroutine=tool.read, func=read_now
    )


def _run(work: Coroutine[Any, Any, T]) -> T:
    """The result of asynchronous work in synchronous code, which may be called from a loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
