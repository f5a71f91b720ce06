"""What several suites need, and the table of faults at the end of a run that made some."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest


def wait(result: Any) -> Any:
    """The result of a call that may be asynchronous."""
    if not inspect.isawaitable(result):
        return result

    async def run() -> Any:
        return await result

    return asyncio.run(run())


class Faults:
    """The faults that were made, with what the caller saw of each and what was on disk."""

    def __init__(self) -> None:
        self.rows = [("fault", "what the caller saw", "what was on disk")]

    def row(self, fault: str, seen: str, on_disk: str) -> None:
        self.rows.append((fault, seen, on_disk))


FAULTS = pytest.StashKey[Faults]()


@pytest.fixture
def faults(request: pytest.FixtureRequest) -> Faults:
    return request.config.stash.setdefault(FAULTS, Faults())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    table = config.stash.get(FAULTS, Faults()).rows
    if len(table) > 1:
        widths = [max(map(len, column)) for column in zip(*table)]
        terminalreporter.section("faults")
        for row in table:
            terminalreporter.line("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
