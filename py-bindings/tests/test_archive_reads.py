"""What an archive reads back of what it keeps: any part of it, for its owner alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from async_store import KEY, AsyncStore, kept, reply
from conftest import wait
from toolshape import Archive, Shaper, ToolshapeError, count_tokens


def test_any_part_of_what_is_kept_can_be_read() -> None:
    archive = Archive(Shaper(), AsyncStore())
    handle = kept(archive)
    for spelled in (handle, f"toolshape://result/{handle}"):
        assert wait(archive.read_result({"handle": spelled, "pointer": "/7/name"})).value == "row 7"
    found = wait(archive.read_result({"handle": handle, "sql": "SELECT name FROM result WHERE id > 397"}))
    assert found.value["rows"] == [["row 398"], ["row 399"]]
    found = wait(archive.read_result({"handle": handle, "search": "sk-00000123"}))
    assert "/123/secret" in found.text and found.tokens <= 2000
    page = wait(archive.read_result({"handle": handle, "page": 3, "pageSize": 5, "fields": ["id"]}))
    assert page.value["items"] == [{"id": i} for i in range(10, 15)]


def test_sql_is_answered_over_the_results_that_the_caller_may_read() -> None:
    archive = Archive(Shaper(cursor_key=KEY), AsyncStore())
    handle, scope = kept(archive, scope="mine"), {"scope": "mine"}
    sql = f"SELECT count(*), max(a.id) FROM {handle} a JOIN {handle}_doc"
    assert wait(archive.read_result({"sql": sql}, **scope)).value["rows"] == [[400, 399]]
    page = wait(archive.read_result({"handle": handle, "sql": "SELECT id FROM result", "pageSize": 5}, **scope)).value
    assert [row[0] for row in page["rows"]] == list(range(5)) and page["totalItems"] == 400
    next_page = {"handle": handle, "sql": "SELECT id FROM result", "pageSize": 5, "cursor": page["nextCursor"]}
    assert wait(archive.read_result(next_page, **scope)).value["rows"][0] == [5]
    assert wait(archive.read_result({"sql": sql}, scope="yours")).value["error"] == "NOT_FOUND"
    refused = wait(archive.read_result({"sql": sql}, authorize=lambda _: False, **scope))
    assert refused.value["error"] == "FORBIDDEN"
    assert wait(archive.read_result({"sql": "SELECT nope FROM " + handle}, **scope)).value["error"] == "UNKNOWN_FIELD"


@pytest.mark.parametrize(
    "handle", ["", "../x", "%2e%2e", "f" * 63, "F" * 64, "f" * 64 + "\0", ["f" * 64], 7, None], ids=repr
)
def test_what_is_no_handle_is_refused_in_a_result_and_the_store_is_not_asked(handle: Any) -> None:
    archive = Archive(Shaper(), AsyncStore(AssertionError("asked")), on_store_error=pytest.fail)
    shaped = wait(archive.read_result({"handle": handle}))
    assert shaped.is_error and shaped.value["error"] == "INVALID_HANDLE"
    assert wait(archive.read_result({})).value["error"] == "INVALID_HANDLE"
    if isinstance(handle, str):
        with pytest.raises(ToolshapeError) as raised:
            wait(archive.resource(handle))
        assert raised.value.code == "INVALID_HANDLE"


@pytest.mark.parametrize("fault", ["never there", "changed", "another scope", "no scope"])
def test_what_is_not_the_callers_is_not_found(fault: str) -> None:
    store = AsyncStore()
    archive = Archive(Shaper(cursor_key=KEY), store)
    handle, scope = kept(archive, scope="mine"), {"scope": "mine"}
    assert not wait(archive.read_result({"handle": handle}, **scope)).is_error
    if fault == "never there":
        handle = "0" * 64
    elif fault == "changed":
        (key,) = store.kept
        store.kept[key] += " "
    else:
        scope = {"scope": "yours"} if fault == "another scope" else {}
    shaped = wait(archive.read_result({"handle": handle}, **scope))
    assert shaped.is_error and shaped.value["error"] == "NOT_FOUND"
    assert "row" not in shaped.text
    with pytest.raises(ToolshapeError) as raised:
        wait(archive.resource(f"toolshape://result/{handle}", **scope))
    assert raised.value.code == "NOT_FOUND"


def test_a_store_that_cannot_be_read_is_told_in_a_result() -> None:
    errors: list[Exception] = []
    archive = Archive(Shaper(), AsyncStore(ConnectionError("secret.host")), on_store_error=errors.append)
    shaped = wait(archive.read_result({"handle": "0" * 64}))
    assert shaped.is_error and shaped.value["error"] == "STORE_FAILED"
    assert shaped.value["message"] == "the store cannot be read: ConnectionError" and "hint" in shaped.value
    assert isinstance(errors[0], ConnectionError)
    with pytest.raises(ToolshapeError) as raised:
        wait(archive.resource("toolshape://result/" + "0" * 64))
    assert raised.value.code == "STORE_FAILED"


def test_a_resource_is_json_or_text_and_shaped_as_any_result() -> None:
    archive = Archive(Shaper(max_tokens=500), AsyncStore())
    short = Archive(Shaper(max_tokens=400), AsyncStore())
    large = wait(archive.resource(uri := f"toolshape://result/{kept(archive)}"))
    assert large["uri"] == uri and large["mimeType"] == "application/json"
    assert json.loads(large["text"])["paginated"] and count_tokens(large["text"]) <= 500
    text = "word " * 600
    handle = reply(wait(short.shape(text)))
    assert wait(short.resource(f"toolshape://result/{handle}"))["mimeType"] == "application/json"
    short._shaper = Shaper()
    assert wait(short.resource(uri := f"toolshape://result/{handle}")) == {
        "uri": uri,
        "mimeType": "text/plain",
        "text": text,
    }


def test_a_stored_result_is_returned_whole_to_a_tool_of_the_authors() -> None:
    archive = Archive(Shaper(cursor_key=KEY), AsyncStore())
    handle = kept(archive, scope="mine")
    rows = json.loads(wait(archive.whole(handle, scope="mine")))
    assert len(rows) == 400 and rows[399]["name"] == "row 399"
    text = 'word "quoted" \u2028\n' * 3000
    log = reply(wait(archive.shape(text, tool="log", scope="mine")))
    assert wait(archive.whole(log, scope="mine")) == text
    refusals: list[tuple[Any, str]] = [
        ({"scope": "yours"}, "NOT_FOUND"),
        ({"scope": "mine", "authorize": lambda _: False}, "FORBIDDEN"),
    ]
    for call, code in refusals:
        with pytest.raises(ToolshapeError) as raised:
            wait(archive.whole(handle, **call))
        assert raised.value.code == code
