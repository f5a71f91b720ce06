"""An MCP server as one writes it at first: what the database gives is what the model has to read."""

import sys

from articles import Article, Articles
from fastmcp import FastMCP

articles = Articles(sys.argv[1] if len(sys.argv) > 1 else "articles.db")
mcp = FastMCP("articles")


@mcp.tool
def list_articles() -> list[Article]:
    """Lists the published articles, the newest first"""
    return articles.published()


@mcp.tool
def get_article(slug: str) -> Article:
    """Opens one article"""
    return articles.get(slug) or {"error": "NOT_FOUND", "slug": slug}


@mcp.tool
def search(query: str) -> list[Article]:
    """Finds articles whose text has the words of the query"""
    return articles.search(query)


mcp.run(show_banner=False, log_level="WARNING")
