"""The tools of every server here: what each takes and returns, whatever SDK it is for."""

# Annotations are read as they are defined, so that an SDK's own context can be among them.
import base64
import json
from collections.abc import Callable
from typing import Annotated, Any

import anyio
from pydantic import BaseModel, ConfigDict, Field

from adapters.sdks import mt


class Row(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: int
    name: str


class Rows(BaseModel):
    model_config = ConfigDict(extra="forbid")
    total: int
    rows: Annotated[list[Row], Field(min_length=2)]
    note: str = ""


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": at, "name": f"the row of number {at}"} for at in range(count)]


def text(value: object) -> mt.TextContent:
    return mt.TextContent(type="text", text=value if isinstance(value, str) else json.dumps(value))


def encoded(what: str) -> str:
    return base64.b64encode(what.encode() * 6000).decode()


LOG = "".join(f"GET /articles/{at} 200\n" for at in range(2000))
EXACT = "[" + ",".join('{"id":9007199254740993,"price":1.0,"zero":-0,"name":"a row"}' for _ in range(200)) + "]"
# The header of an image of 100 by 100 pixels.
HEADER = "iVBORw0KGgoAAAANSUhEUgAAAGQAAABkCAIAAAD/gAID"
NO_TEXT = [
    mt.ImageContent(type="image", data=HEADER + encoded("pixels"), mimeType="image/png"),
    mt.AudioContent(type="audio", data=encoded("sounds"), mimeType="audio/wav"),
    mt.EmbeddedResource(
        type="resource",
        resource=mt.BlobResourceContents(uri="file:///blob", mimeType="application/pdf", blob=encoded("pages")),
    ),
    mt.ResourceLink(type="resource_link", uri="file:///report.pdf", name="report"),
]
# What a block may have in addition to what it shows.
BESIDE = {"annotations": {"audience": ["user", "assistant"], "priority": 0.5}, "_meta": {"example.com/pages": 3}}
QUESTION = "Whose articles? " * 300
ANSWER = {"type": "object", "properties": {"name": {"type": "string"}}}

RUNS = {"list_rows": 0}


def list_rows(count: int) -> list[dict[str, Any]]:
    RUNS["list_rows"] += 1
    return rows(count)


RIGHTS = {"guarded": True}


def guarded(count: int) -> list[dict[str, Any]]:
    return rows(count)


def rights(given: bool) -> str:
    RIGHTS["guarded"] = given
    return "so be it"


def authorize(context: object, tool: str) -> bool:
    """Who may read what a tool returned, as the servers configure it."""
    return context is not None and (tool != "guarded" or RIGHTS["guarded"])


def runs() -> str:
    return str(RUNS["list_rows"])


def json_text(count: int) -> str:
    return json.dumps(rows(count))


def wide(count: int) -> str:
    return json.dumps(rows(count), indent=4)


def log() -> str:
    return LOG


def exact() -> str:
    return EXACT


def promised(count: int) -> Rows:
    return Rows(total=count, rows=rows(count))


def listed(count: int) -> list[Row]:
    return [Row(**row) for row in rows(count)]


def kept(count: int) -> Rows:
    return Rows(total=count, rows=rows(count), note="a long note " * 500)


def broken() -> Rows:
    return {"total": "many", "rows": rows(900)}  # type: ignore[return-value]


def own_cursor(cursor: str = "none", page: int = 0) -> list[dict[str, Any]]:
    return [{**row, "cursor": cursor, "page": page} for row in rows(200)]


class TooMany(Exception):
    """With what HTTP clients report of a 429."""

    status = 429
    headers = {"retry-after": "30"}


def boom() -> str:
    raise TooMany("Too Many Requests")


def fails() -> str:
    raise RuntimeError("no such article")


def fails_at_length() -> str:
    raise RuntimeError("no such article " * 3000)


def made_of_blocks(result: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """The tools that return a result of their SDK, which ``result`` makes of content, ``_meta`` and ``isError``."""

    def blocks(count: int) -> Any:
        return result([text(row) for row in rows(count)])

    def several() -> Any:
        return result([text("All rows of today:"), text(rows(400))])

    def no_text() -> Any:
        return result([*NO_TEXT[:2], text(rows(200)), *NO_TEXT[2:]], meta={"example.com/theirs": [1, 2]})

    def shots() -> Any:
        return result([mt.ImageContent(type="image", data=f"{HEADER}AAA{at}", mimeType="image/png") for at in range(6)])

    def annotated() -> Any:
        link = {"type": "resource_link", "uri": "file:///report.pdf", "name": "report", **BESIDE}
        shown = {"type": "text", "text": json.dumps(rows(200)), **BESIDE}
        return result([mt.ResourceLink.model_validate(link), mt.TextContent.model_validate(shown)])

    def error() -> Any:
        return result([text("Traceback\n" + "  at line 1\n" * 900)], is_error=True)

    def flattened() -> Any:
        return result([text("Request failed with status code 429")], is_error=True)

    return {tool.__name__: tool for tool in (blocks, several, no_text, shots, annotated, error, flattened)}


# Tools that promise no output schema, whatever their annotations say.
PLAIN = [list_rows, json_text, wide, log, exact, own_cursor, boom, fails, fails_at_length]
# The same list under names with policies of their own.
LISTS = ["alone", "narrow", "refuses", "stored"]
PROMISING: list[Callable[..., Any]] = [promised, listed, kept, broken]


def hosted() -> str:
    return LOG


# A tool of an older SDK asks by a request of its own.
ASKS: Any = str | mt.InputRequiredResult if hasattr(mt, "InputRequiredResult") else str


def with_context(context: type) -> dict[str, Callable[..., Any]]:
    """The tools that take the context of their SDK."""

    async def reports(ctx: context, count: int) -> list[dict[str, Any]]:  # type: ignore[valid-type]
        await ctx.report_progress(1, 2)
        await ctx.report_progress(2, 2)
        # Once they have a result, clients forget whose progress it was.
        await anyio.sleep(0.05)
        return rows(count)

    async def asks(ctx: context) -> ASKS:  # type: ignore[valid-type]
        if ctx.input_responses is None:
            params = mt.ElicitRequestFormParams(message=QUESTION, requestedSchema=ANSWER)
            return mt.InputRequiredResult(inputRequests={"name": mt.ElicitRequest(params=params)})
        name = ctx.input_responses["name"].content["name"]
        return json.dumps([{**row, "author": name} for row in rows(400)])

    return {"reports": reports} if ASKS is str else {"reports": reports, "asks": asks}


DESCRIBED = {
    "name": "described",
    "title": "Rows of today",
    "description": "All of them, in their order",
    "annotations": mt.ToolAnnotations(readOnlyHint=True),
    "meta": {"anthropic/maxResultSizeChars": 500_000},
}

# With the output schema of their annotations.
PROMISING: list[Callable[..., Any]] = [promised, listed, kept, broken]
# Without one, by name; some of them differ by their policy alone.
PLAIN: dict[str, Callable[..., Any]] = {
    tool.__name__: tool
    for tool in (
        *(list_rows, runs, guarded, rights, json_text, wide, log, exact, own_cursor),
        *(boom, fails, fails_at_length),
    )
} | {"alone": list_rows, "narrow": list_rows, "refuses": list_rows, "stored": list_rows, "hosted": log}
