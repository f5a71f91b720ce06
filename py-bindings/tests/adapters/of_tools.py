"""Tools as clients see them: their arguments and schemas."""

from __future__ import annotations

from jsonschema import Draft202012Validator

from adapters.results import (
    channels,
    compact,
    every_row,
    fits,
    next_of,
    on_the_wire,
    receipt,
    refused,
    rows_of,
    said,
    told,
)
from adapters.setting import Setting, tries
from adapters.table import BUDGET, POLICY
from adapters.tools import rows
from toolshape import count_tokens

WITHOUT_SCHEMAS = {"inputSchema", "outputSchema"}


@tries("page, pageSize and fields are taken")
async def controls_are_taken(s: Setting) -> None:
    page = told(await s.peer.call("list_rows", count=400, page=3, pageSize=5, fields=["id"]))
    assert (page["page"], page["items"]) == (3, [{"id": at} for at in range(10, 15)])


@tries("the controls stand in the input schema")
async def controls_are_listed(s: Setting) -> None:
    tools = await s.peer.tools()
    for tool in tools.values():
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema or {})
    ours, theirs = tools["list_rows"].input_schema, (await s.naive.tools())["list_rows"].input_schema
    assert list(ours["properties"]) == ["count", "page", "pageSize", "cursor", "fields"]
    assert ours["properties"]["count"] == theirs["properties"]["count"]
    assert {**ours, "properties": None} == {**theirs, "properties": None}


@tries("a strict tool stays strict")
async def strict_stays_strict(s: Setting) -> None:
    for wrong in ({"count": 3, "colour": "red"}, {"count": "three"}, {}):
        plain = await refused(s.naive, "list_rows", **wrong)
        assert await refused(s.peer, "list_rows", **wrong) == plain
    assert await refused(s.peer, "list_rows", count="three", page=2)


@tries("a wrong control is explained")
async def wrong_controls(s: Setting) -> None:
    for wrong in ({"cursor": "nonsense"}, {"page": 0}, {"pageSize": "many"}, {"pageSize": 100_000}, {"fields": "id"}):
        result = await s.peer.call("list_rows", count=400, **wrong)
        assert result.is_error and told(result)["error"].startswith("INVALID_")
    unknown = await s.peer.call("list_rows", count=400, fields=["nmae"])
    assert unknown.is_error and told(unknown)["error"] == "UNKNOWN_FIELD" and "name" in said(unknown)


@tries("a tool's own argument stays its own")
async def own_arguments_stay(s: Setting) -> None:
    schema, own = [(await peer.tools())["own_cursor"].input_schema["properties"] for peer in (s.peer, s.naive)]
    assert list(schema) == ["cursor", "page", "pageSize", "shapeCursor", "fields"]
    assert {name: schema[name] for name in own} == own
    first = told(await s.peer.call("own_cursor", cursor="theirs", page=7))
    assert first["items"][0] == {"id": 0, "name": "the row of number 0", "cursor": "theirs", "page": 7}
    assert "shapeCursor set to nextCursor" in first["note"]
    following = await s.peer.call("own_cursor", cursor="theirs", page=7, shapeCursor=first["nextCursor"])
    row = told(following)["items"][0]
    assert (row["id"], row["cursor"]) == (len(first["items"]), "theirs")


@tries("what a tool tells of itself stays")
async def tools_tell_the_same(s: Setting) -> None:
    ours, theirs = await s.peer.tools(), await s.naive.tools()
    for name, tool in theirs.items():
        plain, shown = on_the_wire(tool), on_the_wire(ours[name])
        assert {**shown, **dict.fromkeys(WITHOUT_SCHEMAS)} == {**plain, **dict.fromkeys(WITHOUT_SCHEMAS)}
    described = on_the_wire(ours["described"])
    assert (described["title"], described["annotations"]["readOnlyHint"]) == ("Rows of today", True)
    assert described["_meta"]["anthropic/maxResultSizeChars"] == 500_000
    assert [name for name in ours if name in theirs] == list(theirs)


@tries("an output schema is widened, and valid")
async def a_schema_is_widened(s: Setting) -> None:
    valid = Draft202012Validator((await s.peer.tools())["promised"].output_schema or False)
    asked = [{}, {"page": 4}, {"fields": ["/rows/7/name"]}, {"fields": ["total"]}]
    for arguments in [{"count": 3}, *({"count": 400, **some} for some in asked)]:
        result = await s.peer.call("promised", **arguments)
        fits(result)
        assert not result.is_error
        valid.validate(result.structured_content)
    assert not valid.is_valid({"total": 1})
    assert not valid.is_valid({"total": 3, "rows": rows(3), "colour": "red"})


