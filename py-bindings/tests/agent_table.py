"""The rows for agents of docs/behaviours.json: a framework's test gives what its model reads of the calls of each turn."""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from toolshape import count_tokens
from toolshape.agents import Harness, HarnessResult

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


def servers_of(turns: Any) -> dict[str, dict[str, Any]]:
    """The commands of the servers of MCP whose tools turns call, by name."""
    file = str(Path(__file__).with_name("agent_server.py"))
    return {
        name: {"command": sys.executable, "args": [file, name]}
        for name in ("one", "two")
        if f"'{name}_rows'" in str(turns)
    }


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
        # Only what names a result has to be read before.
        if len(turns) == len(row["turns"]) or "{handle" in json.dumps(row["turns"][len(turns)]):
            read = run(turns)
    if "share" in row:
        own, without = _sent(row["turns"], read), _sent(row["turns"], _without_shaping(row["turns"], run))
        print(f"{without} → {own} tokens")
        assert own <= row["share"] * without
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


def recorded_spans(run: Callable[[], object]) -> list[str]:
    """The names of the spans that OpenTelemetry records of a run."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    # A process has one provider.
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        trace.set_tracer_provider(TracerProvider())
    spans = InMemorySpanExporter()
    provider: Any = trace.get_tracer_provider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    run()
    return [span.name for span in spans.get_finished_spans()]


def _sent(turns: Any, read: list[Read]) -> int:
    """The tokens of results in all requests of a run: each has those of all turns before it."""
    costs = [count_tokens(text) for text, _ in read]
    return sum(sum(costs[: sum(map(len, turns[: at + 1]))]) for at in range(len(turns)))


def _without_shaping(turns: Any, run: Run) -> list[Read]:
    """What a model reads with adapters that pass everything, and without ``read_result``."""

    async def call(_: Any, name: str, arguments: Any, work: Any, read: Any = None) -> Any:
        original = work(arguments)
        original = await original if inspect.isawaitable(original) else original
        return HarnessResult([], "", False, True, original)

    async def fit(_: Any, turn: Any) -> list[str]:
        return [text for _, text in turn]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Harness, "call", call)
        patch.setattr(Harness, "fit", fit)
        return run([[("few" if name == "read_result" else name, {}) for name, *_ in turn] for turn in turns])


def _filled(value: Any, read: list[Read]) -> Any:
    if not isinstance(value, str):
        return {name: _filled(each, read) for name, each in value.items()} if isinstance(value, dict) else value
    return re.sub(r"\{handle:(\d+)\}", lambda found: _handle(read[int(found[1])][0]), value)


def _handle(text: str) -> str:
    found = re.search(r"result.([a-z]{16})\b", text)
    assert found is not None, text
    return found[1]
