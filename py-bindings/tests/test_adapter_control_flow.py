"""What a framework raises to stop, pause or redirect a run passes unchanged, however long it is; a failure of the same length is
a result within the budget."""

from __future__ import annotations

import asyncio
import concurrent.futures
import sys
from typing import Any

import anyio
import mcp
import pytest
from toolshape import Shaper
from toolshape.adapter import Adapter, Caller

if sys.version_info < (3, 11):
    from exceptiongroup import ExceptionGroup

LONG = "Approve the refund of order 7? " * 2000
ProtocolError: Any = getattr(mcp, "MCPError", None) or mcp.McpError  # type: ignore[attr-defined]


def of(module: str, name: str, base: type[Exception] = Exception) -> type[Exception]:
    """A class as a package that is not installed here defines it."""
    return type(name, (base,), {"__module__": module})


def protocol_error() -> Exception:
    try:
        made: Exception = ProtocolError(-32001, LONG)
    except TypeError:
        import mcp.types as mt

        made = ProtocolError(mt.ErrorData(code=-32001, message=LONG))
    return made


def wrapped(error: Exception) -> Exception:
    """As the SDKs wrap what a tool raises."""
    made = RuntimeError(f"Error executing tool refund: {error}")
    made.__cause__ = error
    return made


BUBBLE_UP = of("langgraph.errors", "GraphBubbleUp")
INTERRUPT = of("langgraph.errors", "GraphInterrupt", BUBBLE_UP)
PASSING: dict[str, BaseException] = {
    "langgraph interrupt": INTERRUPT(LONG),
    "langgraph interrupt in a wrapper": wrapped(INTERRUPT(LONG)),
    "an author's interrupt": of("my.tools", "Pause", INTERRUPT)(LONG),
    "asyncio cancelled": asyncio.CancelledError(LONG),
    "interrupted": KeyboardInterrupt(LONG),
    "exit": SystemExit(LONG),
    "future cancelled": concurrent.futures.CancelledError(LONG),
    "model sdk aborted": of("openai", "APIUserAbortError")(LONG),
    "pydantic deferred": of("pydantic_ai.exceptions", "CallDeferred")(LONG),
    "pydantic approval": of("pydantic_ai.exceptions", "ApprovalRequired")(LONG),
    "celery retry": of("celery.exceptions", "Retry", of("celery.exceptions", "TaskPredicate"))(LONG),
    "protocol": protocol_error(),
    "a group of such": ExceptionGroup(LONG, [INTERRUPT(LONG)]),
}
SHAPED: dict[str, Exception] = {
    "a failure": ValueError(LONG),
    "a failure in a wrapper": wrapped(ValueError(LONG)),
    "a timeout": TimeoutError(LONG),
    "a group with a failure": ExceptionGroup(LONG, [INTERRUPT(LONG), ValueError(LONG)]),
    "another package's class of a name": of("billing", "GraphInterrupt")(LONG),
    "another package's approval": of("billing", "ApprovalRequired")(LONG),
    "a recursion limit": of("langgraph.errors", "GraphRecursionError", RecursionError)(LONG),
}


def run(error: BaseException) -> Any:
    adapter = Adapter({"max_tokens": 300}, on_receipt=lambda receipt: None)
    plan = adapter.plan({"name": "refund", "inputSchema": {"type": "object", "properties": {}}})

    async def work(own: dict[str, Any]) -> object:
        raise error

    async def call() -> Any:
        try:
            return await adapter.run(plan, {}, Caller(None, None), work)
        except BaseException as raised:
            return raised

    return anyio.run(call)


@pytest.mark.parametrize("name", PASSING)
def test_passes(name: str) -> None:
    assert run(PASSING[name]) is PASSING[name]


@pytest.mark.parametrize("name", SHAPED)
def test_is_a_result(name: str) -> None:
    result = run(SHAPED[name])
    assert isinstance(result, dict) and result["isError"] and len(result["content"][0]["text"]) < 3000


def test_a_shaper_makes_no_result_of_it() -> None:
    shaper = Shaper(max_tokens=300)
    assert shaper.thrown_result(INTERRUPT(LONG)) is None
    assert shaper.thrown_result(ValueError(LONG)) is not None
