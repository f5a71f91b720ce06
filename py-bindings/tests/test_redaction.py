"""What `redact` sees: nothing that it did not see is stored, named or, where the author says so, shown."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any

import pytest
from async_store import ROWS, TEXT, AsyncStore, minified, redact, reply
from conftest import wait
from toolshape import Archive, Shaper


async def redact_later(content: str) -> str:
    await asyncio.sleep(0)
    return redact(content)


@pytest.mark.parametrize("hook", [redact, redact_later])
@pytest.mark.parametrize("given", [ROWS, {"all": ROWS}, TEXT], ids=["list", "object", "text"])
@pytest.mark.parametrize("overflow", ["shape", "offload"])
def test_what_is_kept_is_redacted_first_and_so_is_what_is_told(hook: Any, given: Any, overflow: Any) -> None:
    store = AsyncStore()
    shaper = Shaper(overflow=overflow, offload_over=1000)
    shaped = wait(Archive(shaper, store, redact=hook).shape(given, tool="list"))
    ((key, content),) = store.kept.items()
    assert content == redact(given if isinstance(given, str) else minified(given))
    assert key == store.opened(reply(shaped)) and "sk-" not in shaped.text
    assert key.split(".")[0] == hashlib.sha256(content.encode()).hexdigest()


@pytest.mark.parametrize("redacts", ["stored", "all"])
@pytest.mark.parametrize("hook", [lambda content: 1 / 0, lambda content: content[:-1] + "[", lambda content: None])
def test_what_cannot_be_redacted_is_neither_kept_nor_told(hook: Any, redacts: Any) -> None:
    store, errors = AsyncStore(), list[Exception]()
    archive = Archive(Shaper(), store, redact=hook, redacts=redacts, on_store_error=errors.append)
    result = {"content": [{"type": "text", "text": minified(ROWS)}, {"type": "text", "text": "sk-12345678"}]}
    alone, in_mcp = wait(archive.shape(ROWS, tool="list")), wait(archive.shape_result(result, tool="list"))
    together = wait(archive.shape_together([{"value": ROWS}, {"json": minified(ROWS)}]))
    assert alone.is_error and in_mcp.is_error and all(one.is_error for one in together)
    (block,) = in_mcp.result["content"]
    for text in (alone.text, block["text"], *(one.text for one in together)):
        reply = json.loads(text)
        assert reply["error"] == "REDACT_FAILED" and reply["message"].startswith("the result could not be redacted: ")
        assert "sk-" not in text and "row 1" not in text
    assert store.kept == {} and len(errors) >= 4


def test_all_that_a_model_reads_is_redacted_where_the_author_says_so() -> None:
    store, seen = AsyncStore(), list[str]()

    def hook(content: str) -> str:
        seen.append(content)
        return redact(content)

    archive = Archive(Shaper(), store, redact=hook, redacts="all")
    few = [{"key": "sk-12345678"}]
    assert wait(archive.shape(few)).value == [{"key": "[redacted]"}]
    assert wait(archive.shape(iter(few))).value == [{"key": "[redacted]"}]
    assert wait(archive.shape(iter([1, 2]))).value == [1, 2]
    assert wait(archive.shape("sk-12345678")).text == "[redacted]"
    assert wait(archive.shape_json('{ "a": "sk-12345678" }')).text == '{"a":"[redacted]"}'
    assert wait(archive.summarize_text("sk-12345678 came")).text == "[redacted] came"
    together = wait(archive.shape_together([{"value": iter(few)}, {"json": '["sk-12345678"]'}]))
    assert [one.text for one in together] == ['[{"key":"[redacted]"}]', '["[redacted]"]']
    assert store.kept == {} and seen[0] == '[{"key":"sk-12345678"}]'
    large = wait(archive.shape(ROWS, tool="list"))
    assert "sk-" not in large.text and list(store.kept.values()) == [redact(minified(ROWS))]


def test_what_redact_leaves_alone_keeps_its_spelling() -> None:
    archive = Archive(Shaper(), AsyncStore(), redact=redact, redacts="all")
    spelled = '{"a": 1.0,  "b": "x"}'
    text, json_text = wait(archive.shape(spelled)), wait(archive.shape_json(spelled))
    result = wait(archive.shape_result({"content": [{"type": "text", "text": spelled}]}))
    assert text.unchanged and json_text.unchanged and result.unchanged
    assert text.text == json_text.text == spelled
    assert wait(archive.shape_result(iter([1, 2]))).result["content"][0]["text"] == "[1,2]"


@pytest.mark.parametrize("hook", [redact, redact_later])
def test_a_secret_that_only_a_reader_sees_whole_is_neither_shown_nor_stored(hook: Any) -> None:
    page = f"<!doctype html><html><body>{'<p>Some words.</p>' * 300}<p>s&#107;-12345678 <b>sk-</b>87654321</p>"
    log = "".join(f"2026-01-02T03:04:05Z INFO step {at}\n" for at in range(900))
    log += "2026-01-02T03:04:06Z ERROR \x1b[1ms\x1b[31mk-12345678\x1b[0m\n"
    for text in (page, log):
        for value in (text, {"text": text}, [{"text": text}, {"text": "other"}]):
            store = AsyncStore()
            archive = Archive(Shaper(max_tokens=300), store, redact=hook)
            shaped = wait(archive.shape(value, tool="list"))
            own = text if value == text else minified(value)
            wait(archive.shape_result({"content": [{"type": "text", "text": own}]}, tool="list"))
            assert shaped.keep is not None
            found = wait(archive.read_result({"handle": shaped.keep.ticket[:16], "search": "[redacted]"}))
            assert found.value["totalItems"] > 0 and "12345678" not in shaped.text + found.text
            assert all("[redacted]" in one and "12345678" not in one for one in store.kept.values())
