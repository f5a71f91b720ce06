"""A listing that asks the database for one page at a time, by its sort keys: whatever others insert and delete
meanwhile, each row comes once. Here the tool itself calls toolshape, and says how it is to be called.
"""

import sys
from typing import Any

from articles import Articles
from fastmcp import FastMCP
from fastmcp.tools import ToolResult
from toolshape import Shaped, Shaper, ToolshapeError

articles = Articles(sys.argv[1] if len(sys.argv) > 1 else "articles.db")
mcp = FastMCP("articles")
shaper = Shaper(fields=["id", "title", "slug", "updated", "tags"])


@mcp.tool
def list_articles(
    pageSize: int | None = None, cursor: str | None = None, fields: list[str] | None = None
) -> ToolResult:
    """Lists the published articles, the newest first"""
    asked = {"pageSize": pageSize, "cursor": cursor, "fields": fields}
    call: dict[str, Any] = {"tool": "list_articles", "arguments": asked}
    try:
        limit = shaper.page_size(**call)
        rows = articles.published_after(shaper.decode_keyset(cursor, **call), limit + 1)
        return answer(shaper.keyset_page(rows, keys=[{"name": "updated", "order": "desc"}, "id"], limit=limit, **call))
    except ToolshapeError as error:
        refusal = shaper.refusal(error, **call)
        if refusal is None:
            raise
        return answer(refusal)


def answer(shaped: Shaped) -> ToolResult:
    return ToolResult(shaped.text, is_error=shaped.is_error)


mcp.run(show_banner=False, log_level="WARNING")
