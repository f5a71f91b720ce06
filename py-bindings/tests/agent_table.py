"""The rows for agents of docs/behaviours.json: a framework's test gives what its model reads of the calls of each turn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from toolshape import count_tokens

TABLE = json.loads((Path(__file__).parents[2] / "docs/behaviours.json").read_text("utf-8"))["agents"]
# What a model reads of a result: its text, and whether it has an image.
Read = tuple[str, bool]
Run = Callable[[list[Any]], list[Read]]


def _applies(row: Any, framework: str) -> bool:
    def is_meant(where: Any) -> bool:
        frameworks = where.get("framework", framework)
        return where.get("language", "python") == "python" and framework in (
            [frameworks] if isinstance(frameworks, str) else frameworks
        )

    return not any(is_meant(each["where"]) for each in row.get("except", []))


def rows_of(framework: str) -> Any:
    """Runs a test with each row that applies to a framework."""
    rows = [row for row in TABLE["rows"] if "turns" in row and _applies(row, framework)]
    return pytest.mark.parametrize("row", rows, ids=[row["name"] for row in rows])


def check_tests(framework: str, tests: Mapping[str, Any]) -> None:
    """Each row with code that applies has a test of its name."""
    names = [
        f"test_{row['name'].replace(' ', '_')}" for row in TABLE["rows"] if "code" in row and _applies(row, framework)
    ]
    assert [name for name in names if name not in tests] == []


def check(row: Any, run: Run) -> None:
    turns: list[Any] = []
    read: list[Read] = []
    for turn in row["turns"]:
        turns.append([(name, _filled(given, read)) for name, given in ((*call, {})[:2] for call in turn)])
        read = run(turns)
    for expected in row["expect"]:
        places = expected.get("reads", [expected.get("read")])
        texts = [read[at][0] for at in places]
        assert sum(map(count_tokens, texts)) <= expected.get("atMost", 10**6), texts
        assert expected.get("has", "") in texts[0]
        assert not expected.get("image") or read[places[0]][1]
        if "json" in expected:
            found = json.loads(texts[0])
            wanted = expected["json"]
            assert {name: found[name] for name in wanted} == wanted if isinstance(wanted, dict) else found == wanted


def _filled(value: Any, read: list[Read]) -> Any:
    if not isinstance(value, str):
        return {name: _filled(each, read) for name, each in value.items()} if isinstance(value, dict) else value
    return re.sub(r"\{handle:(\d+)\}", lambda found: _handle(read[int(found[1])][0]), value)


def _handle(text: str) -> str:
    found = re.search(r"result.([a-z]{16})\b", text)
    assert found is not None, text
    return found[1]
