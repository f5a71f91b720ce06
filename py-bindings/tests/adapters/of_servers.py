"""What a server has beside its tools: a store and the ways to read it, receipts, hosts."""

from __future__ import annotations

import re

import anyio

from adapters.results import compact, fits, next_of, receipt, said, told
from adapters.setting import Setting, tries
from adapters.summarizer import FAULTS
from adapters.table import BUDGET
from adapters.tools import LOG, rows
from toolshape import count_tokens


@tries("later pages come from the store")
async def pages_of_the_store(s: Setting) -> None:
    first = told(await s.peer.call("list_rows", count=400))
    assert first["source"] == "live"
    before = said(await s.peer.call("runs"))
    second = told(await s.peer.call("list_rows", count=400, cursor=next_of(first)))
    assert (second["source"], second["items"][0]["id"]) == ("snapshot", len(first["items"]))
    assert said(await s.peer.call("runs")) == before


@tries("read_result reaches what was left out")
async def read_result_reaches(s: Setting) -> None:
    assert "handle" in (await s.peer.tools())["read_result"].input_schema["properties"]
    handle = told(await s.peer.call("list_rows", count=400))["uri"]
    row = {"id": 399, "name": "the row of number 399"}
    assert told(await s.peer.call("read_result", handle=handle, pointer="/399")) == row
    found = await s.peer.call("read_result", handle=handle, jsonPath="$[?@.id==217]")
    assert "the row of number 217" in said(found)
    fits(await s.peer.call("read_result", handle=handle))
    for wrong, code in [("../../etc/passwd", "INVALID_HANDLE"), ("0" * 64, "NOT_FOUND")]:
        result = await s.peer.call("read_result", handle=wrong)
        assert result.is_error and told(result)["error"] == code
    unknown = await s.peer.call("read_result", handle=handle, colour="red")
    assert unknown.is_error and told(unknown)["error"] == "INVALID_CALL"


@tries("the resource reaches it too")
async def the_resource_reaches(s: Setting) -> None:
    assert await s.peer.templates() == ["toolshape://result/{id}"]
    handle = told(await s.peer.call("json_text", count=400))["uri"]
    (content,) = await s.peer.read(handle)
    assert str(content.uri) == handle
    assert count_tokens(content.text) <= BUDGET
    assert '"totalItems":400' in content.text
    try:
        await s.peer.read(f"toolshape://result/{'0' * 64}")
    except Exception as error:
        assert "no stored result" in str(error)
    else:
        raise AssertionError("a resource that is not there was read")


@tries("what is offloaded is a handle")
async def offloaded(s: Setting) -> None:
    result = await s.peer.call("stored", count=400)
    fits(result)
    handle = told(result)
    assert (handle["offloaded"], handle["description"]) == (True, "[{id, name}] (400 items)")
    assert handle["bytes"] == len(compact(rows(400)))
    read = told(await s.peer.call("read_result", handle=handle["uri"], page=20, pageSize=10))
    assert read["items"] == rows(400)[190:200]


@tries("summarize tells in short")
async def told_in_short(s: Setting) -> None:
    schema = (await s.peer.tools())["summarize"].input_schema
    assert list(schema["properties"]) == ["handle", "pointer", "text", "uri", "kind", "cursor"]
    assert "summarize" not in await s.bare.tools()
    kept = told(await s.peer.call("summarize", text="a line\n" * 2000))
    assert told(await s.peer.call("read_result", handle=kept["uri"], lines="7"))["text"] == "a line\n"
    result = await s.peer.call("summarize", handle=kept["uri"])
    fits(result)
    summary = told(result)
    assert (summary["by"], summary["totalLines"], summary["uri"]) == ("the house", 2000, kept["uri"])
    assert re.match(r"It has 14000 characters; \d+ tokens", summary["summary"])
    assert (receipt(result)["tool"], receipt(result)["steps"]) == ("summarize", ["summarizeText"])
    assert said(await s.peer.call("summarize", text="short")) == "short"
    wrong = await s.peer.call("summarize", handle=kept["uri"], text="both")
    assert wrong.is_error and told(wrong)["error"] == "INVALID_CALL"


@tries("a summarizer that fails is replaced")
async def a_summarizer_fails(s: Setting) -> None:
    for word, fault in FAULTS.items():
        text = f"{word}\n" + "INFO went well\n" * 2000 + "ERROR broke"
        result = await s.peer.call("summarize", text=text, uri="file:///app.log")
        fits(result)
        summary = told(result)
        assert summary["by"] == "toolshape"
        assert summary["note"].startswith(f"There is no summary by the house: {fault}. ")
        assert summary["lines"][-1]["text"] == "ERROR broke"


@tries("receipts stand in _meta")
async def receipts_stand(s: Setting) -> None:
    told_of = receipt(await s.peer.call("list_rows", count=400))
    assert (told_of["tool"], told_of["steps"], told_of["budget"]) == ("list_rows", ["paginate"], BUDGET)
    assert told_of["tokensAfter"] <= BUDGET < told_of["tokensBefore"]
    assert told_of["durationMs"] > 0


@tries("one line stands on standard error")
async def a_line_is_written(s: Setting) -> None:
    before = len(s.errors())
    await s.peer.call("described", count=400)

    def lines() -> list[str]:
        return [line for line in s.errors()[before:].splitlines() if "described" in line]

    for _ in range(100):
        if lines():
            break
        await anyio.sleep(0.02)
    await anyio.sleep(0.02)
    told_of = r"toolshape described: about \d+ tokens, \d+ of 600 told \(paginate\), [\d.]+ ms"
    assert len(lines()) == 1 and re.fullmatch(told_of, lines()[0])


@tries("onReceipt takes its place")
async def a_receipt_is_handed_on(s: Setting) -> None:
    result = await s.bare.call("list_rows", count=400)
    assert receipt(result)["steps"] == ["paginate"]
    fits(result)
    assert "toolshape" not in s.errors("bare")


@tries("the host's own limit holds")
async def hosts_have_limits(s: Setting) -> None:
    assert len(said(await s.peer.call("hosted")).encode()) > 40_000
    result = await s.bare.call("hosted")
    assert 4000 < len(said(result).encode()) <= 8192
    assert told(result)["totalChars"] == len(LOG)
