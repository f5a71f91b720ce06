"""Faults: one class, stable codes, names as Python spells them; and after each the next call works."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import toolshape
from toolshape import (
    Shaper,
    ToolshapeError,
    _toolshape,
    count_tokens,
    decode,
    decode_bytes,
    encode,
    fits_tokens,
    load_encoding,
    truncate_to_tokens,
)

SHAPER = Shaper()
ROWS = [{"id": i} for i in range(100)]

THROWN: list[tuple[str, Callable[[], Any], str, str, str]] = [
    ("unknown option", lambda: Shaper(max_token=1), "INVALID_POLICY", "/max_token", "did you mean max_tokens?"),
    ("camelCase option", lambda: Shaper(maxTokens=2000), "INVALID_POLICY", "/maxTokens", "did you mean max_tokens?"),
    ("wrong type", lambda: Shaper(max_tokens="2000"), "INVALID_POLICY", "/max_tokens", 'max_tokens is "2000"'),
    ("out of range", lambda: Shaper(max_tokens=199), "INVALID_POLICY", "/max_tokens", "from 200"),
    ("a bool is not a number", lambda: Shaper(max_tokens=True), "INVALID_POLICY", "/max_tokens", "max_tokens is True"),
    ("not a number", lambda: Shaper(margin=float("nan")), "INVALID_POLICY", "/margin", "margin is"),
    ("a number beyond all", lambda: Shaper(max_tokens=10**400), "INVALID_POLICY", "/max_tokens", "max_tokens is"),
    (
        "options at odds",
        lambda: Shaper(page_size=50, max_page_size=20),
        "INVALID_POLICY",
        "/page_size",
        "max_page_size",
    ),
    ("an object", lambda: Shaper(fields=object()), "UNSUPPORTED_VALUE", "/fields", "object has no JSON form"),
    ("a choice", lambda: Shaper(overflow="drop"), "INVALID_POLICY", "/overflow", '"shape" or "error"'),
    (
        "a tool's option",
        lambda: Shaper(tools={"a/b": {"max_tokens": 1}}),
        "INVALID_POLICY",
        "/tools/a~1b/max_tokens",
        "1",
    ),
    ("a tool's rest", lambda: Shaper(tools={"x": True}), "INVALID_POLICY", "/tools/x", "False"),
    ("unknown control", lambda: SHAPER.shape(ROWS, pages=2), "INVALID_CALL", "/pages", "did you mean page?"),
    ("tool of another type", lambda: SHAPER.shape(ROWS, tool=5), "INVALID_CALL", "/tool", "tool is 5"),
    ("arguments of another type", lambda: SHAPER.shape(ROWS, arguments=[1]), "INVALID_CALL", "/arguments", "object"),
    ("broken JSON", lambda: SHAPER.shape_json('{"a":\n tru}'), "INVALID_JSON", "", "line 2, column 2"),
    (
        "JSON that is not text",
        lambda: SHAPER.shape_json({"a": 1}),
        "INVALID_CALL",
        "/text",
        "it takes JSON as str or bytes",
    ),
    ("bytes that are not text", lambda: SHAPER.shape_json(5), "INVALID_CALL", "/text", "it takes JSON as str or bytes"),
    ("JSON too deep", lambda: SHAPER.shape_json("[" * 1_000_000), "TOO_DEEP", "", "4096"),
    ("text to count", lambda: count_tokens(5), "INVALID_CALL", "/text", "text is 5"),
    ("encoding", lambda: count_tokens("a", "gpt2"), "INVALID_CALL", "/encoding", "or one that was loaded"),
    ("encoding of another type", lambda: count_tokens("a", 7), "INVALID_CALL", "/encoding", "encoding is 7"),
    ("no side", lambda: truncate_to_tokens("a", 1, side="middle"), "INVALID_CALL", "/side", '"head" or "tail"'),
    ("tokens of an estimate", lambda: encode("a", "estimate"), "INVALID_CALL", "/encoding", "has no tokens"),
    ("no token", lambda: decode([199_998]), "INVALID_CALL", "/tokens", "199998 is not a token"),
    ("tokens of another type", lambda: decode([-1]), "INVALID_CALL", "/tokens", "whole numbers"),
    ("no tokens", lambda: decode_bytes(7), "INVALID_CALL", "/tokens", "an iterable"),
    ("taken name", lambda: load_encoding("estimate", b"", "o200k_base"), "INVALID_CALL", "/name", "name of its own"),
    ("broken ranks", lambda: load_encoding("junk", b"YQ==", "o200k_base"), "INVALID_CALL", "/ranks", "line 1"),
    ("ranks as text", lambda: load_encoding("junk", "YQ== 0", "o200k_base"), "INVALID_CALL", "/ranks", "takes bytes"),
    ("no pattern", lambda: load_encoding("junk", b"", "gpt2"), "INVALID_CALL", "/pattern", '"cl100k_base"'),
    ("negative limit", lambda: fits_tokens("a", -1), "INVALID_CALL", "/limit", "limit is -1"),
    ("a panic", _toolshape._panic, "INTERNAL", "", "on purpose"),
]


@pytest.mark.parametrize(
    ("fault", "code", "path", "message"), [row[1:] for row in THROWN], ids=[row[0] for row in THROWN]
)
def test_thrown(fault: Callable[[], Any], code: str, path: str, message: str) -> None:
    if code == "TypeError":
        with pytest.raises(TypeError):
            fault()
        return
    with pytest.raises(ToolshapeError) as raised:
        fault()
    assert (raised.value.code, raised.value.path) == (code, path)
    assert message in str(raised.value)
    assert SHAPER.shape([1, 2]).text == "[1,2]"
    assert count_tokens("hello world") == 2


def test_secrets_stay_out_of_messages() -> None:
    with pytest.raises(ToolshapeError) as raised:
        Shaper(cursor_key="hunter2")
    assert raised.value.path == "/cursor_key"
    assert "hunter2" not in str(raised.value)


CALLERS_FAULTS: list[dict[str, Any]] = [
    {"page": 0},
    {"page": -1},
    {"page": 2**53},
    {"page": 10**400},
    {"page": float("nan")},
    {"page": "two"},
    {"page_size": 1001},
    {"cursor": "no cursor"},
    {"cursor": "\ud800"},
    {"fields": ["nothing"]},
    {"fields": ["x" * 1_000_000]},
    {"fields": ["a." * 500_000 + "a"]},
    {"fields": 7},
    {"format": "xml"},
    {"arguments": {"page": 0}},
]


@pytest.mark.parametrize("call", CALLERS_FAULTS, ids=lambda call: str(call)[:40])
def test_what_the_model_got_wrong_is_a_result(call: dict[str, Any]) -> None:
    shaped = SHAPER.shape(ROWS, tool="list_ids", **call)
    assert shaped.is_error and not shaped.unchanged
    assert shaped.value["error"] in {"INVALID_CALL", "INVALID_CURSOR", "UNKNOWN_FIELD"}
    assert shaped.value["tool"] == "list_ids"
    assert SHAPER.shape(ROWS, tool="list_ids", page=2, page_size=5).value["page"] == 2


def test_arguments_keep_their_names_and_carry_call_controls() -> None:
    shaped = SHAPER.shape(ROWS, arguments={"pageSize": 5, "page": 2, "max_tokens": "mine", "odd": "\ud800"})
    assert [row["id"] for row in shaped.value["items"]] == [5, 6, 7, 8, 9]


def test_the_error_is_one_class_that_copies() -> None:
    error = ToolshapeError("what", "INVALID_CALL", "/page")
    assert issubclass(ToolshapeError, Exception)
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (str(again), again.code, again.path) == ("what", "INVALID_CALL", "/page")
    assert f"{ToolshapeError.__module__}.{ToolshapeError.__qualname__}" == "toolshape.ToolshapeError"


def test_a_panic_is_an_ordinary_exception() -> None:
    """Also where only ``except Exception`` is between it and the process's end."""
    program = """
from toolshape import Shaper, _toolshape
try:
    _toolshape._panic()
except Exception as error:
    assert type(error).__name__ == "ToolshapeError", error
print(Shaper().shape([1]).text)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[1]\n"


def test_everything_public_is_named() -> None:
    assert set(toolshape.__all__) == {
        "Archive",
        "FileStore",
        "Keep",
        "MemoryStore",
        "Shaped",
        "ShapedResult",
        "Shaper",
        "Store",
        "ToolshapeError",
        "assert_fits",
        "__version__",
        "count_tokens",
        "decode",
        "decode_bytes",
        "expand",
        "explain",
        "encode",
        "encode_with_special",
        "fits_tokens",
        "load_encoding",
        "read_result_tool",
        "summarize_tool",
        "truncate_to_tokens",
    }
