"""The tools of agents of LangChain and LangGraph: ``create_agent(model, tools, middleware=[Toolshape()])``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeVar

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import StructuredTool, ToolException
from langgraph.types import Command

from .agents import Adapted, HarnessOptions, HarnessTool, Parts, noting
from .types import Policy

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Toolshape"]

T = TypeVar("T")


class Toolshape(Adapted, AgentMiddleware[Any, Any]):
    """Shapes the results of all tools of an agent, those of MCP servers too, and adds the tool ``read_result``.

    Images and other blocks pass. Interrupts and other control flow pass; of a ``Command`` the message that answers the call is
    shaped. The artifact of a message that was changed is its whole content, unless the tool has an artifact of its own.
    """

    def __init__(self, policy: Policy | None = None, **options: Unpack[HarnessOptions]) -> None:
        super().__init__(policy, **options)
        self.tools = [_tool(each) for each in self.harness.tools]

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        if message := await self._continued(request):
            return message
        held: dict[str, Any] = {}
        try:
            outcome = await handler(_noted(request, held))
        except Exception as error:
            outcome = error
        return await self._shaped(request.tool_call, held, outcome)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        if message := _run(self._continued(request)):
            return message
        held: dict[str, Any] = {}
        try:
            # Outside of a loop, as the tool expects.
            outcome = handler(_noted(request, held))
        except Exception as error:
            outcome = error
        return _run(self._shaped(request.tool_call, held, outcome))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        self._check_names(request)
        return await handler(request)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        self._check_names(request)
        return handler(request)

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        given = list(takewhile(_result, reversed(state["messages"])))[::-1]
        fitted = await self.harness.fit_each(
            given, _result, lambda message, content: message.model_copy(update={"content": content})
        )
        # Messages are replaced by their ids.
        return {"messages": [after for before, after in zip(given, fitted) if after is not before]}

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return _run(self.abefore_model(state, runtime))

    def _check_names(self, request: Any) -> None:
        # A dictionary is a tool of the provider.
        tools = [tool for tool in request.tools if not isinstance(tool, dict)]
        self.harness.refuse_names(tool.name for tool in tools if all(tool is not ours for ours in self.tools))
        self.harness.check_names(tool.name for tool in tools)

    async def _continued(self, request: Any) -> ToolMessage | None:
        """The next part of a stored result, for a cursor that is an argument of another tool, which drops what it does not know."""
        call = request.tool_call
        answer = None if self.harness.reads(call["name"]) else await self.harness.continued(call["args"])
        return None if answer is None else ToolMessage(answer.text, tool_call_id=call["id"], name=call["name"])

    async def _shaped(self, call: Any, held: dict[str, Any], outcome: Any) -> Any:
        """What is sent in place of a message, of a command with one, or of an exception."""
        if isinstance(outcome, Command) and isinstance(outcome.update, dict):
            given = outcome.update.get("messages")
            given = given if isinstance(given, list) else []
            own = {at: each for at, each in enumerate(given) if getattr(each, "tool_call_id", None) == call["id"]}
            shaped = {at: await self._shaped(call, {}, each) for at, each in own.items()}
            messages = [shaped.get(at, each) for at, each in enumerate(given)]
            return replace(outcome, update={**outcome.update, "messages": messages}) if own else outcome
        if isinstance(outcome, ToolMessage):
            content = outcome.content
            # The value, before LangChain writes it as text; unless other middleware has changed the text.
            value = held["value"] if content == held.get("content") and "value" in held else content
            is_text = isinstance(value, str) or not isinstance(content, str)
            value = Parts.of(content, outcome.status == "error") if is_text else value
        elif isinstance(outcome, Exception):
            value = outcome
        else:
            return outcome
        result = await self.harness.after(call["name"], call["args"], value)
        if isinstance(outcome, Exception):
            if result is None:
                raise outcome
            return ToolMessage(result.text, tool_call_id=call["id"], name=call["name"], status="error")
        if result is None:
            return outcome
        # Of an iterator LangChain wrote only its name.
        whole = result.original if isinstance(held.get("value"), (Iterator, AsyncIterator)) else outcome.content
        artifact = whole if outcome.artifact is None else outcome.artifact
        return outcome.model_copy(update={"content": result.content, "artifact": artifact})


def _result(message: Any) -> tuple[str | None, Any] | None:
    return (message.name, message.content) if isinstance(message, ToolMessage) else None


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
    read = tool.reader(ToolException)

    def read_now(**arguments: Any) -> str:
        return _run(read(**arguments))

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        coroutine=read,
        func=read_now,
        # The message of an error then has the status of one.
        handle_tool_error=True,
    )


def _run(work: Coroutine[Any, Any, T]) -> T:
    """The result of asynchronous work in synchronous code, which may be called from a loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
