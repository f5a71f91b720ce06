"""Writes the Python that the pages show as one module for ``mypy --strict``, with types for what it takes for granted."""

from __future__ import annotations

import doctest
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
GIVEN = '''"""Made from the pages; each function is named after its page and line."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Mapping
from typing import Any, Protocol

from fastmcp import FastMCP
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.mcpserver import Context, MCPServer
from typing_extensions import Unpack

from toolshape import *
from toolshape.fastmcp import ShapingMiddleware
from toolshape.mcp import shape_server
from toolshape.types import Call, Policy

class Articles(Protocol):
    def all(self) -> Awaitable[list[dict[str, Any]]]: ...
    def published_after(self, last: list[Any] | None, limit: int) -> list[dict[str, Any]]: ...

class Rights(Protocol):
    def may_call(self, user: str, tool: str) -> bool: ...

mcp: FastMCP[Any]
server: MCPServer[Any]
shaper: Shaper
archive: Archive
store: MemoryStore
policy: Policy
call: Call
args: dict[str, Any]
cursor: str | None
articles: Articles
rights: Rights
rows: list[dict[str, Any]]
results: list[object]
text: str
key: str
url: str
handle: str
tenant: str
user: str
parameters: StdioServerParameters
my_tools: list[dict[str, Any]]
messages: list[dict[str, Any]]
client: Any
model: str
name: str
arguments: dict[str, Any]

async def run(name: str, arguments: Mapping[str, Any]) -> object: ...
'''


def snippets() -> Iterator[tuple[str, str]]:
    """Each block, with a name for its page and line; of a session what is typed, except for what raises on purpose."""
    for page in [ROOT / "README.md", ROOT / "py-bindings/PYPI.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = page.read_text("utf-8")
        session: list[str] = []
        for block in re.finditer("^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            if block[1].startswith(">>>"):
                session += [each.source for each in doctest.DocTestParser().get_examples(block[1]) if not each.exc_msg]
            else:
                line = text[: block.start()].count("\n") + 2
                yield f"{re.sub(r'[^a-z]+', '_', str(page.relative_to(ROOT)).lower())}_{line}", block[1]
        if session:
            yield f"{page.parent.name.replace('-', '_')}_session", "".join(session)


def main(file: Path) -> None:
    functions = [f"async def {name}() -> Any:\n{textwrap.indent(code, '    ')}" for name, code in snippets()]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n\n".join([GIVEN, *functions]), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
