"""The logger of receipts: what a server sees that configures nothing, and how it configures it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SERVER = """
import logging, sys
{before}
from toolshape import Shaper
from toolshape.adapter import Adapter, Caller
{after}
import anyio
adapter = Adapter({{"max_tokens": 400}})
async def call(name, rows):
    plan = adapter.plan({{"name": name}})
    async def work(own):
        return [{{"id": at}} for at in range(rows)]
    await adapter.run(plan, {{}}, Caller(None, None), work)
anyio.run(call, "small", 3)
anyio.run(call, "large", 300)
"""
LOGGER = 'logging.getLogger("toolshape")'


def output_text(before: str = "", after: str = "", log: str | None = None) -> list[str]:
    """The tools that the lines on standard error name, with all before that in brackets."""
    environment = {**os.environ, **({} if log is None else {"TOOLSHAPE_LOG": log})}
    code = SERVER.format(before=before, after=after)
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout == ""
    lines = ran.stderr.splitlines()
    assert all(line.endswith(" ms") for line in lines)
    return [line.split(":")[0] for line in lines]


@pytest.mark.parametrize(
    ("log", "lines"),
    [
        (None, ["toolshape large"]),
        ("", ["toolshape large"]),
        ("all", ["toolshape small", "toolshape large"]),
        ("off", []),
    ],
)
def test_a_server_without_logging_sees_the_results_that_were_changed(log: str | None, lines: list[str]) -> None:
    assert output_text(log=log) == lines
    # What an SDK does to the root logger changes nothing.
    rich = "class Rich(logging.StreamHandler): __module__ = 'rich.logging'\nlogging.basicConfig(handlers=[Rich()], level=20)"
    assert output_text(rich, log=log) == lines
    # A handler of the server's on the root logger gets the lines, whenever it is set.
    own = 'logging.basicConfig(format="[%(name)s] %(message)s", level=logging.WARNING)'
    for before, after in ((own, ""), ("", own)):
        assert output_text(before, after, log=log) == [f"[toolshape] {line}" for line in lines]


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("", f"{LOGGER}.setLevel(logging.WARNING)", []),
        ("", f"{LOGGER}.setLevel(logging.DEBUG)", ["toolshape small", "toolshape large"]),
        (f"{LOGGER}.setLevel(logging.WARNING)", "", []),
        (
            f'logging.basicConfig(format="[%(levelname)s] %(message)s"); {LOGGER}.setLevel(logging.DEBUG)',
            "",
            ["[DEBUG] toolshape small", "[INFO] toolshape large"],
        ),
        (
            f'h = logging.StreamHandler(); h.setFormatter(logging.Formatter("[%(name)s] %(message)s"))\n'
            f"{LOGGER}.addHandler(h); {LOGGER}.setLevel(logging.INFO)",
            "",
            ["[toolshape] toolshape large"],
        ),
        ("", "logging.disable(logging.INFO)", []),
        ("", "h = logging.StreamHandler(); h.setLevel(logging.ERROR); logging.getLogger().addHandler(h)", []),
    ],
)
def test_a_server_configures_the_logger(before: str, after: str, lines: list[str]) -> None:
    assert output_text(before, after) == lines
