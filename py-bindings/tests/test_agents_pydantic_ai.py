"""Agents of pydantic-ai with its own fake model."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from agent_table import Read, check, check_tests, rows_of
from agent_tools import ERRORS, LOG, POLICY, ROWS, TooManyError, flaky, frame
from agent_tools import odd as odd_rows
from opentelemetry.trace import NoOpTracer, NoOpTracerProvider
from pydantic_ai import (
    Agent,
    BinaryContent,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    ToolReturn,
)
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from toolshape import MemoryStore, count_tokens, expand
from toolshape.pydantic_ai import Toolshape


def tools(agent: Any) -> None:
    agent.tool_plain(flaky)

    @agent.tool_plain
    def rows() -> list[dict[str, Any]]:
        return ROWS

    @agent.tool_plain
    def table() -> Any:
        return frame()

    @agent.tool_plain
    def small_table() -> Any:
        return frame()[:2]

    @agent.tool_plain
    def odd() -> Any:
        return odd_rows()

    @agent.tool_plain
    async def log() -> str:
        return LOG

    @agent.tool_plain
    def few() -> list[int]:
        return [1, 2, 3]

    @agent.tool_plain
    def limited() -> str:
        raise TooManyError("Too Many Requests")

    @agent.tool_plain
    def again() -> str:
        raise ModelRetry("no such article " * 3000)

    @agent.tool_plain
    def fails() -> str:
        raise ValueError("no such article")

    @agent.tool_plain
    def shot() -> Any:
        return [BinaryContent(b"pixels" * 9000, media_type="image/png"), LOG]

    @agent.tool_plain
    def noted() -> Any:
        return ToolReturn(ROWS, metadata={"of": "the user interface"})

    @agent.tool_plain
    def said() -> Any:
        picture = BinaryContent(b"pixels" * 9000, media_type="image/png")
        return ToolReturn("few", content=["one line", LOG, picture])

    @agent.tool_plain
    async def slow() -> str:
        await asyncio.sleep(5)
        return "late"

    @agent.tool_plain
    def later() -> str:
        raise CallDeferred


def run(*turns: Any, also: Any = (), is_shaped: bool = True) -> tuple[list[list[Any]], Any, list[str]]:
    """What the model reads after each turn of calls, the result of the run, and the names of the tools. A turn may be a function
    of what was read.
    """
    read: list[list[Any]] = []
    names: list[str] = []

    def model(messages: Any, info: Any) -> Any:
        names[:] = [tool.name for tool in info.function_tools]
        at = sum(isinstance(message, ModelResponse) for message in messages)
        if at > 0:
            read.append([part for part in messages[-1].parts if isinstance(part, (ToolReturnPart, RetryPromptPart))])
        if at == len(turns):
            return ModelResponse(parts=[TextPart("done")])
        calls = turns[at](read) if callable(turns[at]) else turns[at]
        return ModelResponse(parts=[ToolCallPart(name, arguments) for name, arguments in calls])

    shapes = [Toolshape(POLICY, store=MemoryStore())] if is_shaped else []
    agent = Agent(
        FunctionModel(model), capabilities=[*shapes, *also], retries=3, output_type=[str, DeferredToolRequests]
    )
    tools(agent)
    result = agent.run_sync("go")
    return read, result, names


def reads(turns: Any) -> list[Read]:
    def one(part: Any) -> Read:
        given = part.content if isinstance(part.content, list) else [part.content]
        media = [each for each in given if isinstance(each, BinaryContent)]
        return (str(given[0]) if media else part.model_response_str()), bool(media)

    return [one(part) for turn in run(*turns)[0] for part in turn]


@rows_of("pydantic_ai")
def test_row(row: Any) -> None:
    check(row, reads)


def test_every_row_has_a_test() -> None:
    check_tests("pydantic_ai", globals())


def test_a_retry() -> None:
    ERRORS.append(ModelRetry("try again"))
    read, _, _ = run([("flaky", {})], [("flaky", {})])
    (failed,), (page,) = read
    assert failed.content == "try again"
    assert json.loads(page.content)["totalItems"] == 400


def test_a_trace() -> None:
    def spans(*, is_shaped: bool) -> list[str]:
        names: list[str] = []

        class Records(NoOpTracer):
            def start_span(self, name: str, *given: Any, **named: Any) -> Any:
                names.append(name)
                return super().start_span(name, *given, **named)

            def start_as_current_span(self, name: str, *given: Any, **named: Any) -> Any:
                names.append(name)
                return super().start_as_current_span(name, *given, **named)

        class Provider(NoOpTracerProvider):
            def get_tracer(self, *_: Any, **__: Any) -> Any:
                return Records()

        settings = InstrumentationSettings(tracer_provider=Provider())
        run([("rows", {})], also=[Instrumentation(settings)], is_shaped=is_shaped)
        return names

    assert "execute_tool rows" in spans(is_shaped=True)
    assert spans(is_shaped=True) == spans(is_shaped=False)


def test_an_interrupt_passes() -> None:
    _, stopped, _ = run([("later", {})])
    (call,) = stopped.output.calls
    assert call.tool_name == "later"
    agent: Any = Agent(
        FunctionModel(lambda *_: ModelResponse(parts=[TextPart("done")])), capabilities=[Toolshape(POLICY)]
    )
    tools(agent)
    answer = DeferredToolResults(calls={call.tool_call_id: "a person says yes"})
    resumed = agent.run_sync(message_history=stopped.all_messages(), deferred_tool_results=answer)
    parts = [part for message in resumed.all_messages() for part in message.parts]
    assert [part.content for part in parts if isinstance(part, ToolReturnPart)] == ["a person says yes"]


def test_a_stream() -> None:
    async def model(messages: Any, info: Any) -> Any:
        yield "done" if len(messages) > 1 else {0: DeltaToolCall("rows", "{}")}

    async def work() -> Any:
        agent: Any = Agent(FunctionModel(stream_function=model), capabilities=[Toolshape(POLICY)])
        tools(agent)
        async with agent.run_stream("go") as result:
            texts = [text async for text in result.stream_text(delta=True)]
            return texts, result.all_messages()

    texts, messages = asyncio.run(work())
    assert "".join(texts) == "done"
    (returned,) = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    assert json.loads(returned.content)["totalItems"] == 400


def test_a_page_and_a_question_of_read_result() -> None:
    def ask(read: Any) -> Any:
        return [("read_result", {"cursor": json.loads(read[0][0].content)["nextCursor"]})]

    read, _, names = run([("rows", {})], ask)
    assert "read_result" in names
    first, following = (json.loads(expand(parts[0].content)) for parts in read)
    assert count_tokens(read[0][0].content) <= 600
    assert following["items"][0] == ROWS[len(first["items"])]


def test_values_and_media() -> None:
    names = ["table", "small_table", "log", "few", "shot", "noted"]
    read, _, _ = run(*([(name, {})] for name in names))
    table, small, log, few, shot, noted = (parts[0] for parts in read)
    # The framework cannot write it.
    assert json.loads(small.content) == ROWS[:2]
    assert json.loads(expand(table.content))["items"][0] == ROWS[0]
    assert count_tokens(log.content) <= 600
    assert few.content == [1, 2, 3]
    text, image = shot.content
    assert count_tokens(text) <= 600
    assert image.data == b"pixels" * 9000
    assert noted.metadata == {"of": "the user interface"}
    assert json.loads(noted.content)["totalItems"] == 400


def test_errors_keep_their_meaning() -> None:
    read, _, _ = run([("limited", {})], [("again", {})])
    assert json.loads(read[0][0].content)["retryAfterSeconds"] == 30
    retry = read[1][0]
    assert count_tokens(str(retry.content)) <= 700
    assert "no such article" in str(retry.content)
    with pytest.raises(ValueError, match="no such article"):
        run([("fails", {})])


def test_results_of_one_turn_are_within_their_sum_and_stay_so() -> None:
    read, result, _ = run([("rows", {}), ("log", {}), ("table", {}), ("few", {})], [("few", {})])
    texts = [part.model_response_str() for part in read[0]]
    assert sum(map(count_tokens, texts)) <= 1500
    assert texts[3] == "[1,2,3]"
    kept = [part for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)]
    assert [part.model_response_str() for part in kept][:4] == texts


def test_what_a_tool_says_as_a_user_is_shaped() -> None:
    _, result, _ = run([("said", {})])
    prompts = [part for message in result.all_messages() for part in message.parts if isinstance(part, UserPromptPart)]
    first, log, picture = prompts[-1].content
    assert first == "one line"
    assert count_tokens(log) <= 600
    assert isinstance(picture, BinaryContent)


def test_a_wrong_call_of_read_result_is_an_error_and_no_retry() -> None:
    read, result, _ = run(*[[("read_result", {"handle": "abcdefghabcdefgh"})]] * 5)
    assert [part.outcome for (part,) in read] == ["failed"] * 5
    assert result.output == "done"


def test_options_of_a_tool_that_is_not_there() -> None:
    warnings: list[str] = []
    shape = Toolshape({"tools": {"row": False}}, on_warning=warnings.append)
    agent = Agent(FunctionModel(lambda *_: ModelResponse(parts=[TextPart("done")])), capabilities=[shape])
    tools(agent)
    for _ in range(2):
        agent.run_sync("go")
    (warning,) = warnings
    assert '"rows"' in warning


def test_a_cancelled_run() -> None:
    async def work() -> None:
        def model(messages: Any, info: Any) -> Any:
            return ModelResponse(parts=[ToolCallPart("slow", {})])

        agent = Agent(FunctionModel(model), capabilities=[Toolshape(POLICY)])
        tools(agent)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(agent.run("go"), 0.2)

    asyncio.run(work())
