"""Tables and rows that a tool returns are shaped from their values, not from the ``repr`` that an SDK makes of them."""

from __future__ import annotations

import json
import logging
import re
import sqlite3
from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import pytest
from adapters.clients import in_process
from adapters.sdks import FAST, PLAIN, SDKS, MCPServer, mt
from toolshape import Shaper, ToolshapeError
from toolshape._values import form, whole

if FAST is not None:
    import fastmcp
    from toolshape.fastmcp import ShapingMiddleware
if PLAIN is not None:
    from toolshape.mcp import shape_server

ROWS = [{"id": at, "name": f"the row of number {at}"} for at in range(600)]


def of(module: str, name: str, **members: Any) -> Any:
    """An instance of a class as a package that is not installed here defines it."""
    return type(name, (), {"__module__": module, **members})()


def sqlite_rows() -> Any:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    values = ",".join(f"({row['id']}, '{row['name']}')" for row in ROWS)
    return connection.execute(f"SELECT column1 AS id, column2 AS name FROM (VALUES {values})").fetchall()


def arrow() -> Any:
    return of("pyarrow.lib", "Table", to_pylist=lambda self: ROWS)


class Mapper:
    class column_attrs:  # noqa: N801
        @staticmethod
        def keys() -> list[str]:
            return ["id", "name"]


class Record:
    """As SQLAlchemy's declarative classes are."""

    __mapper__ = Mapper

    def __init__(self, id: int, name: str) -> None:
        self.id, self.name = id, name


VALUES: dict[str, Callable[[], Any]] = {
    "sqlite": sqlite_rows,
    "arrow": arrow,
    "arrow in a dict": lambda: {"rows": arrow(), "count": 600},
    "records": lambda: [Record(**row) for row in ROWS],
}
try:
    import pandas as pd
    import polars as pl
except ImportError:
    # The environments of older SDKs have neither.
    pass
else:
    VALUES |= {
        "pandas": lambda: pd.DataFrame(ROWS),
        "pandas in a dict": lambda: {"rows": pd.DataFrame(ROWS), "count": 600},
        "polars": lambda: pl.DataFrame(ROWS),
    }


async def later() -> AsyncIterator[int]:
    yield 1


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "lazy in a list": (lambda: [of("polars.lazyframe.frame", "LazyFrame")], "return frame.collect()"),
    "lazy": (lambda: of("polars.lazyframe.frame", "LazyFrame"), "return frame.collect()"),
    "relation": (lambda: of("duckdb", "DuckDBPyRelation"), "return relation.df()"),
    "async generator": (later, "return [item async for item in it]"),
}


async def call(sdk: str, make: Callable[[], Any], policy: dict[str, Any]) -> mt.CallToolResult:
    def tool() -> Any:
        return make()

    reply: dict[str, Any] = {"on_receipt": lambda receipt: None}
    if sdk == PLAIN:
        server = shape_server(MCPServer("tables", log_level="CRITICAL"), policy, **reply)
        server.tool(name="table", structured_output=False)(tool)
    else:
        server = fastmcp.FastMCP("tables")
        server.add_middleware(ShapingMiddleware(policy, **reply))
        server.tool(tool, name="table", output_schema=None)
    async with in_process(server) as client:
        result: mt.CallToolResult = await client.call("table")
        return result


@pytest.fixture(autouse=True)
def silence() -> Any:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("sdk", SDKS)
def test_all_rows_are_there(sdk: str, name: str) -> None:
    result = anyio.run(call, sdk, VALUES[name], {"max_tokens": 600})
    text = result.content[0].text  # type: ignore[union-attr]
    assert not result.is_error and {"uri", "_uri"} & set(json.loads(text)), text
    assert "600" in text and "the row of number 0" in text and " at 0x" not in text


@pytest.mark.parametrize("name", VALUES)
def test_a_shaper_reads_the_same_values(name: str) -> None:
    shaped = Shaper(max_tokens=600).shape(VALUES[name]())
    assert "600" in shaped.text and "the row of number 0" in shaped.text


@pytest.mark.parametrize("name", REFUSED)
def test_a_shaper_names_the_call_that_reads_what_is_pending(name: str) -> None:
    make, remedy = REFUSED[name]
    with pytest.raises(ToolshapeError, match=re.escape(remedy)):
        Shaper().shape(make())


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("sdk", SDKS)
def test_what_is_pending_names_the_call_that_reads_it(sdk: str, name: str) -> None:
    make, remedy = REFUSED[name]
    result = anyio.run(call, sdk, make, {"max_tokens": 600})
    if sdk in ("fastmcp3", "py-fastmcp") and name == "async generator":
        # This SDK reads it itself.
        assert result.content[0].text == "[1]"  # type: ignore[union-attr]
        return
    assert result.is_error and remedy in result.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize("sdk", SDKS)
def test_a_tool_that_is_left_alone_keeps_what_the_sdk_writes(sdk: str) -> None:
    result = anyio.run(call, sdk, sqlite_rows, {"tools": {"table": False}})
    assert "sqlite3.Row object" in result.content[0].text  # type: ignore[union-attr]


def test_other_values_stay_themselves() -> None:
    for value in (None, "a", 1, {"a": [1]}, [{"a": 1}], (1, 2), object(), {"a": {"b": [object()]}}):
        assert whole(value) is value


def test_an_exception_is_its_class_and_message() -> None:
    assert whole([ValueError("no")]) == [{"error": "ValueError", "message": "no"}]
    with pytest.raises(TypeError):
        form(object())