@tries("content and structuredContent tell the same")
async def channels_tell_the_same(s: Setting) -> None:
    result = await s.peer.call("promised", count=400)
    fits(result)
    assert result.structured_content == told(result)
    for read in (told, lambda result: result.structured_content):
        assert await every_row(s.peer, "promised", 60, read) == list(range(60))


@tries("a list that is promised is paged")
async def a_promised_list(s: Setting) -> None:
    valid = Draft202012Validator((await s.peer.tools())["listed"].output_schema or False)
    result = await s.peer.call("listed", count=400)
    fits(result)
    valid.validate(result.structured_content)
    assert result.structured_content == told(result)
    assert told(result)["totalItems"] == 400
    for read in (told, lambda result: result.structured_content):
        assert await every_row(s.peer, "listed", 60, read) == list(range(60))


@tries("an output schema is preserved")
async def a_schema_is_preserved(s: Setting) -> None:
    schema, own = [(await peer.tools())["kept"].output_schema for peer in (s.peer, s.naive)]
    assert schema == own and schema is not None
    result = await s.peer.call("kept", count=400)
    fits(result)
    Draft202012Validator(schema).validate(result.structured_content)
    page = told(result)
    assert page["_value"] == result.structured_content
    assert page["_note"].startswith("Page 1/20 of /rows")
    assert [elision["pointer"] for elision in page["_elisions"]] == ["/note"]
    assert receipt(result)["steps"] == ["preserve"]
    assert await every_row(s.peer, "kept", 60) == list(range(60))


@tries("a preserved result links to the whole")
async def a_preserved_result_links(s: Setting) -> None:
    result = await s.peer.call("kept", count=400)
    (link,) = [on_the_wire(block) for block in result.content if block.type == "resource_link"]
    assert link["uri"] == told(result)["_uri"]
    shown = len((result.structured_content or {})["rows"])
    missing = f"{shown} of 400 rows of /rows are shown, from row 0 on; 1 value is shortened or left out."
    assert link["description"] == f"{missing} For any part call read_result with handle set to this uri."
    assert count_tokens(said(result)) + count_tokens(compact(link)) <= BUDGET
    rest = told(await s.peer.call("read_result", handle=link["uri"], pointer="/rows", page=20))
    assert rest["items"][-1]["id"] == 399
    bare = await s.bare.call("kept", count=400)
    assert [block.type for block in bare.content] == ["text"]


@tries("a value that breaks its schema is refused")
async def broken_values(s: Setting) -> None:
    assert await refused(s.naive, "broken")
    assert await refused(s.peer, "broken")


@tries("a tool that is left alone is")
async def left_alone(s: Setting) -> None:
    ours, theirs = [on_the_wire((await peer.tools())["alone"]) for peer in (s.peer, s.naive)]
    assert ours == theirs
    result = await s.peer.call("alone", count=400)
    assert channels(result) == channels(await s.naive.call("alone", count=400))
    assert "toolshape/receipt" not in (result.meta or {})


@tries("a tool has a policy of its own")
async def own_policies(s: Setting) -> None:
    budget = POLICY["tools"]["narrow"]["max_tokens"]
    result = await s.peer.call("narrow", count=400)
    fits(result, budget)
    assert told(result)["pageSize"] == 5
    assert receipt(result)["budget"] == budget
    assert told(await s.peer.call("list_rows", count=400))["pageSize"] == 20


@tries("what is refused says what fits")
async def refusals_suggest(s: Setting) -> None:
    result = await s.peer.call("refuses", count=400)
    fits(result)
    refusal = told(result)
    assert (refusal["error"], refusal["tool"]) == ("OUTPUT_BUDGET_EXCEEDED", "refuses")
    assert refusal["tokens"] > refusal["budget"]
    followed = await s.peer.call("refuses", count=400, **refusal["suggest"])
    fits(followed)
    assert not followed.is_error
    assert len(rows_of(told(followed))) > 0


@tries("what is no tool is refused")
async def no_tool(s: Setting) -> None:
    async def said_of(peer: object) -> str:
        try:
            return said(await peer.call("no_such_tool", count=3))  # type: ignore[attr-defined]
        except Exception as error:
            return str(error)

    assert await said_of(s.peer) == await said_of(s.naive)
    assert await refused(s.peer, "no_such_tool")


@tries("without a store nothing points to one")
async def without_a_store(s: Setting) -> None:
    assert set(await s.bare.tools()) == set(await s.naive.tools())
    assert await s.bare.templates() == []
    first = told(await s.bare.call("list_rows", count=400))
    assert "uri" not in first and "read_result" not in first["note"]
    before = int(said(await s.bare.call("runs")))
    following = told(await s.bare.call("list_rows", count=400, cursor=next_of(first)))
    assert following["items"][0]["id"] == len(first["items"])
    assert int(said(await s.bare.call("runs"))) == before + 1
