"""What users write, for ``mypy --strict``; each ``type: ignore`` is a mistake that the stubs have to find."""

from __future__ import annotations

from typing import Any

from toolshape import (
    Archive,
    FileStore,
    Keep,
    MemoryStore,
    Shaped,
    ShapedResult,
    Shaper,
    Store,
    ToolshapeError,
    __version__,
    count_tokens,
    decode,
    decode_bytes,
    encode,
    fits_tokens,
    load_encoding,
    truncate_to_tokens,
)
from toolshape.types import (
    Call,
    Encoding,
    GridOptions,
    GridResult,
    LinkMapping,
    LoadedEncoding,
    Receipt,
    Resource,
    SeriesFull,
    SeriesOptions,
    SeriesResult,
    SeriesSummary,
    SortKey,
    Step,
    ToolOptions,
)
from typing_extensions import assert_type

listing: ToolOptions = {"max_tokens": 500, "fields": ["id", "title"], "page_size": 10}
shaper = Shaper(
    max_tokens=2000,
    encoding="cl100k_base",
    margin=0.1,
    paginate_after=50,
    fields=("id",),
    format="auto",
    overflow="offload",
    offload_over=16_000,
    snapshot=True,
    preview="headTail",
    cursor_key=["a secret of sixteen bytes", "the one before it"],
    cursor_ttl=3600,
    tools={"list": listing, "raw": False, "inline": {"overflow": "error"}},
)

shaped = shaper.shape([{"id": 1}], tool="list", arguments={"query": "x"}, page=1, page_size=5, fields=["id"])
assert_type(shaped, Shaped)
assert_type(shaped.value, Any)
assert_type(shaped.text, str)
assert_type(shaped.tokens, int)
assert_type(shaped.is_error, bool)
assert_type(shaped.unchanged, bool)
assert_type(shaped.receipt, Receipt)
assert_type(shaped.receipt["steps"], list[Step])
assert_type(shaped.receipt["duration_ms"], float)

assert_type(shaper.shape_json("[1,2]", cursor=None), Shaped)
assert_type(shaper.shape_json(b"[1,2]"), Shaped)
# One call for several methods.
call: Call = {"tool": "list", "arguments": {"query": "x"}, "page": 2}
assert_type(shaper.shape([1], **call), Shaped)
assert_type(shaper.shape_json("[1]", **call), Shaped)
assert_type(shaper.shape_together([{"value": [1], "call": call}]), list[Shaped])
assert_type(shaper.page_size(**call), int)
assert_type(shaper.decode_keyset(None, **call), list[Any] | None)
assert_type(shaper.keyset_page([{"id": 1}], keys=["id"], **call), Shaped)
Shaper(cursor_key=b"a secret of sixteen bytes", default=str)
assert_type(shaper.shape([1], store=True, scope="tenant", store_failure=None).keep, Keep | None)
assert_type(shaper.shape_together([{"value": [1]}, {"json": "[1]", "call": {"tool": "list"}}], 6000), list[Shaped])
Shaper(max_tokens=6000, cursor_key="a secret of sixteen bytes")
assert_type(shaper.check_call(tool="list", arguments={"page": 0}), ShapedResult | None)
assert_type(shaper.rate_limit(ValueError("429"), tool="list"), Shaped | None)
by_date: SortKey = {"name": "updated", "order": "desc", "nulls": "last"}
article_links: LinkMapping = {"uri": "article:///{slug}", "name": "{slug}", "keys": ["id"], "limit": 20}
assert_type(shaper.keyset_page([{"id": 1, "updated": None}], keys=[by_date, "id"], limit=20, tool="list"), Shaped)
assert_type(shaper.decode_keyset(None, tool="list"), list[Any] | None)
assert_type(shaper.page_size(arguments={"pageSize": 5}), int)
assert_type(shaper.links([{"id": 1, "slug": "a"}], article_links, tool="list", now=1.5), Shaped)
assert_type(shaper.refusal(ValueError("x"), tool="list"), Shaped | None)
assert_type(count_tokens("text", "estimate"), int)
assert_type(fits_tokens("text", 5), int | None)
assert_type(encode("text"), list[int])
assert_type(decode(encode("text")), str)
assert_type(decode_bytes(iter([1])), bytes)
assert_type(truncate_to_tokens("text", 5, side="tail"), str)


