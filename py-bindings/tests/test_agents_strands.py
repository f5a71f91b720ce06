"""Agents of Strands with a scripted model of its interface."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any

import pytest

pytest.importorskip("strands.plugins")

from agent_table import Read, check, check_tests, recorded_spans, rows_of, servers_of
from agent_tools import ERRORS, LOG, POLICY, ROWS, TooManyError, frame
from agent_tools import flaky as flaky_rows
from agent_tools import odd as odd_rows
from mcp import StdioServerParameters, stdio_client
from strands import Agent, ToolContext, tool
from strands.hooks import AfterToolCallEvent
from strands.models import Model
from strands.tools.mcp import MCPClient
from toolshape import MemoryStore, ToolshapeError, count_tokens, expand
from toolshape.strands import Toolshape

IMAGE = {"image": {"format": "png", "source": {"bytes": b"pixels" * 9000}}}


@tool
def rows() -> Any:
    """Rows"""
    return ROWS


@tool
async def table() -> Any:
    """A table"""
    return frame()


@tool
def odd() -> Any:
    """Odd rows"""
    return odd_rows()


@tool
def log() -> str:
    """A log"""
    return LOG


@tool
def few() -> Any:
    """A few"""
    return [1, 2, 3]


@tool
def limited() -> str:
    """Too many"""
    raise TooManyError("Too Many Requests")


@tool
def fails() -> str:
    """Fails"""
    raise ValueError("no such article")


@tool
def shot() -> Any:
    """A picture"""
    return {"status": "success", "content": [IMAGE, {"text": LOG}, {"json": ROWS}]}


@tool(context=True)
def asks(tool_context: ToolContext) -> str:
    """Asks a person"""
    return f"a person says {tool_context.interrupt('ask', reason='word ' * 3000)}"


@tool
async def yields() -> Any:
    """Says how far it is"""
    yield "half"
    yield ROWS


@tool
async def slow() -> str:
    """Takes long"""
    await asyncio.sleep(5)
    return "late"


class Scripted(Model):
    """Calls the tools of each turn, and notes the tools that it is offered."""

    def __init__(self, turns: Any) -> None:
        self.turns = list(turns)
        self.names: list[str] = []

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> Any:
        return {}

    async def structured_output(self, *_: Any, **__: Any) -> Any:
        yield {}

    async def stream(self, messages: Any, tool_specs: Any = None, *_: Any, **__: Any) -> Any:
        self.names = [spec["name"] for spec in tool_specs or []]
        turn = self.turns.pop(0) if self.turns else None
        turn = turn(messages) if callable(turn) else turn
        yield {"messageStart": {"role": "assistant"}}
        for at, (name, arguments) in enumerate(turn or []):
            use = {"name": name, "toolUseId": f"{len(messages)}-{at}"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(arguments)}}}}
            yield {"contentBlockStop": {}}
        if not turn:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if turn else "end_turn"}}


def agent(*turns: Any) -> Agent:
    shape = Toolshape(POLICY, store=MemoryStore())
    clients = [MCPClient(partial(stdio_client, StdioServerParameters(**each))) for each in servers_of(turns).values()]
    tools: list[Any] = [
        *clients,
        rows,
        tool(flaky_rows),
        yields,
        table,
        odd,
        log,
        few,
        limited,
        fails,
        shot,
        asks,
        slow,
    ]
    return Agent(Scripted(turns), tools=tools, plugins=[shape], callback_handler=None)


def results(messages: Any) -> list[Any]:
    blocks = [block for message in messages for block in message["content"]]
    return [block["toolResult"] for block in blocks if "toolResult" in block]


def run(*turns: Any) -> list[Any]:
    given = agent(*turns)
    given("go")
    return results(given.messages)


def text(result: Any) -> str:
    return "".join(block.get("text", "") for block in result["content"])


def reads(turns: Any) -> list[Read]:
    return [(text(result), any("image" in block for block in result["content"])) for result in run(*turns)]


@rows_of("strands")
def test_row(row: Any) -> None:
    check(row, reads)


def test_every_row_has_a_test() -> None:
    check_tests("strands", globals())


def test_a_wrong_call_of_read_result_is_an_error() -> None:
    (read,) = run([("read_result", {"handle": "abcdefghabcdefgh"})])
    assert read["status"] == "error"


def test_a_tool_with_the_name_of_ours_is_refused() -> None:
    @tool
    def read_result() -> str:
        """Reads"""
        return ""

    with pytest.raises(ToolshapeError, match="toolshape adds one of that name"):
        Agent(Scripted([]), tools=[read_result], plugins=[Toolshape(POLICY)], callback_handler=None)


def test_a_trace() -> None:
    names = recorded_spans(lambda: run([("rows", {})]))
    assert [name for name in names if "rows" in name] == ["execute_tool rows"]


def test_a_page_and_a_question_of_read_result() -> None:
    def ask(messages: Any) -> Any:
        cursor = json.loads(text(results(messages)[0]))["nextCursor"]
        return [("read_result", {"cursor": cursor})]

    given = agent([("rows", {})], ask)
    given("go")
    first, second = [json.loads(expand(text(result))) for result in results(given.messages)]
    assert count_tokens(text(results(given.messages)[0])) <= 600
    assert first["totalItems"] == 400
    assert second["items"][0] == ROWS[len(first["items"])]
    assert "read_result" in given.model.names  # type: ignore[attr-defined]


def test_values_and_media() -> None:
    table, log, few, shot, yielded = run(*([(name, {})] for name in ("table", "log", "few", "shot", "yields")))
    assert json.loads(expand(text(yielded)))["items"][0] == ROWS[0]
    assert json.loads(expand(text(table)))["items"][0] == ROWS[0]
    assert count_tokens(text(log)) <= 600
    assert text(few) == "[1, 2, 3]"
    assert shot["content"][0] == IMAGE
    assert count_tokens(text(shot)) <= 600


def test_errors_keep_their_meaning() -> None:
    limited, fails = run([("limited", {})], [("fails", {})])
    assert json.loads(text(limited))["retryAfterSeconds"] == 30
    assert limited["status"] == "error"
    assert (text(fails), fails["status"]) == ("Error: no such article", "error")


def test_results_of_one_turn_are_within_their_sum_and_stay_so() -> None:
    found = run([("rows", {}), ("log", {}), ("table", {}), ("few", {})], [("few", {})])
    assert sum(count_tokens(text(result)) for result in found[:4]) <= 1500
    assert text(found[3]) == "[1, 2, 3]"


def test_a_retry() -> None:
    failed: list[Any] = []

    def again(event: AfterToolCallEvent) -> None:
        event.retry = event.result["status"] == "error"
        failed.extend([event.result] if event.retry else [])

    given = agent([("flaky", {})])
    given.add_hook(again, AfterToolCallEvent)
    ERRORS.append(ValueError("try again"))
    given("go")
    (page,) = results(given.messages)
    assert [text(each) for each in failed] == ["Error: try again"]
    assert json.loads(text(page))["totalItems"] == 400


def test_an_interrupt_passes() -> None:
    given = agent([("asks", {})])
    stopped = given("go")
    assert stopped.stop_reason == "interrupt"
    (asked,) = stopped.interrupts
    assert asked.reason == "word " * 3000
    given([{"interruptResponse": {"interruptId": asked.id, "response": "yes"}}])
    assert text(results(given.messages)[0]) == "a person says yes"


def test_a_cancelled_run() -> None:
    async def work() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(agent([("slow", {})]).invoke_async("go"), 0.3)

    asyncio.run(work())


def test_a_stream() -> None:
    async def work() -> Any:
        given = agent([("rows", {})])
        events = [event async for event in given.stream_async("go")]
        return events, given

    events, given = asyncio.run(work())
    assert events
    assert json.loads(text(results(given.messages)[0]))["totalItems"] == 400
