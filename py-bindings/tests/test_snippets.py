"""The Python that the pages show runs as it is, with what it assumes around it. Its types are checked by the
step ``typing``, which takes it from ``typed_snippets.py``."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import anyio
import pytest
import toolshape
from fastmcp import FastMCP
from mcp.server.mcpserver import MCPServer
from toolshape.fastmcp import ShapingMiddleware
from toolshape.mcp import shape_server

ROOT = Path(__file__).parents[2]
PAGES = [
    "README.md",
    "docs/adapters.md",
    "docs/lists.md",
    "docs/mcp.md",
    "docs/output.md",
    "docs/shapes.md",
    "docs/stores.md",
    "docs/text.md",
    "docs/tokens.md",
    "py-bindings/PYPI.md",
]
# Snippets that need a folder of the machine or a Redis.
ELSEWHERE = re.compile("FileStore|redis")
ROWS = [
    {"id": at, "slug": f"row-{at}", "title": f"Row {at}", "updated": f"2026-01-{99 - at}", "body": "word " * 300}
    for at in range(90)
]


class Articles:
    async def all(self) -> list[dict[str, Any]]:
        return ROWS

    def published_after(self, last: list[Any] | None, limit: int) -> list[dict[str, Any]]:
        return ROWS[last[1] + 1 if last else 0 :][:limit]


def given() -> dict[str, Any]:
    """What snippets take for granted."""
    return {
        **{name: getattr(toolshape, name) for name in toolshape.__all__},
        "mcp": FastMCP("snippets"),
        "server": MCPServer("snippets"),
        "ShapingMiddleware": ShapingMiddleware,
        "Any": Any,
        "shape_server": shape_server,
        "shaper": toolshape.Shaper(),
        "policy": {"max_tokens": 1000},
        "store": toolshape.MemoryStore(),
        "call": {"tool": "list_articles"},
        "args": {},
        "cursor": None,
        "text": "a line\n" * 9000,
        "json": json,
        "re": re,
        "rows": ROWS,
        "results": [ROWS, ROWS],
        "articles": Articles(),
        "key": "a secret of sixteen bytes",
    }


def snippets() -> list[Any]:
    """The blocks of all pages that are not doctests, each with its line."""
    found = []
    for page in PAGES:
        text = (ROOT / page).read_text("utf-8")
        for block in re.finditer("^```python\\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            if not block[1].startswith(">>>") and not ELSEWHERE.search(block[1]):
                found.append(pytest.param(block[1], id=f"{page}:{text[: block.start()].count(chr(10)) + 2}"))
    return found


@pytest.mark.parametrize("code", snippets())
def test_snippet(code: str) -> None:
    names = given()
    exec(f"async def snippet():\n{textwrap.indent(code, '    ')}", names)  # noqa: S102
    anyio.run(names["snippet"])


def test_there_are_snippets() -> None:
    assert len(snippets()) >= 8
