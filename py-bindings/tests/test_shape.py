"""The shaper as Python sees it: same value when nothing is to be done, and no more read than is shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from toolshape import Shaper, ToolshapeError, count_tokens, expand, explain

SHAPER = Shaper(max_tokens=2000)


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": i, "name": f"row {i}", "tags": ["a", "b"]} for i in range(count)]


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "text", [], {}, rows(50), {"a": (1, 2)}], ids=repr)
def test_what_fits_is_the_very_same_object(value: Any) -> None:
    shaped = SHAPER.shape(value)
    assert shaped.value is value
    assert shaped.unchanged and not shaped.is_error
    assert shaped.receipt["steps"] == []
    assert shaped.text == (value if isinstance(value, str) else json.dumps(value, separators=(",", ":")))
    assert shaped.tokens == count_tokens(shaped.text) == shaped.receipt["tokens_before"]


def test_a_tool_that_is_left_alone() -> None:
    shaper = Shaper(tools={"raw": False, "small": {"max_tokens": 300}})
    value = rows(1000)
    shaped = shaper.shape(value, tool="raw")
    assert shaped.value is value and shaped.unchanged
    assert shaper.shape(value, tool="small").receipt["budget"] == 300
    assert shaper.shape(value, tool="small").tokens <= 300
    assert shaper.shape(value, tool="other").receipt["budget"] == 2000


def test_pages_put_together_are_the_list() -> None:
    value = rows(333)
    seen: list[Any] = []
    cursor = None
    while True:
        page = SHAPER.shape(value, tool="list_rows", cursor=cursor).value
        seen += page["items"]
        cursor = page["nextCursor"]
        if not page["hasMore"]:
            break
    assert seen == value and cursor is None


def test_a_page_is_the_same_from_objects_and_from_text() -> None:
    value = rows(1000)
    ours = SHAPER.shape(value, tool="list_rows", page=7)
    assert ours.text == SHAPER.shape_json(json.dumps(value), tool="list_rows", page=7).text
    assert ours.value == json.loads(expand(ours.text))
    assert ours.value is ours.value


def test_the_receipt_is_measured_and_has_names_of_python() -> None:
    receipt = SHAPER.shape(rows(1000), tool="list_rows").receipt
    assert list(receipt) == [
        "tool",
        "steps",
        "reason",
        "rows",
        "tokens_before",
        "tokens_before_exact",
        "tokens_after",
        "budget",
        "encoding",
        "bytes",
        "duration_ms",
    ]
    assert receipt["tool"] == "list_rows"
    assert receipt["steps"] == ["columns", "paginate"]
    assert receipt["reason"] == f"about {receipt['tokens_before']} tokens > budget 2000"
    assert receipt["rows"] == {"returned": 70, "total": 1000}
    assert 0 < receipt["duration_ms"] < 1000
    assert receipt["tokens_after"] <= receipt["budget"] == 2000
    assert receipt["tokens_before"] > 2000 and receipt["tokens_before_exact"] is False


def test_the_receipt_says_why_and_explains() -> None:
    many = Shaper(max_tokens=4000, paginate_after=50).shape(rows(200), tool="list_rows").receipt
    assert many["reason"] == "200 rows > paginate_after 50"
    assert explain(many).splitlines()[1] == "Reason: 200 rows > paginate_after 50."
    for wrong in ({}, {"tool": "x"}, None):
        with pytest.raises(ToolshapeError, match="receipt"):
            explain(wrong)  # type: ignore[arg-type]


def test_json_text_keeps_its_spelling() -> None:
    text = '{"a":9007199254740993,"b":1.0,"c":-0,"d":1E2,"e":123456789012345678901234567890,"a":"\\ud83d"}'
    shaped = SHAPER.shape_json(text)
    assert shaped.text == text and shaped.unchanged
    assert shaped.value["e"] == 123456789012345678901234567890
    # A lone surrogate in the text itself is the same as its escape.
    assert SHAPER.shape_json('["\ud83d"]').text == r'["\ud83d"]'


def test_values_that_json_loads_alone_could_not_read() -> None:
    shaper = Shaper(max_tokens=100_000)
    digits = "9" * 5000
    assert str(shaper.shape_json(f"[{digits},1]").value[0]) == digits
    assert shaper.shape_json(f"[{digits},1]").value[1] == 1
    deep = shaper.shape_json("[" * 4000 + "]" * 4000)
    assert len(deep.text) == 8000
    try:
        assert deep.value is not None
    except ToolshapeError as error:
        assert error.code == "TOO_DEEP"


class Watched(Sequence):
    """A list that knows which of its items were read."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.read: set[int] = set()

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: Any) -> Any:
        self.read.add(index)
        return {"id": index, "text": "x" * 40}


@pytest.mark.parametrize("length", [1_000, 100_000, 1_000_000_000])
def test_a_page_reads_its_rows_and_a_sample(length: int) -> None:
    watched = Watched(length)
    shaped = SHAPER.shape(watched, page=3, page_size=20)
    assert [row["id"] for row in shaped.value["items"]] == list(range(40, 60))
    # Also the page before, of which the note says if it had no room for all its rows, some for the estimate of the whole, and
    # those of the first page and the last one, which decide which fields all pages show.
    assert len(watched.read) <= 20 + 20 + 32 + 20 + 1


def test_a_row_that_cannot_be_read_spoils_only_its_own_page() -> None:
    value = rows(1000)
    value[500]["bad"] = object()
    assert SHAPER.shape(value, page=1, page_size=20).value["page"] == 1
    with pytest.raises(ToolshapeError) as raised:
        SHAPER.shape(value, page=26, page_size=20)
    assert raised.value.path == "/500/bad"


def test_a_long_text_is_read_only_where_it_is_shown() -> None:
    text = "".join(f"line {i} with the word Größe\n" for i in range(200_000))
    shaped = SHAPER.shape(text)
    assert shaped.value["truncated"] is True
    assert shaped.value["totalChars"] == len(text)
    assert text.startswith(shaped.value["preview"]["head"]) and text.endswith(shaped.value["preview"]["tail"])
    assert shaped.tokens <= 2000


def test_shaped_prints_what_was_done() -> None:
    assert repr(SHAPER.shape([1])) == "<toolshape.Shaped: 3 of 2000 tokens, as it was>"
    assert "paginate" in repr(SHAPER.shape(rows(1000)))


@pytest.mark.parametrize("depth", [127, 128, 4_000])
def test_a_tools_own_arguments_may_nest_deeply(depth: int) -> None:
    nested: list[Any] = []
    for _ in range(depth - 1):
        nested = [nested]
    shaped = SHAPER.shape(rows(200), tool="list", arguments={"filter": nested, "page": 2, "pageSize": 5})
    assert not shaped.is_error
    assert json.loads(expand(shaped.text))["items"] == rows(200)[5:10]


def test_a_number_beyond_every_float_is_text_in_a_value_and_a_number_in_the_text() -> None:
    for text, value in (
        ('[1e999,-1E+400,1e308,"1e999"]', ["1e999", "-1E+400", 1e308, "1e999"]),
        (f"[{'9' * 400}]", [int("9" * 400)]),
        (f"[1.5,{'9' * 400}.5]", [1.5, f"{'9' * 400}.5"]),
    ):
        shaped = Shaper().shape_json(text)
        assert (shaped.text, shaped.value) == (text, value)
