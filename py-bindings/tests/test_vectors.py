"""Runs every shared case, byte for byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
import vectors

from toolshape import Shaped, Shaper, ToolshapeError, count_tokens, fits_tokens

CASES = vectors.load(but=("tokens", "rate_limit"))
RATE_LIMITS = vectors.load(only="rate_limit")
TOKENS = vectors.load(only="tokens")


def names(cases: list[tuple[str, dict[str, Any]]]) -> list[str]:
    return [name for name, _ in cases]


def shape(case: dict[str, Any]) -> tuple[str, Shaped]:
    shaper = Shaper(**vectors.options(case.get("policy", {})))
    call = vectors.keywords(case.get("call", {}))
    if "json" in case:
        given = vectors.spelled_out(case["json"])
        return given, shaper.shape_json(given, **call)
    given = vectors.spelled_out(case["text"])
    return given, shaper.shape(given, **call)


@pytest.mark.parametrize("case", [case for _, case in CASES], ids=names(CASES))
def test_case(case: dict[str, Any]) -> None:
    expect = case["expect"]
    if "error" in expect:
        with pytest.raises(ToolshapeError) as raised:
            shape(case)
        assert raised.value.code == expect["error"]
        # The path goes through the caller's own names.
        assert raised.value.path == "/".join(map(vectors.snake, expect.get("path", "").split("/")))
        return
    given, shaped = shape(case)
    receipt = shaped.receipt
    seen = {
        "text": shaped.text,
        "unchanged": shaped.unchanged,
        "isError": shaped.is_error,
        "steps": receipt["steps"],
        "tokensBefore": receipt["tokensBefore"],
        "tokensAfter": receipt["tokensAfter"],
    }
    assert seen == {"text": given, **expect}
    assert shaped.tokens == receipt["tokensAfter"] == count_tokens(shaped.text, receipt["encoding"])


HOST_CASES = [
    (name, case)
    for name, case in CASES
    if "json" in case and "error" not in case["expect"] and not case.get("spelling")
]


@pytest.mark.parametrize("case", [case for _, case in HOST_CASES], ids=names(HOST_CASES))
def test_case_as_objects(case: dict[str, Any]) -> None:
    expect = case["expect"]
    given = vectors.spelled_out(case["json"])
    value = json.loads(given)
    shaper = Shaper(**vectors.options(case.get("policy", {})))
    shaped = shaper.shape(value, **vectors.keywords(case.get("call", {})))
    if not (isinstance(value, str) and shaped.unchanged):
        assert shaped.text == expect.get("text", given)
        assert shaped.receipt["tokensAfter"] == expect["tokensAfter"]
    assert shaped.receipt["steps"] == expect["steps"]
    assert shaped.is_error == expect["isError"]
    assert shaped.value is value if shaped.unchanged else shaped.value == json.loads(shaped.text)


@pytest.mark.parametrize("case", [case for _, case in TOKENS], ids=names(TOKENS))
def test_tokens(case: dict[str, Any]) -> None:
    text, count, encoding = vectors.spelled_out(case["text"]), case["count"], case["encoding"]
    assert count_tokens(text, encoding) == count
    assert fits_tokens(text, count, encoding) == count
    if count:
        assert fits_tokens(text, count - 1, encoding) is None


@pytest.mark.parametrize("case", [case for _, case in RATE_LIMITS], ids=names(RATE_LIMITS))
def test_rate_limit(case: dict[str, Any]) -> None:
    shaper = Shaper(**vectors.options(case.get("policy", {})))
    shaped = shaper.rate_limit(case["error"], now=case["now"], **vectors.keywords(case["call"]))
    assert (shaped and {"text": shaped.text}) == case["expect"]
    if shaped:
        assert shaped.is_error and shaped.receipt["steps"] == ["rateLimit"]


def test_a_loader_that_finds_nothing_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(vectors, "FOLDER", tmp_path)
    with pytest.raises(LookupError):
        vectors.load()


def test_cases_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        counts = f"{len(CASES)} cases, {len(HOST_CASES)} of them as objects too"
        print(f"\nvectors in Python: {counts}, {len(TOKENS)} token counts, {len(RATE_LIMITS)} rate limits")
    assert len(CASES) > 0
