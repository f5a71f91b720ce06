"""What FastMCP's client makes of typed results: the tool's own value where it passes, and else the shaped one."""

from __future__ import annotations

import datetime
import logging
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from adapters.sdks import FAST
from jsonschema import Draft202012Validator
from pydantic import BaseModel
from toolshape import MemoryStore

if FAST is None:
    pytest.skip("this SDK's client has no typed results", allow_module_level=True)

import fastmcp
from toolshape.fastmcp import ShapingMiddleware

NOON = datetime.datetime(2024, 1, 2, 12)


class Plain(BaseModel):
    id: int
    at: datetime.datetime


class Nested(Plain):
    parent: Nested | None = None


# `fastmcp` 2.x cannot list the schema of a model that refers to itself.
Row: Any = Plain if FAST == "fastmcp2" else Nested


def number() -> int:
    return 5


def nothing() -> int | None:
    return None


def moment() -> datetime.datetime:
    return NOON


def few() -> list[Row]:
    return [Row(id=1, at=NOON, parent=Row(id=0, at=NOON))]


def many() -> list[Row]:
    return [Row(id=at, at=NOON) for at in range(400)]


def text() -> str:
    return "word " * 5000


def either() -> list[int] | dict[str, list[int]]:
    return {"result": list(range(3000)), "other": list(range(3000))}


@pytest.fixture
def errors() -> Iterator[list[str]]:
    """What FastMCP logs as errors."""
    output_text: list[str] = []

    class Listening(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            output_text.append(record.getMessage())

    logger, handler = logging.getLogger("fastmcp"), Listening(logging.ERROR)
    logger.addHandler(handler)
    yield output_text
    logger.removeHandler(handler)


def called(tool: Any, arguments: dict[str, Any] | None = None, shaped: bool = True, **policy: Any) -> tuple[Any, Any]:
    """The result of a call by FastMCP's client, and the output schema of the tool."""

    async def run() -> tuple[Any, Any]:
        server = fastmcp.FastMCP("typed")
        server.tool(tool)
        if shaped:
            options: Any = {"store": MemoryStore(), "on_receipt": lambda receipt: None}
            server.add_middleware(ShapingMiddleware({"max_tokens": 400, **policy}, **options))
        async with fastmcp.Client(server) as client:
            listed = {one.name: one.model_dump(by_alias=True)["outputSchema"] for one in await client.list_tools()}
            schema = listed[tool.__name__]
            return await client.call_tool(tool.__name__, arguments), schema

    return anyio.run(run)


@pytest.mark.parametrize("tool", [number, nothing, moment, few], ids=lambda tool: tool.__name__)
def test_a_small_value_is_the_tools_own(tool: Any, errors: list[str]) -> None:
    (own, _), (passed, schema) = called(tool, shaped=False), called(tool)
    # The client of `fastmcp` 2.x takes a value out of its wrapper by a mark in the schema, which a widened one does not have.
    data = passed.data.result if FAST == "fastmcp2" else passed.data
    assert repr(data) == repr(own.data) and (passed.meta or {}).get("fastmcp") == (own.meta or {}).get("fastmcp")
    assert not errors
    Draft202012Validator(schema).validate(passed.structured_content)


@pytest.mark.parametrize("overflow", ["shape", "offload"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (many, {}),
        (many, {"page": 2}),
        (few, {"fields": ["id"]}),
        (many, {"fields": ["/0/at"]}),
        (text, {}),
        (either, {}),
    ],
)
def test_a_shaped_value_is_what_the_client_has(tool: Any, arguments: Any, overflow: Any, errors: list[str]) -> None:
    shaped, schema = called(tool, arguments, overflow=overflow, offload_over=400)
    assert not errors
    content = shaped.structured_content
    assert set(content) & {"paginated", "truncated", "_summarized", "offloaded", "_value"}
    data = shaped.data.model_dump()
    assert {name: data[name] for name in content} == content
    assert "fastmcp" not in (shaped.meta or {})
    Draft202012Validator(schema).validate(content)
