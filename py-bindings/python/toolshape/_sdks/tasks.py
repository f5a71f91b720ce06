"""Tasks of protocol 2025-11-25, as servers on ``mcp`` 1.x have them: a call may be answered by a task, and ``tasks/result``
then returns what the tool returned."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mcp.types as mt
from mcp import McpError

from ..adapter import Adapter, Plan

Handler = Callable[[Any], Awaitable[mt.ServerResult]]

# The most calls that are remembered. The oldest are dropped, so that tasks that are never fetched do not use memory for ever.
REMEMBERED = 1000


@dataclass(frozen=True)
class Caller:
    """The client's name, and the SDK's context of the call."""

    client: str | None
    context: object


@dataclass
class Tasks:
    """The calls that were answered by a task, by its id."""

    adapter: Adapter
    caller: Callable[[], Caller]
    asked: dict[str, tuple[Plan, Mapping[str, Any]]] = field(default_factory=dict)

    async def start(self, handler: Handler, request: mt.CallToolRequest, plan: Plan) -> mt.ServerResult:
        """Answers a call that is to run as a task; ``McpError`` where its controls are wrong."""
        given, caller = request.params.arguments or {}, self.caller()
        refused = self.adapter.refusal(plan, given, caller.client, caller.context)
        if refused is not None:
            raise McpError(mt.ErrorData(code=mt.INVALID_PARAMS, message=refused))
        answer = await handler(with_arguments(request, plan.own_arguments(given)))
        task = _task_of(answer.root)
        if task is None:
            # The tool answered at once.
            return await self._shaped(plan, given, answer.root)
        self.asked[task] = plan, given
        while len(self.asked) > REMEMBERED:
            del self.asked[next(iter(self.asked))]
        return answer

    async def finish(self, handler: Handler, request: mt.GetTaskPayloadRequest) -> mt.ServerResult:
        """Shapes the result of a task, by the arguments of its call, if it is a tool's."""
        answer = await handler(request)
        known = self.asked.get(request.params.taskId)
        if known is None and "content" not in answer.root.model_dump(by_alias=True, exclude_none=True):
            return answer
        # Another server may have begun it.
        plan, given = known or (self.adapter.plan_unlisted(""), {})
        return await self._shaped(plan, given, answer.root)

    async def _shaped(self, plan: Plan, given: Mapping[str, Any], result: Any) -> mt.ServerResult:
        caller, returned = self.caller(), result.model_dump(mode="json", by_alias=True, exclude_none=True)
        shaped = await self.adapter.finish(plan, given, caller.client, caller.context, returned)
        return mt.ServerResult(type(result).model_validate(shaped))


def _task_of(created: Any) -> str | None:
    """The id of the task that answers a call, if a task does."""
    if isinstance(created, mt.CreateTaskResult):
        return created.task.taskId
    # So `fastmcp` 2.x answers.
    stub: dict[str, str] = (getattr(created, "meta", None) or {}).get("modelcontextprotocol.io/task", {})
    return stub.get("taskId")


def with_arguments(request: mt.CallToolRequest, arguments: dict[str, Any]) -> mt.CallToolRequest:
    """A call with other arguments."""
    return request.model_copy(update={"params": request.params.model_copy(update={"arguments": arguments})})


def client_of(context: Any) -> str | None:
    """The client's name, if it sends one, from a context with a session of ``mcp`` 1.x."""
    parameters = context.session.client_params if context is not None else None
    return parameters.clientInfo.name if parameters else None
