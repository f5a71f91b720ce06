"""What becomes of a tool's results."""

from __future__ import annotations

import anyio

from adapters.results import channels, every_row, fits, on_the_wire, receipt, rows_of, said, told
from adapters.setting import Setting, tries
from adapters.tools import BESIDE, LOG, rows


@tries("what fits passes as it is")
async def what_fits_passes(s: Setting) -> None:
    for name in ("list_rows", "json_text", "blocks", "promised", "listed"):
        plain = await s.naive.call(name, count=3)
        assert channels(await s.peer.call(name, count=3)) == channels(plain)


@tries("JSON in a text is paged")
async def json_is_paged(s: Setting) -> None:
    result = await s.peer.call("json_text", count=400)
    fits(result)
    page = told(result)
    assert (page["totalItems"], page["items"]) == (400, rows(20))
    assert result.structured_content is None


@tries("wide JSON is read as JSON")
async def wide_json(s: Setting) -> None:
    wide, minified = [told(await s.peer.call(name, count=400)) for name in ("wide", "json_text")]
    assert wide["items"] == minified["items"]
    assert wide["uri"] == minified["uri"]


@tries("a block for each item is one list")
async def blocks_are_a_list(s: Setting) -> None:
    for name in ("blocks", "list_rows"):
        result = await s.peer.call(name, count=400)
        fits(result)
        assert told(result)["totalItems"] == 400
        assert told(result)["items"] == rows(20)
        asked = await s.peer.call(name, count=400, page=2, fields=["name"])
        assert told(asked)["items"][0] == {"name": "the row of number 20"}
    assert await every_row(s.peer, "blocks", 90) == list(range(90))


@tries("small texts stay beside a large one")
async def small_texts_stay(s: Setting) -> None:
    result = await s.peer.call("several")
    fits(result)
    small, large = result.content
    assert on_the_wire(small) == {"type": "text", "text": "All rows of today:"}
    assert '"totalItems":400' in on_the_wire(large)["text"]


@tries("long text is cut and read on")
async def text_is_read_on(s: Setting) -> None:
    result = await s.peer.call("log")
    fits(result)
    assert told(result)["truncated"] is True
    assert told(result)["totalChars"] == len(LOG)
    text = told(result)["preview"]
    for _ in range(3):
        result = await s.peer.call("log", cursor=told(result)["nextCursor"])
        fits(result)
        text += told(result)["preview"]
    assert len(text) > 4000
    assert LOG.startswith(text)


@tries("numbers keep their spelling")
async def numbers_keep_their_spelling(s: Setting) -> None:
    page = said(await s.peer.call("exact"))
    assert '{"id":9007199254740993,"price":1.0,"zero":-0,"name":"a row"}' in page
    assert '{"id":9007199254740993,"zero":-0}' in said(await s.peer.call("exact", fields=["id", "zero"]))


@tries("cursors lead through every row once")
async def cursors_lead_through(s: Setting) -> None:
    assert await every_row(s.peer, "list_rows", 150) == list(range(150))


@tries("what is no text passes byte for byte")
async def no_text_passes(s: Setting) -> None:
    result, plain = await s.peer.call("no_text"), await s.naive.call("no_text")
    ours, theirs = [[on_the_wire(block) for block in one.content] for one in (result, plain)]
    assert [block["type"] for block in ours] == ["image", "audio", "text", "resource", "resource_link"]
    others = [[block for block in one if block["type"] != "text"] for one in (ours, theirs)]
    assert others[0] == others[1]
    assert (result.meta or {})["example.com/theirs"] == [1, 2]
    assert receipt(result)["tokensBefore"] < 6000
    fits(result)


@tries("annotations of blocks pass")
async def annotations_pass(s: Setting) -> None:
    result, plain = await s.peer.call("annotated"), await s.naive.call("annotated")
    ours = [on_the_wire(block) for block in result.content]
    assert ours[0] == on_the_wire(plain.content[0])
    assert [{key: block[key] for key in BESIDE} for block in ours] == [BESIDE, BESIDE]
    assert told(result)["totalItems"] == 200


@tries("an error stays an error")
async def an_error_stays(s: Setting) -> None:
    result = await s.peer.call("error")
    assert result.is_error and result.structured_content is None
    assert said(result).count("at line 1") > 20
    fits(result)


@tries("what a tool throws is told")
async def what_is_thrown(s: Setting) -> None:
    result, plain = await s.peer.call("fails"), await s.naive.call("fails")
    assert result.is_error
    assert said(result) == said(plain)
    long = await s.peer.call("fails_at_length")
    assert long.is_error
    fits(long)


@tries("a rate limit that is thrown is a result")
async def a_rate_limit(s: Setting) -> None:
    result = await s.peer.call("boom")
    limit = {"type": "rate_limited", "retryAfterSeconds": 30, "upstream": "boom", "message": "Too Many Requests"}
    assert told(result) == limit
    assert result.is_error and result.structured_content is None
    assert receipt(result)["steps"] == ["rateLimit"]


@tries("a rate limit that was flattened too")
async def a_flattened_rate_limit(s: Setting) -> None:
    result = await s.peer.call("flattened")
    assert (told(result)["type"], told(result)["retryAfterSeconds"]) == ("rate_limited", None)
    assert result.is_error


@tries("a question to the client passes")
async def a_question_passes(s: Setting) -> None:
    before = len(s.peer.questions)
    result = await s.peer.call("asks")
    assert s.peer.questions[before:] == ["Whose articles? " * 300]
    fits(result)
    assert told(result)["items"][0]["author"] == "Ada"


@tries("progress passes")
async def progress_passes(s: Setting) -> None:
    seen, result = await s.peer.progress_of("reports", count=400)
    assert seen == [1, 2]
    assert told(result)["totalItems"] == 400


@tries("calls at the same time do not mix")
async def calls_do_not_mix(s: Setting) -> None:
    found: dict[int, tuple[object, object]] = {}

    async def ask(count: int) -> None:
        promised, paged = await s.peer.call("promised", count=count), await s.peer.call("list_rows", count=count)
        total = told(promised)["total"]
        assert rows_of(told(promised)) == rows_of(promised.structured_content)
        found[count] = total, told(paged)["totalItems"]

    async with anyio.create_task_group() as group:
        for count in range(100, 120):
            group.start_soon(ask, count)
    assert found == {count: (count, count) for count in range(100, 120)}
