"""Upstream rate limits in what Python raises: chains, groups, responses, hostile exceptions."""

from __future__ import annotations

import email.message
import http
import time
import unittest.mock
import urllib.error
from collections.abc import Callable
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
        "message": "Too Many Requests",
    }
    assert shaped.is_error and not shaped.unchanged
    assert shaped.receipt["steps"] == ["rateLimit"] and shaped.receipt["duration_ms"] > 0


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


@pytest.mark.parametrize("error", [ValueError("no limit"), HttpError(Response(500, {})), None, "", object()], ids=repr)
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


class Limited(Exception):
    """An exception with the attributes that it is given."""

    def __init__(self, message: object = "slow down", **attributes: Any) -> None:
        super().__init__(message)
        self.__dict__.update(attributes)


class Incomparable:
    """As ``httpx.Headers``, and worse: whatever is done with it raises."""

    def __eq__(self, other: object) -> bool:
        raise TypeError("not to be compared")

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TypeError("no truth in it")

    def __str__(self) -> str:
        raise KeyboardInterrupt

    def __int__(self) -> int:
        return 429

    __index__ = __int__

    def __float__(self) -> float:
        return 429.0

    def __getattr__(self, name: str) -> Any:
        raise SystemExit


class Guarded(Exception):
    status_code = 429

    @property
    def status(self) -> int:
        raise RuntimeError("not yet")

    @property
    def response(self) -> object:
        raise KeyboardInterrupt


class Endless(Exception):
    @property
    def status(self) -> int:
        return self.status


class Speechless(Exception):
    status = 429

    def __str__(self) -> str:
        raise ValueError("no words")


class Strict(dict):  # type: ignore[type-arg]
    def __getitem__(self, key: object) -> object:
        raise ZeroDivisionError


def chain(length: int, end: Exception) -> Exception:
    for _ in range(length):
        outer = Limited("list failed")
        outer.__cause__ = end
        end = outer
    return end


def raised(work: Callable[[], None]) -> Exception:
    try:
        work()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def limit_put_aside() -> None:
    try:
        raise Limited(status=429)
    except Limited:
        raise ValueError("no such tool") from None


def gone_after_a_retry() -> None:
    try:
        raise Limited(status=429)
    except Limited:
        raise Limited("gone", status=404)  # noqa: B904


# Looked up by name: pytest itself would compare and print them.
NO_LIMIT: dict[str, object] = {
    "all of it raises": Incomparable(),
    "true": Limited(status=True),
    "a number past every float": Limited(status=10**400),
    "a vendor's code": Limited(code=42900),
    "endless recursion": Endless(),
    "too far down": chain(1000, Limited(status=429)),
    "from None": raised(limit_put_aside),
    "gone after a retry": raised(gone_after_a_retry),
    "a class": Limited,
    "a number": 429,
    "bytes": b"429",
}
LIMIT: dict[str, tuple[object, int | None, str]] = {
    "a status that cannot be compared": (Limited(status=Incomparable(), code=429), None, "slow down"),
    "an enum": (Limited(code=http.HTTPStatus.TOO_MANY_REQUESTS), None, "slow down"),
    "headers that cannot be compared": (Limited(status=429.0, headers=Incomparable()), None, "slow down"),
    "properties that raise": (Guarded("slow down"), None, "slow down"),
    "no words": (Speechless(), None, "Too Many Requests"),
    "a lone surrogate": (Limited("\ud83d slow", status=429), None, "\ufffd slow"),
    "pairs of bytes": (Limited(status=429, headers=[(b"Retry-After", b"30")]), 30, "slow down"),
    "two cases": (Limited(status=429, headers={"RETRY-AFTER": "30", "Retry-After": "60"}), 60, "slow down"),
    "a dict of one's own": (Limited(status=429, headers=Strict({"retry-after": "30"})), 30, "slow down"),
    "a mocked response": (Limited(response=unittest.mock.Mock(status_code=429)), None, "slow down"),
    "mocked headers": (Limited(status=429, headers=unittest.mock.Mock(get=lambda name: "30")), 30, "slow down"),
    "a dict": ({"statusCode": "429", "headers": {"retry-after": 30}}, 30, "Too Many Requests"),
    "a text": ("HTTP Error 429: Too Many Requests", None, "HTTP Error 429: Too Many Requests"),
}


@pytest.mark.parametrize("name", NO_LIMIT)
def test_what_looks_like_a_limit_and_is_none(name: str) -> None:
    assert SHAPER.rate_limit(NO_LIMIT[name]) is None


@pytest.mark.parametrize("name", LIMIT)
def test_what_is_a_limit_for_all_its_guards(name: str) -> None:
    error, wait, words = LIMIT[name]
    # Words stay where nothing but the status is that of a client.
    reply = words if name in ("properties that raise", "a lone surrogate") else "Too Many Requests"
    shaped = SHAPER.rate_limit(error)
    assert shaped is not None
    assert (shaped.value["retryAfterSeconds"], shaped.value["message"]) == (wait, reply)


def test_a_chain_of_a_million_causes_is_left_before_its_end() -> None:
    error = chain(1_000_000, Limited(status=429))
    start = time.perf_counter()
    assert SHAPER.rate_limit(error) is None
    assert time.perf_counter() - start < 1
    # Python itself would take such a chain apart recursively.
    while error.__cause__ is not None:
        error.__cause__, error = None, error.__cause__  # type: ignore[assignment]


def test_a_message_of_megabytes_is_cut_to_the_budget() -> None:
    error = ValueError("slow \U0001f926\U0001f3fd\u200d\u2640\ufe0f " * 300_000)
    error.__cause__ = Limited(status=429)
    shaped = SHAPER.rate_limit(error)
    assert shaped is not None and 1000 < shaped.tokens <= 2000
    assert shaped.value["message"].endswith("…")