def loaded(ranks: bytes) -> Shaper:
    mine = load_encoding("mine", ranks, "cl100k_base")
    assert_type(mine, LoadedEncoding)
    return Shaper(encoding=mine)


assert_type(__version__, str)


class Custom:
    """Anything with these three is a store, whether it waits or not."""

    async def get(self, key: str) -> str | None:
        return None

    async def set(self, key: str, value: str, ttl_seconds: float) -> None: ...
    def delete(self, key: str) -> None: ...


class Limiting(Custom):
    """A store that receives the owner of a value."""

    async def set(self, key: str, value: str, ttl_seconds: float, owner: str | None = None) -> None: ...


stores: list[Store] = [
    MemoryStore(max_bytes=1000, max_value_bytes=100, max_share=0.1),
    FileStore("results", max_bytes=1000, max_value_bytes=100, max_share=0.1),
    Custom(),
    Limiting(),
]
archive = Archive(shaper, stores[0], redact=str.strip, ttl_seconds=60, timeout_seconds=0.5, on_store_error=print)


async def serve() -> None:
    assert_type(await archive.shape([1], tool="list", page=2, scope="tenant"), Shaped)
    assert_type(await archive.shape_json("[1]"), Shaped)
    assert_type(await archive.shape([1], **call), Shaped)
    assert_type(await archive.snapshot(**call), Shaped | None)
    assert_type(
        await archive.shape_together([{"value": [1], "call": {"tool": "a"}}, {"json": "[1]"}], 6000), list[Shaped]
    )
    assert_type(await archive.read_result({"handle": "x"}, scope="tenant"), Shaped)
    assert_type(await archive.read_result({"handle": "x"}, authorize=lambda tool: tool == "list"), Shaped)
    assert_type(await archive.resource("toolshape://result/x"), Resource)
    assert_type(await archive.snapshot(tool="list", cursor="x"), Shaped | None)


prices: SeriesOptions = {"value": "close", "at": "date", "points": 12, "extremes": True}
sweep: GridOptions = {"x": "fast", "y": "slow", "goal": "min", "feasible": "ok"}
assert_type(
    Shaper(output="full", tools={"prices": {"series": prices}, "sweep": {"grid": sweep, "series": False}})
    .shape([1], output="summary")
    .text,
    str,
)
assert_type(shaper.output_schema("prices"), dict[str, Any] | None)


task = shaper.to_summarize(None, None, arguments={"text": "a", "uri": "file:///a"})
if isinstance(task, Shaped):
    assert_type(task, Shaped)
else:
    assert_type(shaper.summarize_text(task["text"], **task["summary"]), Shaped)


def reply(result: SeriesResult, grid: GridResult) -> tuple[list[int] | None, str | None]:
    if result["output"] == "summary":
        assert_type(result, SeriesSummary)
        return result["indices"], None
    assert_type(result, SeriesFull)
    return None, grid["asciiSummary"] if grid["output"] == "summary" else grid.get("nextCursor")


name: Encoding = "o200k_base"
count_tokens("text", encoding=name)

try:
    Shaper(max_tokens=1)
except ToolshapeError as error:
    assert_type(error.code, str)
    assert_type(error.path, str)


def mistakes() -> None:
    Shaper(maxTokens=2000)  # type: ignore[call-arg]
    Shaper(max_tokens="2000")  # type: ignore[arg-type]
    Shaper(encoding="gpt2")  # type: ignore[arg-type]
    Shaper(tools={"x": True})  # type: ignore[dict-item]
    Shaper(tools={"x": {"page": 1}})  # type: ignore[dict-item]
    shaper.shape([], pages=1)  # type: ignore[call-arg]
    wrong: Call = {"tools": "list"}  # type: ignore[typeddict-unknown-key]
    Shaper(default=5)  # type: ignore[arg-type]
    shaper.shape([], **wrong)
    shaper.shape_json({"a": 1})  # type: ignore[arg-type]
    MemoryStore(max_share="a tenth")  # type: ignore[arg-type]
    Archive(shaper, [])  # type: ignore[arg-type]
    Archive(shaper, FileStore("x"), redact=len)  # type: ignore[arg-type]
    archive.shape([], store=True)  # type: ignore[call-arg, unused-coroutine]
    count_tokens(b"bytes")  # type: ignore[arg-type]
    shaped.text = "other"  # type: ignore[misc]
    shaped.receipt["tokens"]  # type: ignore[typeddict-item]
