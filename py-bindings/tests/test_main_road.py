"""A large result on its way to a model: its text is the host's own, and no other copy of it stays."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from conftest import wait
from toolshape import Archive, MemoryStore, Shaper

ROWS = [{"id": id, "name": f"row {id}", "note": "no remark"} for id in range(4000)]
TEXT = json.dumps(ROWS, separators=(",", ":"))
# Not in the Latin alphabet, so that Python does not hold it as UTF-8.
WIDE = json.dumps([{**row, "name": f"größe 中 {row['id']}"} for row in ROWS], ensure_ascii=False, separators=(",", ":"))


def result(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


@pytest.mark.parametrize("text", [TEXT, WIDE], ids=["ascii", "wide"])
def test_what_is_stored_is_the_very_text_that_the_tool_returned(text: str) -> None:
    archive = Archive(Shaper(), MemoryStore())
    log = text.replace("},{", "}\n{")
    for shaped, own, ending in [
        (wait(archive.shape_json(text)), text, "json"),
        (wait(archive.shape_result(result(text))), text, "json"),
        (wait(archive.shape(log[1:-1])), None, "txt"),
        (wait(archive.shape_result(result("a log: " + log))), None, "txt"),
    ]:
        assert shaped.keep is not None
        assert own is None or shaped.keep.content is own
        digest = hashlib.sha256(shaped.keep.content.encode()).hexdigest()
        assert shaped.keep.key == f"{digest}.{ending}"


def test_a_plain_text_of_a_result_is_stored_as_it_is() -> None:
    log = "größe 中 of a line\n" * 5000
    returned = result(log)
    shaped = wait(Archive(Shaper(), MemoryStore()).shape_result(returned))
    assert shaped.keep is not None and shaped.keep.content is returned["content"][0]["text"]


def test_a_lone_surrogate_is_replaced_in_what_is_stored() -> None:
    for shape in [
        lambda archive, text: archive.shape(text),
        lambda archive, text: archive.shape_result(result(text)),
    ]:
        shaped = wait(shape(Archive(Shaper(), MemoryStore()), "a word \ud800 中\n" * 5000))
        assert shaped.keep.content == "a word \ufffd 中\n" * 5000
        assert shaped.keep.key == hashlib.sha256(shaped.keep.content.encode()).hexdigest() + ".txt"
    # In JSON it stays, as an escape.
    escaped = WIDE[:-1] + ',"\\ud800"]'
    shaped = wait(Archive(Shaper(), MemoryStore()).shape_json(WIDE[:-1] + ',"\ud800"]'))
    assert shaped.keep.content == escaped


def test_several_values_are_each_stored_as_their_own() -> None:
    store = MemoryStore()
    values = [{"value": ROWS}, {"json": WIDE}, {"value": "a word of a text\n" * 5000}, {"value": list(reversed(ROWS))}]
    shaped = wait(Archive(Shaper(), store).shape_together(values))
    contents = [one.keep.content for one in shaped]
    assert contents == [TEXT, WIDE, values[2]["value"], json.dumps(values[3]["value"], separators=(",", ":"))]
    assert [store.get(one.keep.key) for one in shaped] == contents


def test_structured_content_is_stored_as_it_is_written() -> None:
    for structured in [{"result": ROWS}, {"rows": ROWS}]:
        returned = {"content": [], "structuredContent": structured}
        shaped = wait(Archive(Shaper(), MemoryStore()).shape_result(returned))
        assert shaped.keep is not None
        assert shaped.keep.content == json.dumps(structured, separators=(",", ":"))
        assert shaped.keep.key == hashlib.sha256(shaped.keep.content.encode()).hexdigest() + ".json"
