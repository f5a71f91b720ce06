"""What an archive makes of results, and an adapter of errors, as ``vectors/shared/kept_results.json`` expects in both
languages."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from conftest import wait
from toolshape import Archive, MemoryStore, Shaper

from vectors import FOLDER, spelled_out

CASES = json.loads((FOLDER / "shared/kept_results.json").read_text("utf-8"))
POLICY = {"max_tokens": CASES["policy"]["maxTokens"]}


class Away(Exception):
    """What a store raises that is away."""


class Watched(MemoryStore):
    """A store that remembers what it was given, or fails."""

    def __init__(self, fails: bool, redacted: str | None) -> None:
        super().__init__()
        self.kept: list[str] = []
        self.fails, self.redacted = fails, redacted

    def set(self, key: str, value: str, ttl_seconds: float) -> None:
        if self.fails:
            raise Away
        assert self.redacted is None or not re.search(self.redacted, value)
        super().set(key, value, ttl_seconds)
        if not key.endswith(".handle"):
            self.kept.append(key)


def archive_of(case: dict[str, Any]) -> tuple[Watched, Archive]:
    redact = case.get("redact")
    store = Watched(case.get("fails", False), redact and redact[0])
    hook = None if redact is None else lambda text: re.sub(redact[0], redact[1], text)
    return store, Archive(Shaper(**POLICY), store, redact=hook, redacts=case.get("redacts"))


def names(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in cases]


@pytest.mark.parametrize("case", names(CASES["together"]["cases"]))
def test_together(case: dict[str, Any]) -> None:
    store, archive = archive_of(case)
    given = CASES["together"]["results"]
    results: Any = [{"json": spelled_out(one), "call": {"tool": f"tool {at}"}} for at, one in enumerate(given)]
    shaped = wait(archive.shape_together(results, case["combinedTokens"]))
    expect = case["expect"]
    assert [one.receipt["steps"] for one in shaped] == expect["steps"]
    assert sorted(store.kept) == expect["stored"]
    direct = []
    for at, one in enumerate(results):
        json_text = re.sub(*case["redact"], one["json"]) if at in expect["redacted"] else one["json"]
        of_store = {"store_failure": "Away"} if at in expect["failed"] else {"store": True}
        direct.append({"json": json_text, "call": {**one["call"], **of_store}})
    expected = Shaper(**POLICY).shape_together(direct, case["combinedTokens"])
    assert [one.text for one in shaped] == [one.text for one in expected]
    assert sum(one.tokens for one in shaped) <= case["combinedTokens"]


@pytest.mark.parametrize("case", names(CASES["results"]))
def test_a_result(case: dict[str, Any]) -> None:
    store, archive = archive_of(case)
    call: Any = {"tool": case["call"]["tool"], "output_schema": case["call"].get("outputSchema")}
    shaped = wait(archive.shape_result(json.loads(spelled_out(case["returned"])), **call))
    reply = {name: value for name, value in shaped.result.items() if name != "_meta"}
    seen = {"result": reply, "stored": sorted(store.kept)}
    assert {name: seen[name] for name in case["expect"]} == case["expect"]
    # A result that is not expected in full has at least nothing that was to be redacted.
    assert "result" in case["expect"] or not re.search(case["redact"][0], json.dumps(reply))


@pytest.mark.parametrize("case", names(CASES["thrown"]))
def test_thrown(case: dict[str, Any]) -> None:
    error = Exception(spelled_out(case["said"]))
    for name, value in case["error"].items():
        setattr(error, name, value)
    shaped = Shaper(**POLICY).thrown_result(error, tool="fetch")
    assert (shaped is not None) == case["isResult"]
    if shaped is not None and shaped.receipt is not None:
        assert shaped.is_error and shaped.receipt["tokens_after"] <= POLICY["max_tokens"]


def test_what_can_be_read_once_is_read_once() -> None:
    """All results are shaped again where one is redacted; what fits and was an iterator is still there."""
    rows = [{"id": at} for at in range(5)]
    large = [{"id": at, "key": f"sk-{at}"} for at in range(300)]
    results: Any = [{"value": iter(rows)}, {"value": {"within": iter(rows)}}, {"value": large}]
    archive = Archive(Shaper(), MemoryStore(), redact=lambda text: re.sub(r"sk-\d+", "sk-…", text))
    shaped = wait(archive.shape_together(results))
    assert shaped[0].value == rows and shaped[1].value == {"within": rows}
    assert "sk-…" in shaped[2].text and "sk-1" not in shaped[2].text
