"""Upstream rate limits in what Python raises: chains, groups, responses, hostile exceptions."""

from __future__ import annotations

import email.message
import urllib.error
from typing import Any

import pytest

from toolshape import Shaper, ToolshapeError

SHAPER = Shaper()


class Response:
    def __init__(self, status: int, headers: Any) -> None:
        self.status_code = status
        self.headers = headers


class HttpError(Exception):
    def __init__(self, response: Response) -> None:
        super().__init__("Too Many Requests, slow down")
        self.response = response


class Hostile(Exception):
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("no")

    def __str__(self) -> str:
        raise RuntimeError("no")


def test_a_raised_response() -> None:
    shaped = SHAPER.rate_limit(HttpError(Response(429, {"Retry-After": "30"})), tool="list_articles")
    assert shaped is not None
    assert shaped.value == {
        "type": "rate_limited",
        "retryAfterSeconds": 30,
        "upstream": "list_articles",
        "message": "Too Many Requests, slow down",
    }
    assert shaped.is_error and not shaped.unchanged
    assert shaped.receipt["steps"] == ["rateLimit"] and shaped.receipt["durationMs"] > 0


def test_urllib() -> None:
    headers = email.message.Message()
    headers["retry-after"] = "7"
    error = urllib.error.HTTPError("http://x", 429, "Too Many Requests", headers, None)
    shaped = SHAPER.rate_limit(error)
    assert shaped is not None and shaped.value["retryAfterSeconds"] == 7


def test_a_cause_far_down() -> None:
    error: Exception = HttpError(Response(429, {"retry-after": "5"}))
    for i in range(50):
        outer = ValueError(f"layer {i}")
        outer.__cause__ = error
        error = outer
    shaped = SHAPER.rate_limit(error)
    assert shaped is not None and shaped.value["retryAfterSeconds"] == 5


def test_a_group() -> None:
    groups = pytest.importorskip("builtins")
    if not hasattr(groups, "ExceptionGroup"):
        pytest.skip("Python 3.10 has no groups")
    limited = [HttpError(Response(429, {"retry-after": str(wait)})) for wait in (5, 9)]
    shaped = SHAPER.rate_limit(groups.ExceptionGroup("both", [ValueError("x"), *limited]))
    assert shaped is not None and shaped.value["retryAfterSeconds"] == 9


def test_a_date_is_measured_from_now() -> None:
    error = HttpError(Response(429, {"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}))
    shaped = SHAPER.rate_limit(error, now=784111777 - 60)
    assert shaped is not None and shaped.value["retryAfterSeconds"] == 60
    late = SHAPER.rate_limit(error)
    assert late is not None and late.value["retryAfterSeconds"] is None


@pytest.mark.parametrize(
    "error", [ValueError("no limit"), HttpError(Response(500, {})), None, "", object()], ids=repr
)
def test_what_tells_of_no_limit(error: Any) -> None:
    assert SHAPER.rate_limit(error) is None


def test_an_exception_that_raises_when_looked_at() -> None:
    assert SHAPER.rate_limit(Hostile()) is None


def test_a_cycle_of_causes_ends() -> None:
    error = ValueError("around")
    error.__cause__ = error
    assert SHAPER.rate_limit(error) is None


def test_a_wrong_call_is_refused() -> None:
    with pytest.raises(ToolshapeError) as raised:
        SHAPER.rate_limit(ValueError("429"), tol="x")
    assert raised.value.code == "INVALID_CALL"
