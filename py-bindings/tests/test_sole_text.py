"""A result of one short text, as most are, takes a shorter way through adapters: with the outcome of every other way."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as mt
import pytest
from conftest import wait
from toolshape import Shaper
from toolshape import _toolshape as core
from toolshape.adapter import Adapter, Caller

ROWS = [{"id": id, "name": f"row {id}"} for id in range(60)]
TEXTS = [
    "",
    "a word",
    "[1, 2.50, 1e3]",
    '{"b":1,\n "a":"größe 🙂"}',
    json.dumps(ROWS),
    "word " * 700,
    "lone \ud800 surrogate",
    "{not json",
    "x" * 4096,
    "x" * 4097,
]
POLICIES: list[dict[str, Any]] = [{}, {"max_tokens": 200}, {"text": "plain"}, {"tools": {"left_alone": False}}]


def timeless(shaped: Any) -> Any:
    """The result except for how long it took."""
    result = dict(shaped.result)
    if (result.get("_meta") or {}).get("toolshape/receipt"):
        result["_meta"] = {"toolshape/receipt": {**result["_meta"]["toolshape/receipt"], "durationMs": 0}}
    receipt = {**shaped.receipt, "duration_ms": 0}
    return list(result.items()), shaped.unchanged, shaped.is_error, receipt, shaped.keep


def forms(text: str) -> list[dict[str, Any]]:
    """A result of one text, as a dict and as SDKs have it."""
    block = {"type": "text", "text": text}
    forms: list[dict[str, Any]] = [{"content": [block]}, {"content": [block], "isError": False, "_meta": None}]
    if text.isascii():
        own = mt.TextContent(type="text", text=text)
        forms.append({"content": [own], "structuredContent": None, "isError": None, "_meta": None})
    return forms


@pytest.mark.parametrize("policy", POLICIES)
def test_a_text_that_passes_for_every_call_passes_for_each_as_it_does_alone(policy: dict[str, Any]) -> None:
    shaper, passing = Shaper(**policy), 0
    for text in TEXTS:
        for returned in forms(text):
            for tool, client in [("list", None), ("left_alone", "claude-code"), (None, "codex-mcp-client")]:
                passed = core.pass_result(shaper, returned, tool, client)
                if passed is None:
                    continue
                passing += 1
                assert passed.result["content"][0] is returned["content"][0]
                assert passed.result["content"] is not returned["content"]
                for call in [{}, {"arguments": {"filter": [1]}, "store": True}]:
                    shaped = shaper.shape_result(returned, tool=tool, client=client, **call)  # type: ignore[arg-type]
                    assert timeless(passed) == timeless(shaped)
    assert passing > len(TEXTS)


class Text(mt.TextContent):
    """A text of the server's own."""


@pytest.mark.parametrize(
    "returned",
    [
        {"content": [{"type": "text", "text": "a"}], "isError": True},
        {"content": [{"type": "text", "text": "a"}], "isError": 0},
        {"content": [{"type": "text", "text": "a"}], "structuredContent": {"a": 1}},
        {"content": [{"type": "text", "text": "a"}], "_meta": {"a": 1}},
        {"content": [{"type": "text", "text": "a"}], "more": None},
        {"content": [{"type": "text", "text": "a", "annotations": {"priority": 1}}]},
        {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"content": [{"type": "text", "text": 5}]},
        {"content": [{"type": "image", "text": "a"}]},
        {"content": [{"text": "a"}]},
        {"content": "a"},
        {"content": []},
        {},
        "a",
        None,
        {"content": [mt.TextContent(type="text", text="a", annotations=mt.Annotations(priority=1))]},
        {"content": [mt.TextContent.model_validate({"type": "text", "text": "a", "_meta": {"a": 1}})]},
        {"content": [Text(type="text", text="a")]},
        {"content": [mt.ImageContent(type="image", data="AAAA", mime_type="image/png")]},
    ],
)
def test_what_is_more_than_one_text_is_read_as_it_is(returned: object) -> None:
    assert core.pass_result(Shaper(), returned, "list", None) is None


def test_a_call_that_asks_for_a_part_of_a_short_text_gets_it() -> None:
    async def work(_: object) -> object:
        return {"content": [{"type": "text", "text": '[{"id":1,"name":"a"}]'}]}

    adapter = Adapter({})
    plan = adapter.plan({"name": "list", "inputSchema": {"type": "object"}})
    texts = [
        wait(adapter.run(plan, given, Caller(client, None), work))["content"][0]["text"]
        for given, client in [({"fields": ["name"]}, None), ({}, None), ({}, "a client \ud800")]
    ]
    assert texts == ['[{"name":"a"}]', '[{"id":1,"name":"a"}]', '[{"id":1,"name":"a"}]']


def test_no_text_passes_before_a_function_that_is_to_see_every_one_has_seen_it() -> None:
    async def work(_: object) -> object:
        return {"content": [{"type": "text", "text": "a secret"}]}

    def redact(text: str) -> str:
        return text.replace("secret", "word")

    texts = []
    for options in [{}, {"redact": redact}, {"redact": redact, "redacts": "all"}]:
        adapter = Adapter({}, **options)  # type: ignore[arg-type]
        plan = adapter.plan({"name": "list", "inputSchema": {"type": "object"}})
        texts.append(wait(adapter.run(plan, {}, Caller(None, None), work))["content"][0]["text"])
    assert texts == ["a secret", "a secret", "a word"]
