"""Agents of the OpenAI Agents SDK with a scripted model."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import Any

import pytest

pytest.importorskip("agents")

import mcp_types as mt
from agent_table import Read, check, check_tests, rows_of, servers_of
from agent_tools import ERRORS, LOG, POLICY, ROWS, TooManyError, frame
from agent_tools import flaky as flaky_rows
from agent_tools import odd as odd_rows
from agents import Agent, ModelResponse, RunConfig, Runner, ToolOutputImage, ToolOutputText, Usage, function_tool
from agents.mcp import MCPServer, MCPServerStdio
from agents.models.interface import Model
from agents.tracing import TracingProcessor, set_trace_processors
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from toolshape import MemoryStore, ToolshapeError, count_tokens, expand
from toolshape.openai_agents import Toolshape

PIXELS = "data:image/png;base64," + "cGl4ZWxz" * 9000


@function_tool
def rows() -> Any:
    return ROWS


@function_tool
def table() -> Any:
    return frame()


@function_tool
async def log() -> str:
    return LOG


@function_tool
def few() -> str:
    return "[1,2,3]"


@function_tool(failure_error_function=None)
def limited() -> str:
    raise TooManyError("Too Many Requests")


@function_tool(failure_error_function=None)
def fails() -> str:
    raise ValueError("no such article")


@function_tool
def fails_at_length() -> str:
    raise ValueError("no such article " * 3000)


@function_tool
def odd() -> Any:
    return odd_rows()


@function_tool
def shot() -> Any:
    return [ToolOutputImage(image_url=PIXELS), ToolOutputText(text=LOG)]


@function_tool(needs_approval=True)
def asked() -> Any:
    return ROWS


@function_tool
async def slow() -> str:
    await asyncio.sleep(5)
    return "late"


TOOLS = [rows, asked, function_tool(flaky_rows), table, odd, log, few, limited, fails, fails_at_length, shot, slow]


class Script(Model):
    """Calls the tools of each turn, and notes what it reads."""

    def __init__(self, turns: Any) -> None:
        self.turns = list(turns)
        self.read: list[list[Any]] = []
        self.names: list[str] = []

    async def get_response(
        self, system_instructions: Any, input: Any, model_settings: Any, tools: Any, *_: Any, **__: Any
    ) -> Any:  # noqa: A002
        self.names = [tool.name for tool in tools]
        self.read.append([item for item in input if item.get("type") == "function_call_output"])
        at = len(self.read) - 1
        if at == len(self.turns):
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            output: list[Any] = [
                ResponseOutputMessage(id="1", content=[text], role="assistant", status="completed", type="message")
            ]
        else:
            calls = self.turns[at](self.read) if callable(self.turns[at]) else self.turns[at]
            output = [
                ResponseFunctionToolCall(
                    name=name, arguments=json.dumps(given), call_id=f"{at}-{place}", type="function_call"
                )
                for place, (name, given) in enumerate(calls)
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    async def stream_response(self, *given: Any, **named: Any) -> Any:
        output = (await self.get_response(*given, **named)).output
        about: Any = {"id": "1", "created_at": 0, "model": "scripted", "object": "response"}
        choice: Any = {"tool_choice": "auto", "tools": [], "parallel_tool_calls": True}
        response = Response(output=output, **about, **choice)
        yield ResponseCompletedEvent(response=response, sequence_number=0, type="response.completed")


def scripted(*turns: Any, **members: Any) -> tuple[Script, Any, Any]:
    """A model, an agent that has it, and the options of its run."""
    script = Script(turns)
    shape = Toolshape(POLICY, store=MemoryStore())
    agent = shape.agent(Agent(name="agent", model=script, **(members or {"tools": list(TOOLS)})))
    return script, agent, {"max_turns": 20, "run_config": shape.config(RunConfig(tracing_disabled=True))}


def run(*turns: Any, **members: Any) -> Script:
    servers = [MCPServerStdio(params, client_session_timeout_seconds=60) for params in servers_of(turns).values()]
    script, agent, options = scripted(*turns, **({"mcp_servers": servers} if servers else members))

    async def work() -> None:
        async with AsyncExitStack() as stack:
            for server in servers:
                await stack.enter_async_context(server)
            await Runner.run(agent, "go", **options)

    asyncio.run(work())
    return script


def reads(turns: Any) -> list[Read]:
    def one(item: Any) -> Read:
        output = item["output"]
        if isinstance(output, str):
            # The SDK writes the block of a server as JSON.
            block = json.loads(output) if output.startswith('{"type":"text"') else {"text": output}
            return block["text"], False
        return "".join(each.get("text", "") for each in output), any("image" in each["type"] for each in output)

    return [one(item) for item in run(*turns).read[-1]]


@rows_of("openai_agents")
def test_row(row: Any) -> None:
    check(row, reads)


def test_every_row_has_a_test() -> None:
    check_tests("openai_agents", globals())


def test_a_trace() -> None:
    spans: list[Any] = []

    class Records(TracingProcessor):
        def on_trace_start(self, trace: Any) -> None: ...
        def on_trace_end(self, trace: Any) -> None: ...
        def on_span_start(self, span: Any) -> None: ...
        def on_span_end(self, span: Any) -> None:
            spans.append(span)

        def shutdown(self) -> None: ...
        def force_flush(self) -> None: ...

    set_trace_processors([Records()])
    shape = Toolshape(POLICY, store=MemoryStore())
    turns = [[("rows", {})], [("read_result", {"handle": "abcdefghabcdefgh"})]]
    agent = shape.agent(Agent(name="agent", model=Script(turns), tools=list(TOOLS)))
    asyncio.run(Runner.run(agent, "go", run_config=shape.config()))
    called = [span for span in spans if span.span_data.type == "function"]
    # What it reads is a text, so its errors are those of the trace.
    assert [(span.span_data.name, span.error is None) for span in called] == [("rows", True), ("read_result", False)]


def test_a_retry() -> None:
    ERRORS.append(ValueError("try again"))
    failed, page = (item["output"] for item in run([("flaky", {})], [("flaky", {})]).read[-1])
    assert "try again" in failed
    assert json.loads(page)["totalItems"] == 400


def test_an_interrupt_passes() -> None:
    script, agent, options = scripted([("asked", {})])

    async def work() -> None:
        stopped = await Runner.run(agent, "go", **options)
        (interruption,) = stopped.interruptions
        assert interruption.tool_name == "asked"
        state = stopped.to_state()
        state.approve(interruption)
        await Runner.run(agent, state, **options)

    asyncio.run(work())
    assert json.loads(script.read[-1][0]["output"])["totalItems"] == 400


def test_a_stream() -> None:
    script, agent, options = scripted([("rows", {})])

    async def work() -> list[str]:
        streamed = Runner.run_streamed(agent, "go", **options)
        return [event.name async for event in streamed.stream_events() if event.type == "run_item_stream_event"]

    assert asyncio.run(work()) == ["tool_called", "tool_output", "message_output_created"]
    assert json.loads(script.read[-1][0]["output"])["totalItems"] == 400


def test_a_page_and_a_question_of_read_result() -> None:
    def ask(read: Any) -> Any:
        return [("read_result", {"cursor": json.loads(read[-1][0]["output"])["nextCursor"]})]

    script = run([("rows", {})], ask)
    assert script.names[-1] == "read_result"
    page, following = (item["output"] for item in script.read[-1])
    assert count_tokens(page) <= 600
    assert json.loads(expand(following))["items"][0] == ROWS[len(json.loads(expand(page))["items"])]


def test_a_copy_of_a_shaped_agent() -> None:
    _, agent, _ = scripted()
    names = [tool.name for tool in Toolshape(POLICY).agent(agent).tools]
    assert names.count("read_result") == 1


def test_a_tool_with_the_name_of_ours_is_refused() -> None:
    own = function_tool(lambda: "", name_override="read_result", description_override="Reads")
    with pytest.raises(ToolshapeError, match="read_result"):
        Toolshape(POLICY).agent(Agent(name="agent", tools=[own]))


def test_values_and_media() -> None:
    script = run([("table", {})], [("log", {})], [("few", {})], [("shot", {})])
    table, log, few, shot = (item["output"] for item in script.read[-1])
    assert json.loads(expand(table))["items"][0] == ROWS[0]
    assert count_tokens(log) <= 600
    assert few == "[1,2,3]"
    image, text = shot
    assert image["image_url"] == PIXELS
    assert count_tokens(text["text"]) <= 600


def test_errors_keep_their_meaning() -> None:
    script = run([("limited", {})], [("fails_at_length", {})])
    limited, long = (item["output"] for item in script.read[-1])
    assert json.loads(limited)["retryAfterSeconds"] == 30
    assert count_tokens(long) <= 600
    with pytest.raises(Exception, match="no such article"):
        run([("fails", {})])


def test_results_of_one_turn_are_within_their_sum_and_stay_so() -> None:
    script = run([("rows", {}), ("log", {}), ("table", {}), ("few", {})], [("few", {})])
    after = [item["output"] for item in script.read[1]]
    assert sum(map(count_tokens, after)) <= 1500
    assert after[3] == "[1,2,3]"
    assert [item["output"] for item in script.read[2]][:4] == after


class Server(MCPServer):
    """A server of MCP."""

    name = "rows"

    async def connect(self) -> None: ...
    async def cleanup(self) -> None: ...

    async def list_tools(self, *_: Any, **__: Any) -> Any:
        names = ("listed", "fails_there", "few_there", "limited_there")
        return [mt.Tool(name=name, input_schema={"type": "object"}) for name in names]

    async def call_tool(self, tool_name: str, arguments: Any, *_: Any, **__: Any) -> Any:
        if tool_name == "limited_there":
            raise TooManyError("Too Many Requests")
        text = {"listed": json.dumps(ROWS), "fails_there": LOG, "few_there": "[1,2,3]"}[tool_name]
        return mt.CallToolResult(content=[mt.TextContent(text=text)], is_error=tool_name == "fails_there")

    async def list_prompts(self) -> Any: ...
    async def get_prompt(self, name: str, arguments: Any = None) -> Any: ...


def test_the_tools_of_a_server_of_mcp() -> None:
    turns = [[(name, {})] for name in ("listed", "fails_there", "few_there", "limited_there")]
    script = run(*turns, mcp_servers=[Server()])
    listed, failed, few, limited = (str(item["output"]) for item in script.read[-1])
    assert '"totalItems":400' in listed.replace("\\", "")
    assert count_tokens(failed) <= 700
    assert "[1,2,3]" in few
    assert "Too Many Requests" in limited


def test_a_copy_of_a_shaped_agent_with_a_server() -> None:
    script, agent, options = scripted([("listed", {})], mcp_servers=[Server()])
    asyncio.run(Runner.run(agent.clone(name="another"), "go", **options))
    assert '"totalItems":400' in str(script.read[-1][0]["output"])


def test_a_cancelled_run() -> None:
    async def work() -> None:
        _, agent, options = scripted([("slow", {})])
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(Runner.run(agent, "go", **options), 0.3)

    asyncio.run(work())
