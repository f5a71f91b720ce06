"""The server of naive.py with toolshape in it: compare the two files to see all that it takes."""

import sys
from typing import Any

from articles import Articles
from fastmcp import FastMCP
from fastmcp.tools import ToolResult
from toolshape import Shaper

articles = Articles(sys.argv[1] if len(sys.argv) > 1 else "articles.db")
mcp = FastMCP("articles")

shaper = Shaper(
    max_tokens=2000,
    tools={
        "list_articles": {"max_tokens": 1400, "page_size": 20, "fields": ["title", "slug", "updated", "tags"]},
        "search": {"fields": ["title", "slug", "summary"]},
    },
)


def answer(value: Any, tool: str, **args: Any) -> ToolResult:
    shaped = shaper.shape(value, tool=tool, arguments=args)
    return ToolResult(shaped.text, meta={"toolshape/receipt": shaped.receipt}, is_error=shaped.is_error)


# Beside a tool's own arguments stands what a caller may ask of the shaper: page, pageSize, cursor and fields.


@mcp.tool
def list_articles(
    page: int | None = None, pageSize: int | None = None, cursor: str | None = None, fields: list[str] | None = None
) -> ToolResult:
    """Lists the published articles, the newest first"""
    return answer(articles.published(), "list_articles", page=page, pageSize=pageSize, cursor=cursor, fields=fields)


@mcp.tool
def get_article(slug: str, cursor: str | None = None, fields: list[str] | None = None) -> ToolResult:
    """Opens one article"""
    article = articles.get(slug) or {"error": "NOT_FOUND", "slug": slug}
    return answer(article, "get_article", slug=slug, cursor=cursor, fields=fields)


@mcp.tool
def search(
    query: str,
    page: int | None = None,
    pageSize: int | None = None,
    cursor: str | None = None,
    fields: list[str] | None = None,
) -> ToolResult:
    """Finds articles whose text has the words of the query"""
    found = articles.search(query)
    return answer(found, "search", query=query, page=page, pageSize=pageSize, cursor=cursor, fields=fields)


mcp.run(show_banner=False, log_level="WARNING")
