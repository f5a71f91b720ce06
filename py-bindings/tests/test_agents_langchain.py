"""Agents of LangChain with its own fake model."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("langchain")

from agent_table import Read, check, check_tests, rows_of
from agent_tools import ERRORS, LOG, POLICY, ROWS, TooManyError, frame
from agent_tools import flaky as flaky_rows
from agent_tools import odd as odd_rows
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolRetryMiddleware
from langchain.tools import ToolRuntime
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from toolshape import MemoryStore, ToolshapeError, count_tokens, expand
from toolshape.langchain import Toolshape

IMAGE = {"type": "image", "base64": "cGl4ZWxz" * 9000, "mime_type": "image/png"}


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
async def log() -> str:
    """A log"""
    return LOG


@tool
def few() -> Any:
    """A few"""
    return "[1,2,3]"


@tool
def blocks() -> Any:
    """Blocks that fit"""
    return [{"type": "text", "text": "word " * 500}]


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
    return [IMAGE, {"type": "text", "text": LOG}]


@tool(response_format="content_and_artifact")
def noted() -> Any:
    """Rows with an artifact"""
    return ROWS, {"of": "the user interface"}


@tool
def commands(runtime: ToolRuntime) -> Any:
    """A command with rows"""
    return Command(update={"messages": [ToolMessage(LOG, tool_call_id=runtime.tool_call_id)]})


@tool
def each() -> Any:
    """Rows, one after the other"""
    yield from ROWS


@tool
def asks(count: int) -> str:
    """Asks a person"""
    return "a person says " + interrupt({"draft": "word " * count})


@tool
async def slow() -> str:
    """Takes long"""
    await asyncio.sleep(5)
    return "late"


TOOLS = [rows, tool(flaky_rows), table, odd, log, few, blocks, limited, fails, shot, noted, commands, each, asks, slow]


ASKED: Any = {"messages": [("user", "go")]}


class Model(FakeMessagesListChatModel):
    names: list[str] = []  # noqa: RUF012

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        self.names[:] = [each.name for each in tools]
        return self


def agent(
    *turns: Any, around: Any = (), within: Any = (), tools: Any = TOOLS, **options: Any
) -> tuple[Any, Any, Toolshape]:
    shape = Toolshape(POLICY, store=MemoryStore())
    calls = [
        AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"{at}-{name}"} for name, args in turn])
        for at, turn in enumerate(turns)
    ]
    model = Model(responses=[*calls, AIMessage("done")])
    return create_agent(model, tools, middleware=[*around, shape, *within], **options), model, shape


def run(*turns: Any) -> list[Any]:
    """The messages of tools in the end, from a run in a loop."""
    given, _, _ = agent(*turns)
    result = asyncio.run(given.ainvoke(ASKED))
    return [message for message in result["messages"] if isinstance(message, ToolMessage)]


def reads(turns: Any) -> list[Read]:
    def one(message: Any) -> Read:
        blocks = [message.content] if isinstance(message.content, str) else message.content
        texts = [each if isinstance(each, str) else each.get("text", "") for each in blocks]
        return "".join(texts), IMAGE in blocks

    return [one(message) for message in run(*turns)]


@rows_of("langchain")
def test_row(row: Any) -> None:
    check(row, reads)


def test_every_row_has_a_test() -> None:
    check_tests("langchain", globals())


def test_a_stream() -> None:
    async def work() -> Any:
        given, _, _ = agent([("rows", {})])
        return [each async for each in given.astream(ASKED, stream_mode="updates")]

    updates = asyncio.run(work())
    assert [next(iter(each)) for each in updates if "Toolshape" not in next(iter(each))] == ["model", "tools", "model"]
    (message,) = next(each["tools"]["messages"] for each in updates if "tools" in each)
    assert json.loads(message.content)["totalItems"] == 400


def test_a_trace() -> None:
    ended: list[str] = []

    class Records(BaseCallbackHandler):
        def on_tool_end(self, output: Any, **_: Any) -> None:
            ended.append(str(output))

    given, _, _ = agent([("rows", {})])
    asyncio.run(given.ainvoke(ASKED, {"callbacks": [Records()]}))
    assert len(ended) == 1
    assert "the row of number 399" in ended[0]


def test_a_page_and_a_question_of_read_result() -> None:
    given, model, shape = agent([("rows", {})])
    for state in (
        asyncio.run(given.ainvoke(ASKED)),
        agent([("rows", {})])[0].invoke(ASKED),
    ):
        message = state["messages"][2]
        first = json.loads(expand(message.content))
        assert count_tokens(message.content) <= 600
        assert first["totalItems"] == 400
        assert "the row of number 399" in str(message.artifact)
    assert "read_result" in model.names
    read = agent([("rows", {})])
    cursor = json.loads(asyncio.run(given.ainvoke(ASKED))["messages"][2].content)["nextCursor"]
    own = shape.tools[0]
    for answer in (asyncio.run(own.ainvoke({"cursor": cursor})), own.invoke({"cursor": cursor})):
        assert json.loads(expand(answer))["items"][0] == ROWS[len(first["items"])]
    assert read[2] is not shape


def test_values_and_media() -> None:
    table, log, few, shot, noted = run(*([(name, {})] for name in ("table", "log", "few", "shot", "noted")))
    assert json.loads(expand(table.content))["items"][0] == ROWS[0]
    assert count_tokens(log.content) <= 600
    assert few.content == "[1,2,3]"
    assert few.artifact is None
    image, text = shot.content
    assert image == IMAGE
    assert count_tokens(text["text"]) <= 600
    assert noted.artifact == {"of": "the user interface"}
    assert json.loads(noted.content)["totalItems"] == 400


def test_a_command_and_an_iterator() -> None:
    command, iterated = run([("commands", {})], [("each", {})])
    assert count_tokens(command.content) <= 600
    assert command.artifact == LOG
    assert json.loads(iterated.content)["totalItems"] == 400
    assert iterated.artifact == ROWS


def test_a_wrong_call_of_read_result_is_an_error_and_a_cursor_goes_on() -> None:
    given, _, _ = agent([("read_result", {"handle": "abcdefghabcdefgh"})])
    for state in (asyncio.run(given.ainvoke(ASKED)), agent([("read_result", {"handle": "a"})])[0].invoke(ASKED)):
        assert state["messages"][2].status == "error"
    given, model, _ = agent([("rows", {})])
    first = json.loads(expand(asyncio.run(given.ainvoke(ASKED))["messages"][2].content))
    call = {"name": "flaky", "args": {"cursor": first["nextCursor"]}, "id": "2"}
    ERRORS.append(AssertionError("the tool runs"))
    for invoke in (lambda: asyncio.run(given.ainvoke(ASKED)), lambda: given.invoke(ASKED)):
        model.responses = [AIMessage("", tool_calls=[call]), AIMessage("done")]
        model.i = 0
        assert json.loads(expand(invoke()["messages"][2].content))["items"][0] == ROWS[len(first["items"])]
    ERRORS.clear()


def test_a_graph_of_ones_own() -> None:
    shape = Toolshape(POLICY, store=MemoryStore())
    around = {"wrap_tool_call": shape.wrap_tool_call, "awrap_tool_call": shape.awrap_tool_call}
    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode([*TOOLS, *shape.tools], **around))
    builder.add_edge(START, "tools")
    graph = builder.compile()
    given: Any = {"messages": [AIMessage("", tool_calls=[{"name": "rows", "args": {}, "id": "1"}])]}
    for state in (graph.invoke(given), asyncio.run(graph.ainvoke(given))):
        assert json.loads(state["messages"][-1].content)["totalItems"] == 400


def test_a_tool_with_the_name_of_ours_is_refused() -> None:
    @tool
    def read_result() -> str:
        """Reads"""
        return ""

    with pytest.raises(ToolshapeError, match="toolshape adds one of that name"):
        agent([], tools=[*TOOLS, read_result])[0].invoke({"messages": [("user", "go")]})


def test_options_of_a_tool_that_is_not_there() -> None:
    warnings: list[str] = []
    shape = Toolshape({"tools": {"row": False}}, on_warning=warnings.append)
    for invoke in (lambda given: asyncio.run(given.ainvoke(ASKED)), lambda given: given.invoke(ASKED)):
        model = Model(responses=[AIMessage("done")])
        invoke(create_agent(model, TOOLS, middleware=[shape]))
    (warning,) = warnings
    assert '"rows"' in warning


class Redacts(AgentMiddleware):
    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        message = await handler(request)
        return message.model_copy(update={"content": message.content.replace("row", "***")})


def test_other_middleware_changes_what_is_shaped() -> None:
    given, _, _ = agent([("rows", {})], within=[Redacts()])
    (message,) = [each for each in asyncio.run(given.ainvoke(ASKED))["messages"] if isinstance(each, ToolMessage)]
    page = json.loads(expand(message.content))
    assert page["totalItems"] == 400
    assert page["items"][0]["name"] == "the *** of number 0"
    assert "the row" not in str(message.artifact)


def test_errors_keep_their_meaning() -> None:
    (limited,) = run([("limited", {})])
    assert json.loads(limited.content)["retryAfterSeconds"] == 30
    assert limited.status == "error"
    with pytest.raises(ValueError, match="no such article"):
        run([("fails", {})])
    with pytest.raises(ValueError, match="no such article"):
        agent([("fails", {})])[0].invoke(ASKED)


def test_results_of_one_turn_are_within_their_sum_and_stay_so() -> None:
    names = ["rows", "log", "blocks", "blocks", "few"]
    messages = run([(name, {}) for name in names], [("few", {})])
    assert sum(count_tokens(message.text) for message in messages[:5]) <= 1500
    assert messages[4].content == "[1,2,3]"
    assert [message.name for message in messages] == [*names, "few"]


@pytest.mark.parametrize("place", ["around", "within"])
def test_a_retry(place: str) -> None:
    given, _, _ = agent([("flaky", {})], **{place: [ToolRetryMiddleware(initial_delay=0)]})
    for invoke in (lambda asked: asyncio.run(given.ainvoke(asked)), given.invoke):
        ERRORS.append(ValueError("try again"))
        message = invoke(ASKED)["messages"][2]
        assert json.loads(message.content)["totalItems"] == 400
        assert not ERRORS


@pytest.mark.parametrize("count", [5, 6000])
def test_an_interrupt_passes(count: int) -> None:
    given, _, _ = agent([("asks", {"count": count})], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    for invoke in (
        lambda *each: asyncio.run(given.ainvoke(*each)),
        given.invoke,
    ):
        stopped = invoke(ASKED, thread)
        assert stopped["__interrupt__"][0].value == {"draft": "word " * count}
        resumed = invoke(Command(resume="yes"), thread)
        assert resumed["messages"][-2].content == "a person says yes"
        thread = {"configurable": {"thread_id": "2"}}


def test_a_cancelled_run() -> None:
    async def work() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(agent([("slow", {})])[0].ainvoke(ASKED), 0.3)

    asyncio.run(work())
