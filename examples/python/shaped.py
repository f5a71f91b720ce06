"""The server of naive.py with toolshape in it: compare the two files to see all that it takes."""

import sys
from typing import Any, Literal

from articles import Articles
from fastmcp import FastMCP
from fastmcp.tools import ToolResult
from toolshape import Shaped, Shaper, ToolshapeError

articles = Articles(sys.argv[1] if len(sys.argv) > 1 else "articles.db")
mcp = FastMCP("articles")

shaper = Shaper(
    max_tokens=2000,
    tools={
        "list_articles": {"max_tokens": 1400, "page_size": 20, "fields": ["title", "slug", "updated", "tags"]},
        "search": {"fields": ["title", "slug", "summary"]},
        "weather": {"series": {"value": "temp_max", "at": "date"}},
        "sweep": {"grid": {"x": "fast", "y": "slow", "value": "score", "feasible": "feasible"}},
    },
)


def answer(shaped: Shaped) -> ToolResult:
    return ToolResult(shaped.text, meta={"toolshape/receipt": shaped.receipt}, is_error=shaped.is_error)


# Beside a tool's own arguments stands what a caller may ask of the shaper: page, pageSize, cursor and fields.


@mcp.tool
def list_articles(
    pageSize: int | None = None, cursor: str | None = None, fields: list[str] | None = None
) -> ToolResult:
    """Lists the published articles, the newest first"""
    call: dict[str, Any] = {"tool": "list_articles", "arguments": {"pageSize": pageSize, "cursor": cursor, "fields": fields}}
    try:
        limit = shaper.page_size(**call)
        rows = articles.published_after(shaper.decode_keyset(cursor, **call), limit + 1)
        return answer(shaper.keyset_page(rows, keys=[{"name": "updated", "order": "desc"}, "id"], limit=limit, **call))
    except ToolshapeError as error:
        refusal = shaper.refusal(error, **call)
        if refusal is None:
            raise
        return answer(refusal)


@mcp.tool
def get_article(slug: str, cursor: str | None = None, fields: list[str] | None = None) -> ToolResult:
    """Opens one article"""
    article = articles.get(slug) or {"error": "NOT_FOUND", "slug": slug}
    args = {"slug": slug, "cursor": cursor, "fields": fields}
    return answer(shaper.shape(article, tool="get_article", arguments=args))


@mcp.tool
def search(
    query: str,
    page: int | None = None,
    pageSize: int | None = None,
    cursor: str | None = None,
    fields: list[str] | None = None,
) -> ToolResult:
    """Finds articles whose text has the words of the query"""
    args = {"query": query, "page": page, "pageSize": pageSize, "cursor": cursor, "fields": fields}
    return answer(shaper.shape(articles.search(query), tool="search", arguments=args))


# Of a series or a grid a summary comes first.
Output = Literal["summary", "full"]


@mcp.tool
def weather(
    output: Output = "summary", pageSize: int | None = None, cursor: str | None = None, fields: list[str] | None = None
) -> ToolResult:
    """The weather of Seattle from 2012 to 2015, day by day"""
    args = {"output": output, "pageSize": pageSize, "cursor": cursor, "fields": fields}
    return answer(shaper.shape(articles.weather(), tool="weather", arguments=args))


@mcp.tool
def sweep(
    output: Output = "summary", pageSize: int | None = None, cursor: str | None = None, fields: list[str] | None = None
) -> ToolResult:
    """How a trading rule did with each pair of its two parameters"""
    args = {"output": output, "pageSize": pageSize, "cursor": cursor, "fields": fields}
    return answer(shaper.shape(articles.sweep(), tool="sweep", arguments=args))


mcp.run(show_banner=False, log_level="WARNING")
