"""What an author's own test expects of a tool's result."""

from __future__ import annotations

import json
from typing import Any

import pytest
from toolshape import Shaper, ToolshapeError, assert_fits

ROWS = [{"id": at, "author": {"name": f"name {at}"}, "body": "word " * 200} for at in range(400)]


def result(value: Any, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(value)}], **more}


def test_a_shaped_result_fits_and_shows_its_fields() -> None:
    shaped = Shaper(max_tokens=2000).shape_result(result(ROWS), tool="list").result
    assert_fits(shaped, max_tokens=2000, fields=["id", "author.name", "/author/name"])


@pytest.mark.parametrize(
    ("given", "expected", "said"),
    [
        (result(ROWS), {}, "more than 2000"),
        (result({}, structuredContent={"rows": ROWS}), {}, "structuredContent has"),
        (result([{"id": 1}]), {"fields": ["id", "titel"]}, "does not show titel"),
        (result("no", isError=True), {}, "is an error"),
        (result("yes"), {"is_error": True}, "is not an error"),
    ],
)
def test_all_that_is_not_as_expected_is_named(given: Any, expected: Any, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        assert_fits(given, **expected)


def test_what_cannot_be_expected_is_refused() -> None:
    with pytest.raises(ToolshapeError, match="max_tokens"):
        assert_fits(result([]), max_tokens=1)
