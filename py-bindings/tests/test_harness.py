"""The results of an agent's tools, without a framework."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest
from toolshape import MemoryStore, Shaper, ToolshapeError, count_tokens, expand
from toolshape.agents import Harness, Parts

ROWS = [{"id": each, "name": f"the row of number {each}"} for each in range(400)]


class TooManyError(Exception):
    status = 429
    headers = {"retry-after": "30"}  # noqa: RUF012


def harness(store: MemoryStore | None = None, **policy: Any) -> Harness:
    return Harness({"max_tokens": 600, **policy}, store=store or MemoryStore())


async def asked(given: Harness, value: Any, name: str = "list_rows") -> Any:
    return await given.call(name, {}, lambda _: value)


@pytest.mark.parametrize("wrong", ["a", {"tool": "x", "text": "a"}, ("x", 1), ("x",)])
def test_what_is_no_pair_is_refused(wrong: Any) -> None:
    with pytest.raises(ToolshapeError, match="is a pair"):
        asyncio.run(harness().fit([wrong]))


def test_arguments_that_are_not_an_object_call_nothing() -> None:
    async def work() -> None:
        given = harness()
        wrong: list[Any] = ['{"id":1', "{bad", '"text"', "[1]", "7", [1], 7]
        for arguments in wrong:
            for name in ("delete_files", "read_result"):
                result = await given.call(name, arguments, lambda _: pytest.fail("is not run"))
                assert result.is_error
                assert "not a JSON object" in result.text
            assert (await given.tools[0].call(arguments)).is_error
        assert (await given.call("echo", "", lambda arguments: arguments)).text == "{}"

    asyncio.run(work())


def test_structured_content_without_content_is_read() -> None:
    async def work() -> None:
        for rows in (ROWS[:2], ROWS):
            result = await asked(harness(), {"content": [], "structuredContent": {"rows": rows}})
            assert '"the row of number 1"' in result.text and count_tokens(result.text) <= 600

    asyncio.run(work())


def test_a_page_and_the_questions_after_it() -> None:
    async def work() -> None:
        given = harness()

        async def rows(arguments: Any) -> Any:
            return ROWS[: arguments["count"]]

        page = await given.call("list_rows", {"count": 400}, rows)
        first = json.loads(expand(page.text))
        assert count_tokens(page.text) <= 600
        assert page.original == ROWS
        assert not page.is_unchanged
        assert not page.is_error
        (tool,) = given.tools
        for answer in (
            await tool.call({"cursor": first["nextCursor"]}),
            # A loop that hands every call over needs not know which tools are whose.
            await given.call("read_result", {"cursor": first["nextCursor"]}, lambda _: pytest.fail("is not run")),
        ):
            assert json.loads(expand(answer.text))["items"][0] == ROWS[len(first["items"])]
        assert (await given.call("read_result", {"handle": "abcdefghabcdefgh"}, lambda _: None)).is_error
        small = await given.call("list_rows", {"count": 2}, rows)
        assert small.is_unchanged
        assert json.loads(small.text) == ROWS[:2]

    asyncio.run(work())


def test_the_forms_of_the_tool() -> None:
    (tool,) = harness().tools
    assert tool.mcp["name"] == tool.name == "read_result"
    assert tool.openai["function"]["parameters"] == tool.parameters == tool.responses["parameters"]
    assert tool.anthropic["input_schema"]["properties"].keys() == tool.parameters["properties"].keys()


def test_errors_keep_their_meaning() -> None:
    def raises(error: BaseException) -> Any:
        def work(_: Any) -> Any:
            raise error

        return lambda: asyncio.run(harness().call("boom", {}, work))

    limited = raises(TooManyError("Too Many Requests"))()
    assert json.loads(limited.text)["retryAfterSeconds"] == 30
    long = raises(ValueError("no such article " * 3000))()
    assert long.is_error
    assert count_tokens(long.text) <= 600
    for error in (ValueError("no such article"), asyncio.CancelledError(), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            raises(error)()

    class GraphBubbleUp(Exception):  # noqa: N818
        pass

    GraphBubbleUp.__module__ = "langgraph.errors"
    with pytest.raises(GraphBubbleUp):
        raises(GraphBubbleUp("a draft " * 9000))()


@dataclass
class Article:
    id: int
    name: str


class Odd:
    def __str__(self) -> str:
        return "an odd thing"


def test_values_as_tools_return_them() -> None:
    import pandas as pd  # noqa: PLC0415

    async def work() -> None:
        for rows in (pd.DataFrame(ROWS), [Article(**row) for row in ROWS]):
            page = json.loads(expand((await asked(harness(), rows)).text))
            assert page["totalItems"] == 400
            assert page["items"][0] == ROWS[0]
        assert json.loads((await asked(harness(), {"thing": Odd()})).text) == {"thing": "an odd thing"}
        # An image of 100 by 100 pixels, by its header.
        data = "iVBORw0KGgoAAAANSUhEUgAAAGQAAABkCAIAAAD/gAID" + "AAAA" * 9000
        image = {"type": "image", "data": data, "mimeType": "image/png"}
        both = await asked(harness(), {"content": [image, {"type": "text", "text": json.dumps(ROWS)}]})
        assert both.parts[0] == image
        assert json.loads(both.text)["totalItems"] == 400
        own = object()
        mixed = await asked(harness(), Parts([own, json.dumps(ROWS), "beside"]))
        assert mixed.parts[0] is own
        assert count_tokens(mixed.text) <= 600
        log = await asked(harness(), "GET /articles 200\n" * 9000)
        assert count_tokens(log.text) <= 600
        alone = await asked(harness(tools={"list_rows": False}), ROWS)
        assert alone.is_unchanged

    asyncio.run(work())


async def later() -> Any:
    for row in ROWS:
        yield row


def test_values_that_fit_only_as_dense_json_are_replaced() -> None:
    rows = next(ROWS[:end] for end in range(400) if count_tokens(str(ROWS[:end])) > 600)
    wide = json.dumps({"rows": rows}, indent=2)
    served = {"content": [{"type": "text", "text": wide}], "structuredContent": {"rows": rows}}

    async def work() -> None:
        for value in (rows, served):
            result = await asked(harness(), value)
            assert not result.is_unchanged
            assert count_tokens(result.text) <= 600
            read = json.loads(result.text)
            assert (read if value is rows else read["rows"]) == rows
        assert (await asked(harness(), rows[:30])).is_unchanged

    asyncio.run(work())


@pytest.mark.parametrize("rows", [lambda: iter(ROWS), later, lambda: map(dict, ROWS)])
def test_iterators_are_collected_once(rows: Any) -> None:
    page = asyncio.run(asked(harness(), rows()))
    assert json.loads(page.text)["totalItems"] == 400
    # The iterator has ended: nobody can send it.
    assert page.original == ROWS
    few = asyncio.run(asked(harness(max_tokens=60_000), rows()))
    assert (json.loads(few.text), few.is_unchanged) == (ROWS, False)


def test_what_is_shaped_already_stays() -> None:
    given = harness()
    inner = asyncio.run(asked(given, ROWS))
    again = asyncio.run(asked(given, inner))
    assert (again.text, again.original, again.is_unchanged) == (inner.text, ROWS, False)
    shaped = Shaper(max_tokens=300).shape(ROWS)
    assert asyncio.run(asked(given, shaped)).text == shaped.text


def test_a_value_without_a_json_form_is_text() -> None:
    cycle: list[Any] = [*ROWS]
    cycle.append(cycle)
    for value in ({(each, 1): "x" * 20 for each in range(900)}, cycle):
        result = asyncio.run(asked(harness(), value))
        assert json.loads(result.text)["truncated"]
        assert result.original is value


def test_a_value_that_is_too_deep_is_an_error_that_says_so() -> None:
    value: list[Any] = []
    for _ in range(5000):
        value = [value]
    result = asyncio.run(asked(harness(), value))
    assert result.is_error and "levels" in result.text and not result.is_unchanged


def test_results_of_one_turn() -> None:
    async def work() -> None:
        given = harness(max_tokens=4000, combined_tokens=2500)
        results = [await asked(given, [{**row, "of": name} for row in ROWS], name) for name in ("one", "two")]
        log = "".join(f"GET /articles/{each} 200\n" for each in range(60))
        texts = [("one", results[0].text), ("small", "one line"), ("log", log), ("two", results[1].text)]
        before = sum(count_tokens(text) for _, text in texts)
        fitted = await given.fit(texts)
        assert sum(map(count_tokens, fitted)) <= 2500 < before
        assert fitted[1] == "one line"
        assert fitted[2] == log
        # The same texts again, and those that are fitted already.
        assert await given.fit(texts) == fitted
        assert await given.fit(zip((name for name, _ in texts), fitted)) == fitted
        few = [("a", "x"), ("b", "y")]
        assert await given.fit(few) == ["x", "y"]
        # What gave way is read back.
        stored = next(text for text, (_, own) in zip(fitted, texts) if text != own)
        handle = json.loads(stored)["uri"]
        back = await given.tools[0].call({"handle": handle})
        assert not back.is_error
        # What is smaller than a handle stays.
        many = [(None, "a short text, all the same " * 12)] * 200
        assert await given.fit(many) == [text for _, text in many]

    asyncio.run(work())


def test_a_page_over_the_budget_of_its_own_call_keeps_its_handle() -> None:
    async def work() -> None:
        store = MemoryStore()
        # Such as a server whose budget is larger.
        larger, smaller = harness(store, max_tokens=1500), harness(store, max_tokens=400)
        page = await asked(larger, ROWS, "rows")
        shown, first = (json.loads(expand(each.text)) for each in (page, await asked(smaller, page.text, "rows")))
        assert (first["uri"], first["totalItems"]) == (shown["uri"], len(ROWS))
        rows, cursor = first["items"], first["nextCursor"]
        assert 0 < len(rows) < len(shown["items"])
        while cursor:
            following = json.loads(expand((await smaller.tools[0].call({"cursor": cursor})).text))
            rows, cursor = rows + following["items"], following["nextCursor"]
        assert rows == ROWS

    asyncio.run(work())


def test_results_that_are_shaped_twice_are_asked_about_their_whole() -> None:
    async def work() -> None:
        given = harness(max_tokens=1500, combined_tokens=700)
        pages = [await asked(given, [{**row, "of": name} for row in ROWS * 2], name) for name in ("one", "two")]
        fitted = await given.fit((name, page.text) for name, page in zip(("one", "two"), pages))
        small = json.loads(next(text for text, page in zip(fitted, pages) if text != page.text))
        (tool,) = given.tools
        handle = small["uri"][-16:]
        assert small["description"] == "[{id, name, of}] (800 items)"
        count = await tool.call({"sql": f"SELECT count(*) FROM {handle}"})
        assert "800" in count.text
        part = await tool.call({"handle": handle, "pointer": "/799"})
        assert json.loads(part.text)["id"] == 399
        shown = len(json.loads(expand(pages[0].text))["items"])
        following = await tool.call({"cursor": small["nextCursor"]})
        assert json.loads(expand(following.text))["items"][0]["id"] == ROWS[shown]["id"]
        # An answer from the store is not stored a second time either.
        answers = [("read_result", (await tool.call({"handle": handle, "page": page})).text) for page in (1, 2)]
        assert "Repeat this call alone" in "".join(await given.fit(answers))

    asyncio.run(work())


def test_an_error_that_is_cut_is_read_on() -> None:
    async def work() -> None:
        given = harness()

        def raises(_: Any) -> None:
            raise ValueError("".join(f"no such article {each}\n" for each in range(3000)))

        error = await given.call("boom", {}, raises)
        assert error.is_error
        (tool,) = given.tools
        found = await tool.call({"handle": json.loads(error.text)["uri"], "search": "no such article 2999"})
        assert "2999" in found.text
        assert not found.is_error

    asyncio.run(work())


def test_a_cursor_that_another_tool_gets_goes_on() -> None:
    async def work() -> None:
        given = harness()
        first = json.loads(expand((await asked(given, ROWS)).text))
        after = await given.call("list_rows", {"cursor": first["nextCursor"]}, lambda _: pytest.fail("is not run"))
        assert json.loads(expand(after.text))["items"][0] == ROWS[len(first["items"])]
        # One of the tool's own is the tool's.
        own = await given.call("list_rows", {"cursor": "eyJpZCI6Mn0"}, lambda arguments: arguments)
        assert json.loads(own.text) == {"cursor": "eyJpZCI6Mn0"}

    asyncio.run(work())


def test_a_tool_that_the_agent_does_not_have_is_warned_of_once() -> None:
    warnings: list[str] = []
    given = Harness({"tools": {"list_rwos": {"max_tokens": 500}}}, on_warning=warnings.append)
    for _ in range(2):
        given.check_names(["list_rows"])
    (warning,) = warnings
    assert 'did you mean "list_rows"?' in warning


def test_calls_at_once() -> None:
    async def work() -> None:
        given = harness()
        counts = [100, 200, 300]
        pages = await asyncio.gather(*(asked(given, ROWS[:count]) for count in counts))
        assert [json.loads(page.text)["totalItems"] for page in pages] == counts

    asyncio.run(work())


def test_wrong_options() -> None:
    with pytest.raises(ToolshapeError, match="max_tokens"):
        Harness({"max_tokns": 1})  # type: ignore[typeddict-unknown-key]
    with pytest.raises(ToolshapeError):
        Harness(scope="a tenant")
    with pytest.raises(ToolshapeError, match="scope must be a str"):
        Harness({"cursor_key": "of a length that will do"}, scope=lambda: "a tenant")  # type: ignore[arg-type]
    with pytest.raises(ToolshapeError, match=r"authorize.*store, scope, on_receipt, on_warning"):
        Harness(authorize=print)  # type: ignore[call-arg]
    with pytest.raises(ToolshapeError, match="store is None"):
        Harness(store=None)  # type: ignore[arg-type]
    wrong: list[Any] = [
        lambda: Harness({"store": MemoryStore()}),
        lambda: Harness(max_tokens=500),
        lambda: Harness(MemoryStore()),
    ]
    for made in wrong:
        with pytest.raises(ToolshapeError) as raised:
            made()
        assert raised.value.code in ("INVALID_POLICY", "INVALID_CALL")
        assert not any(name in str(raised.value) for name in ("shape_server", "Shaper(", "Middleware"))
