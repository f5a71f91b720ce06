"""Agents of Google's ADK with a scripted model of its interface."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("google.adk")

from agent_table import Read, check, check_tests, recorded_spans, rows_of, servers_of
from agent_tools import ERRORS, LOG, POLICY, ROWS, TooManyError, flaky, frame
from agent_tools import odd as odd_rows
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmResponse
from google.adk.plugins.reflect_retry_tool_plugin import ReflectAndRetryToolPlugin
from google.adk.runners import InMemoryRunner
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from google.genai import types
from mcp import StdioServerParameters
from toolshape import MemoryStore, count_tokens, expand
from toolshape.google_adk import Toolshape

IMAGE = types.Part.from_bytes(data=b"pixels" * 9000, mime_type="image/png")


def rows() -> Any:
    """Rows"""
    return ROWS


async def table() -> Any:
    """A table"""
    return frame()


def odd() -> Any:
    """Odd rows"""
    return odd_rows()


def log() -> Any:
    """A log"""
    return LOG


def few() -> Any:
    """A few"""
    return [1, 2, 3]


def limited() -> Any:
    """Too many"""
    raise TooManyError("Too Many Requests")


def fails() -> Any:
    """Fails"""
    raise ValueError("no such article")


def shot() -> Any:
    """A picture"""
    return {"picture": IMAGE, "log": LOG}


def served() -> Any:
    """A result of MCP"""
    return {"content": [{"type": "text", "text": json.dumps(ROWS)}], "isError": False}


def named() -> Any:
    """An object that fits"""
    return {"rows": ROWS[:40]}


async def slow() -> Any:
    """Takes long"""
    await asyncio.sleep(5)


class Scripted(BaseLlm):
    """Calls the tools of each turn, and notes what it reads."""

    turns: list[Any]
    read: list[Any] = []  # noqa: RUF012
    names: list[str] = []  # noqa: RUF012

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        self.names = list(llm_request.tools_dict)
        parts = [part for content in llm_request.contents for part in content.parts]
        self.read = [part.function_response for part in parts if part.function_response]
        turn = self.turns.pop(0) if self.turns else None
        turn = turn(self.read) if callable(turn) else turn
        calls = [types.Part.from_function_call(name=name, args=args) for name, args in turn or []]
        yield LlmResponse(content=types.Content(role="model", parts=calls or [types.Part(text="done")]))


async def ran(*turns: Any, plugins: Any = (), said: Any = None, more: Any = ()) -> tuple[Scripted, list[Any]]:
    """The model after a run, and its events. ``said`` makes the answer of a person to the events of a run that waits for it."""
    model = Scripted(model="scripted", turns=list(turns))
    asked = FunctionTool(rows, require_confirmation=True)
    asked.name = "asked"
    tools: Any = [rows, flaky, table, odd, log, few, limited, fails, shot, served, named, slow, asked, *more]
    for server in servers_of(turns).values():
        connection = StdioConnectionParams(server_params=StdioServerParameters(**server), timeout=60)
        tools.append(McpToolset(connection_params=connection))
    shape = Toolshape(POLICY, store=MemoryStore())
    app = App(name="app", root_agent=LlmAgent(name="agent", model=model, tools=tools), plugins=[shape, *plugins])
    runner = InMemoryRunner(app=app)
    await runner.session_service.create_session(app_name="app", user_id="user", session_id="1")

    async def events_of(part: types.Part) -> list[Any]:
        message = types.Content(role="user", parts=[part])
        return [event async for event in runner.run_async(user_id="user", session_id="1", new_message=message)]

    events = await events_of(types.Part(text="go"))
    return model, events if said is None else await events_of(said(events))


def run(*turns: Any) -> list[Any]:
    """What the model read of the tools in the end."""
    return asyncio.run(ran(*turns))[0].read


def result(read: Any) -> Any:
    return read.response["result"]


def text_of(read: Any) -> str:
    if blocks := read.response.get("content"):
        return "".join(block["text"] for block in blocks)
    given = read.response.get("result", read.response.get("error", read.response))
    return given if isinstance(given, str) else json.dumps(given)


def reads(turns: Any) -> list[Read]:
    return [(text_of(read), "picture" in read.response or bool(read.parts)) for read in run(*turns)]


@rows_of("google_adk")
def test_row(row: Any) -> None:
    check(row, reads)


def test_every_row_has_a_test() -> None:
    check_tests("google_adk", globals())


def test_a_stream() -> None:
    _, events = asyncio.run(ran([("rows", {})]))
    kinds = [[bool(part.function_response) for part in event.content.parts] for event in events]
    assert kinds == [[False], [True], [False]]
    (response,) = events[1].get_function_responses()
    assert json.loads(response.response["result"])["totalItems"] == 400


def test_a_trace() -> None:
    names = recorded_spans(lambda: run([("rows", {})]))
    assert [name for name in names if "rows" in name] == ["execute_tool rows"]


def test_a_retry() -> None:
    ERRORS.append(ValueError("try again"))
    model, _ = asyncio.run(ran([("flaky", {})], [("flaky", {})], plugins=[ReflectAndRetryToolPlugin()]))
    failed, page = model.read
    assert failed.response["error_details"] == "try again"
    assert json.loads(result(page))["totalItems"] == 400


def test_an_interrupt_passes() -> None:
    def said(events: Any) -> types.Part:
        (call,) = [call for event in events for call in event.get_function_calls() if "confirmation" in call.name]
        answer = types.FunctionResponse(id=call.id, name=call.name, response={"confirmed": True})
        return types.Part(function_response=answer)

    model, _ = asyncio.run(ran([("asked", {})], said=said))
    assert json.loads(result(model.read[-1]))["totalItems"] == 400


def test_a_page_and_a_question_of_read_result() -> None:
    def ask(read: Any) -> Any:
        return [("read_result", {"cursor": json.loads(result(read[0]))["nextCursor"]})]

    model, events = asyncio.run(ran([("rows", {})], ask))
    first, second = [json.loads(expand(result(read))) for read in model.read]
    assert count_tokens(result(model.read[0])) <= 600
    assert first["totalItems"] == 400
    assert second["items"][0] == ROWS[len(first["items"])]
    assert "read_result" in model.names
    assert len(events) == 5


def test_a_wrong_call_of_read_result_is_an_error() -> None:
    (read,) = run([("read_result", {"handle": "abcdefghabcdefgh"})])
    assert list(read.response) == ["error"]


def test_a_tool_with_the_name_of_ours_is_refused() -> None:
    def read_result() -> str:
        """Reads"""
        return ""

    with pytest.raises(Exception, match="toolshape adds one of that name"):
        asyncio.run(ran(more=[read_result]))


def test_values_and_media() -> None:
    table, log, few, shot, served = run(*([(name, {})] for name in ("table", "log", "few", "shot", "served")))
    assert json.loads(expand(result(table)))["items"][0] == ROWS[0]
    assert count_tokens(result(log)) <= 600
    assert result(few) == [1, 2, 3]
    assert shot.parts or shot.response["picture"]
    assert count_tokens(result(shot)) <= 600
    (block,) = served.response["content"]
    assert json.loads(block["text"])["totalItems"] == 400


def test_errors_keep_their_meaning() -> None:
    (limited,) = run([("limited", {})])
    assert json.loads(limited.response["error"])["retryAfterSeconds"] == 30
    with pytest.raises(ValueError, match="no such article"):
        run([("fails", {})])


def test_results_of_one_turn_are_within_their_sum_and_stay_so() -> None:
    names = ["rows", "log", "served", "served", "named", "few"]
    read = run([(name, {}) for name in names], [("few", {})])
    assert sum(count_tokens(text_of(each)) for each in read[:-1]) <= 1500
    assert [each.name for each in read] == [*names, "few"]
    assert result(read[-2]) == [1, 2, 3]


def test_a_cancelled_run() -> None:
    async def work() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(ran([("slow", {})]), 0.5)

    asyncio.run(work())
