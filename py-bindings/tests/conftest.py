"""What several suites need, and the tables at the end of a run."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Sequence
from typing import Any

import pytest


def wait(result: Any) -> Any:
    """The result of a call that may be asynchronous."""
    if not inspect.isawaitable(result):
        return result

    async def run() -> Any:
        return await result

    return asyncio.run(run())


class Tables:
    """Findings of tests, printed at the end of the run."""

    def __init__(self) -> None:
        self.tables: dict[str, list[Sequence[str]]] = {}

    def row(self, title: str, head: Sequence[str], row: Sequence[str]) -> None:
        self.tables.setdefault(title, [head]).append(row)


TABLES = pytest.StashKey[Tables]()


@pytest.fixture
def tables(request: pytest.FixtureRequest) -> Tables:
    return request.config.stash.setdefault(TABLES, Tables())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for title, rows in config.stash.get(TABLES, Tables()).tables.items():
        widths = [max(map(len, column)) for column in zip(*rows)]
        terminalreporter.section(title)
        for row in rows:
            terminalreporter.line("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
